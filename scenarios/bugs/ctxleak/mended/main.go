// A session whose goroutine ends when its context is cancelled: one that was closed before cancels at once.
package main

import (
	"context"
	"fmt"
	"sync"
)

type session struct {
	mu     sync.Mutex
	cancel context.CancelFunc
	closed bool
}

func (s *session) open() {
	ctx, cancel := context.WithCancel(context.Background())
	go keepAlive(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = cancel
	if s.closed {
		cancel()
	}
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.cancel != nil {
		s.cancel()
	}
}

func keepAlive(ctx context.Context) {
	<-ctx.Done()
}

func main() {
	s := &session{}
	var wg sync.WaitGroup
	wg.Go(func() {
		s.close()
	})
	wg.Go(func() {
		s.open()
	})
	wg.Wait()
	fmt.Println("closed")
}
