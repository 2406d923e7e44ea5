// A worker that is stopped by a flag and a nudge, and started again. When the flag is cleared before the worker has seen
// it there are two.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type worker struct {
	jobs    chan int
	stop    atomic.Bool
	stopped atomic.Int32
	wg      sync.WaitGroup
}

func (w *worker) start() {
	w.stop.Store(false)
	w.wg.Go(w.run)
}

func (w *worker) halt() {
	w.stop.Store(true)
	w.jobs <- 0 // wakes it
}

func (w *worker) run() {
	for range w.jobs {
		if w.stop.Load() {
			w.stopped.Add(1)
			return
		}
	}
}

func main() {
	w := &worker{jobs: make(chan int)}
	w.start()
	w.jobs <- 1
	w.halt()
	w.start()
	w.jobs <- 2
	close(w.jobs)
	w.wg.Wait()
	if w.stopped.Load() != 1 {
		fmt.Fprintln(os.Stderr, "wrong: the first worker has not stopped")
		os.Exit(1)
	}
	fmt.Println("restarted")
}
