package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// spins waits in loops for others, in ways of which each ends in time if those have their turns: on sync/atomic alone, where no prologue is; with a select; with
// a lock; two for a third one; two for each other; for a timer.
func spins() {
	var flag atomic.Bool
	go flag.Store(true)
	for !flag.Load() {
	}

	quit := make(chan int)
	go close(quit)
	for waits := true; waits; {
		select {
		case <-quit:
			waits = false
		default:
		}
	}

	var locked counter
	go locked.set(1)
	for locked.get() == 0 {
	}

	var all sync.WaitGroup
	var third atomic.Bool
	for range 2 {
		all.Go(func() {
			for !third.Load() {
			}
		})
	}
	all.Go(func() {
		for i := range 100_000 {
			locked.n += i
		}
		third.Store(true)
	})
	all.Wait()

	var turn atomic.Int32
	for i := range int32(2) {
		all.Go(func() {
			for range 10 {
				for turn.Load() != i {
				}
				turn.Store(1 - i)
			}
		})
	}
	all.Wait()

	var late atomic.Bool
	time.AfterFunc(time.Millisecond, func() { late.Store(true) })
	for !late.Load() {
	}
}

// tries takes two locks in two orders, and tries for ever to take the second one: in some schedules nobody ever does.
func tries() {
	var a, b sync.Mutex
	both := func(one, other *sync.Mutex) {
		one.Lock()
		for !other.TryLock() {
		}
		other.Unlock()
		one.Unlock()
	}
	var all sync.WaitGroup
	all.Go(func() { both(&a, &b) })
	all.Go(func() { both(&b, &a) })
	all.Wait()
}
