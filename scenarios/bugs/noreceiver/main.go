// A broker sends each message to all who were subscribed when it looked. A subscriber that leaves after that look no
// longer receives, and the publisher waits for it.
package main

import (
	"fmt"
	"maps"
	"sync"
)

type broker struct {
	mu   sync.Mutex
	subs map[chan string]bool
}

func (b *broker) subscribe() chan string {
	c := make(chan string)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[c] = true
	return c
}

func (b *broker) unsubscribe(c chan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subs, c)
}

func (b *broker) publish(message string) {
	b.mu.Lock()
	subs := maps.Clone(b.subs)
	b.mu.Unlock()
	for c := range subs {
		c <- message
	}
}

func main() {
	b := &broker{subs: map[chan string]bool{}}
	c := b.subscribe()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { b.publish("news") })
	}
	fmt.Println(<-c)
	b.unsubscribe(c)
	wg.Wait()
}
