// A worker that sleeps when it has no task. A nudge that comes when it is about to sleep is kept.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type worker struct {
	tasks atomic.Int32
	nudge chan struct{}
}

func (w *worker) add() {
	w.tasks.Add(1)
	select {
	case w.nudge <- struct{}{}:
	default: // it is awake
	}
}

func (w *worker) work() {
	for w.tasks.Load() == 0 {
		<-w.nudge
	}
	w.tasks.Add(-1)
}

func main() {
	w := &worker{nudge: make(chan struct{}, 1)}
	var wg sync.WaitGroup
	wg.Go(func() { w.work() })
	w.add()
	wg.Wait()
	fmt.Println("worked")
}
