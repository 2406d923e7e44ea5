// A worker that is stopped by closing a channel, and started again with another one. When the worker is busy meanwhile it
// never sees the first one, and there are two workers.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type worker struct {
	jobs, results chan int
	quit          chan struct{}
	stopped       atomic.Int32
	wg            sync.WaitGroup
}

func (w *worker) start() {
	w.quit = make(chan struct{})
	w.wg.Go(w.run)
}

func (w *worker) halt() {
	close(w.quit)
}

func (w *worker) run() {
	for {
		select {
		case job, ok := <-w.jobs:
			if !ok {
				return
			}
			w.results <- 2 * job
		case <-w.quit:
			w.stopped.Add(1)
			return
		}
	}
}

func main() {
	w := &worker{jobs: make(chan int), results: make(chan int, 1)}
	w.start()
	w.jobs <- 1
	<-w.results
	w.halt()
	w.start()
	w.jobs <- 2
	<-w.results
	close(w.jobs)
	w.wg.Wait()
	if w.stopped.Load() != 1 {
		fmt.Fprintln(os.Stderr, "wrong: the first worker has not stopped")
		os.Exit(1)
	}
	fmt.Println("restarted")
}
