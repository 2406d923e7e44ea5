// A feed that is closed while somebody may still send: the look and the send are under one lock.
package main

import (
	"fmt"
	"sync"
)

type feed struct {
	mu     sync.Mutex
	closed bool
	news   chan string
}

func (f *feed) send(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.news <- s
	}
}

func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	close(f.news)
}

func main() {
	f := &feed{news: make(chan string, 1)}
	var wg sync.WaitGroup
	wg.Go(func() {
		f.close()
	})
	wg.Go(func() {
		f.send("it rains")
	})
	wg.Wait()
	fmt.Println("closed")
}
