// A broker sends each message to all who were subscribed when it looked, or have left since: leaving closes a channel.
package main

import (
	"fmt"
	"maps"
	"sync"
)

type broker struct {
	mu   sync.Mutex
	subs map[chan string]chan struct{} // the second is closed when the subscriber leaves
}

func (b *broker) subscribe() chan string {
	c := make(chan string)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[c] = make(chan struct{})
	return c
}

func (b *broker) unsubscribe(c chan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.subs[c])
	delete(b.subs, c)
}

func (b *broker) publish(message string) {
	b.mu.Lock()
	subs := maps.Clone(b.subs)
	b.mu.Unlock()
	for c, left := range subs {
		select {
		case c <- message:
		case <-left:
		}
	}
}

func main() {
	b := &broker{subs: map[chan string]chan struct{}{}}
	c := b.subscribe()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { b.publish("news") })
	}
	fmt.Println(<-c)
	b.unsubscribe(c)
	wg.Wait()
}
