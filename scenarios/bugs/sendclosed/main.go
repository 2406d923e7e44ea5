// A feed that is closed while somebody may still send: send looks whether it is open, and sends when the lock is free again.
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

func (f *feed) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

func (f *feed) send(s string) {
	if !f.isClosed() {
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
