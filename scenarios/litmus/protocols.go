package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// The protocols of the scheduler whose orderings its comments argue, each as a small program of its own. The
// explorer of sched/ tries their interleavings one step after the other, as if all saw each store at once; whether
// a machine gives them that is asked here. The words of protocols are of the scheduler's own type.

// protocols are the ones between two words.
func protocols() {
	litmus("store buffering of the scheduler's words", 2, "[0 0]",
		func(c *cell) { c.u.Store(1); c.r[0] = c.v.Load() },
		func(c *cell) { c.v.Store(1); c.r[1] = c.u.Load() })
	// A submitter puts a G (u), then looks for a spinning M; an M stops spinning (v), then looks for Gs.
	litmus("submit against stop of spinning", 2, "[0 0]",
		func(c *cell) { c.u.Store(1); c.r[0] = c.v.Load() },
		func(c *cell) { c.v.Add(1); c.r[1] = c.u.Load() })
	// An M sets a timer (u), then looks for a timer M; another says that it is the timer M (v), then
	// looks at the timers.
	litmus("timer against timer M", 2, "[0 0]",
		func(c *cell) { c.u.Store(1); c.r[0] = c.v.Load() },
		func(c *cell) { c.v.Store(1); c.r[1] = c.u.Load() })
	// A waker leaves the P (u), then the token (v); who sleeps takes the token by a swap, and then the P.
	litmus("hand-over to who sleeps", 2, "[1 0]",
		func(c *cell) { c.u.Store(1); c.v.Store(1) },
		func(c *cell) { c.r[0] = c.v.Swap(0); c.r[1] = c.u.Load() })
	// A stopper announces that it waits (u), then looks at the count; the last M to stop notes it (v), then looks for a
	// stopper.
	litmus("stop against the last to stop", 2, "[0 0]",
		func(c *cell) { c.u.Store(1); c.r[0] = c.v.Load() },
		func(c *cell) { c.v.Store(1); c.r[1] = c.u.Load() })
}

// slots is how many values the ring and runnext below hand over.
const slots = 4000

// ring is the run queue's [R1 to R4]: a producer stores the slot, and the data behind it, before the tail; takers
// read the slot before they swap the head. Each value comes out once, and whole.
func ring(takers int) {
	const size = 8
	var head, tail atomic.Uint32
	var ring [size]atomic.Pointer[plain]
	taken := make([]atomic.Int32, slots)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; i < slots; {
			t := tail.Load()
			if t-head.Load() == size {
				runtime.Gosched()
				continue
			}
			p := new(plain)
			p.write(i * 16)
			ring[t%size].Store(p)
			tail.Store(t + 1)
			i++
		}
	})
	for range takers {
		wg.Go(func() {
			for {
				h := head.Load()
				if h == slots {
					return
				}
				if tail.Load() == h {
					runtime.Gosched()
					continue
				}
				p := ring[h%size].Load()
				if !head.CompareAndSwap(h, h+1) {
					continue
				}
				p.read(int(h)*16, "ring")
				taken[h].Add(1)
			}
		})
	}
	wg.Wait()
	for i := range taken {
		check(taken[i].Load() == 1, "ring: value %d was taken %d times", i, taken[i].Load())
	}
	fmt.Printf("litmus: ring with %d takers: %d values\n", takers, slots)
}

// runnext is [R5]'s slot: the owner swaps values in, and gets the one before; thieves take by compare-and-swap. The
// same value never comes twice, though the word is empty again and again in between.
func runnext(thieves int) {
	values := make([]plain, slots)
	taken := make([]atomic.Int32, slots)
	var next atomic.Int32 // a value's number and 1, 0: none
	var over atomic.Bool
	take := func(n int32) {
		values[n-1].read(int(n)*16, "runnext")
		taken[n-1].Add(1)
	}
	var wg sync.WaitGroup
	for range thieves {
		wg.Go(func() {
			for !over.Load() {
				if n := next.Load(); n != 0 && next.CompareAndSwap(n, 0) {
					take(n)
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	for i := range int32(slots) {
		values[i].write(int(i+1) * 16)
		if old := next.Swap(i + 1); old != 0 {
			take(old)
		}
		if i%8 == 0 {
			runtime.Gosched()
		}
	}
	if old := next.Swap(0); old != 0 {
		take(old)
	}
	over.Store(true)
	wg.Wait()
	for i := range taken {
		check(taken[i].Load() == 1, "runnext: value %d was taken %d times", i, taken[i].Load())
	}
	fmt.Printf("litmus: runnext with %d thieves: %d values\n", thieves, slots)
}
