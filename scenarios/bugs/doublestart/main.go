// A service that its first user starts. Two that need it at once both find that it does not run.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type service struct {
	running atomic.Bool
	starts  atomic.Int32
	done    sync.WaitGroup
}

func (s *service) start() {
	if s.running.Load() {
		return
	}
	s.running.Store(true)
	s.done.Go(s.run)
}

func (s *service) run() {
	if s.starts.Add(1) > 1 {
		fmt.Fprintln(os.Stderr, "wrong: started twice")
		os.Exit(1)
	}
}

func main() {
	s := &service{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(s.start)
	}
	wg.Wait()
	s.done.Wait()
	fmt.Println("started once")
}
