package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

// owner is a claim of a thread by a goroutine that is tied to it. Each claim is a value of its own:
// a goroutine that sees one twice knows that it was there in between.
type owner struct{ thread int }

var (
	// crowded lets any number of goroutines be tied to threads at once, and others make system
	// calls. Otherwise one processor is left to the others and there are no system calls, so that
	// each tied goroutine must have a thread of its own, even where there are no more threads than
	// processors.
	crowded bool
	threads chan struct{} // holds one for each goroutine that is tied, if not crowded
	owners  sync.Map      // of threads: *owner
)

// hold ties w to its thread, n times over. If there is no thread for it, it does
// nothing, and so does release.
func (w *worker) hold(n int) {
	if w.pins == 0 && !crowded {
		select {
		case threads <- struct{}{}:
		default:
			return
		}
	}
	for range n {
		runtime.LockOSThread()
		w.pins++
	}
	if w.mine == nil {
		w.mine = &owner{syscall.Gettid()}
		if !crowded {
			_, taken := owners.LoadOrStore(w.mine.thread, w.mine)
			w.must(!taken, "two goroutines are tied to thread %d", w.mine.thread)
		}
	}
}

// stays looks where w runs: on its own thread if it has one, else not on that of
// another.
func (w *worker) stays() {
	t := syscall.Gettid()
	if w.mine != nil {
		w.must(t == w.mine.thread, "it is tied to thread %d, and runs on %d", w.mine.thread, t)
		return
	}
	if crowded {
		return
	}
	if whose, taken := owners.Load(t); taken {
		again := syscall.Gettid()
		now, _ := owners.Load(t)
		w.must(again != t || now != whose, "it runs on thread %d, to which another goroutine is tied", t)
	}
}

// release unties w: it stays until the last time. The claim is given up while w is still tied, and the thread when it is tied no
// more: as long as it is, the last processor may have to be lent.
func (w *worker) release() {
	tied := w.mine != nil
	for w.pins > 0 {
		w.stays()
		if w.pins == 1 {
			if !crowded {
				owners.Delete(w.mine.thread)
			}
			w.mine = nil
		}
		w.pins--
		runtime.UnlockOSThread()
	}
	if tied && !crowded {
		<-threads
	}
}

// pin ties w to its thread, several times over, and does this and that there.
func (w *worker) pin() {
	w.hold(w.some(3))
	for range w.some(4) {
		w.small()
		w.stays()
		switch w.rnd.IntN(5) {
		case 0: // once more
			w.hold(1)
		case 1: // once less, if that is not the last
			if w.pins > 1 {
				w.pins--
				runtime.UnlockOSThread()
			}
		case 2: // a goroutine that is started here runs elsewhere
			c := w.child(0)
			done := make(chan struct{})
			go func() {
				defer close(done)
				c.stays()
				c.small()
				c.stays()
			}()
			<-done
		}
		w.stays()
	}
	w.release()
}

// leave starts goroutines that end; where any number may be tied, while they are tied to their threads, which end with
// them.
func (w *worker) leave() {
	var wg sync.WaitGroup
	var ended atomic.Int32
	n := w.some(3)
	for i := range n {
		c := w.child(i)
		wg.Go(func() {
			defer ended.Add(1)
			c.hold(c.some(2))
			if !crowded {
				// A goroutine that ends while it is tied cannot tell when its thread is free again.
				defer c.release()
			}
			for range c.some(3) {
				c.small()
				c.stays()
			}
			switch c.rnd.IntN(3) {
			case 0:
				runtime.Goexit()
			case 1:
				defer func() { c.must(recover() == "leave", "the panic is another") }()
				panic("leave")
			}
		})
	}
	wg.Wait()
	w.must(int(ended.Load()) == n, "%d goroutines ended of %d", ended.Load(), n)
}
