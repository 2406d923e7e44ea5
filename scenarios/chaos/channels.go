package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// shelves hold the free tokens. Each has room for all, so that a token can always be put back, and
// a goroutine that waits for one gets it.
var (
	shelves [3]chan int
	holders [5]atomic.Int32 // of each token
)

// openTokens puts the tokens on shelves.
func openTokens(w *worker) {
	for i := range shelves {
		shelves[i] = make(chan int, len(holders))
	}
	for t := range holders {
		shelves[w.rnd.IntN(len(shelves))] <- t
	}
}

// closeTokens looks for them.
func closeTokens(w *worker) {
	var seen [len(holders)]bool
	n := 0
	for _, s := range shelves {
		for len(s) > 0 {
			t := <-s
			w.must(!seen[t] && holders[t].Load() == 0, "token %d is there twice", t)
			seen[t] = true
			n++
		}
	}
	w.must(n == len(holders), "%d tokens are left of %d", n, len(holders))
}

// tokens takes a token from any shelf, in one of several ways, does something, and
// puts it on another. It holds one at most.
func (w *worker) tokens() {
	for range w.some(6) {
		t := -1
		switch w.rnd.IntN(4) {
		case 0: // wait for one
			select {
			case t = <-shelves[0]:
			case t = <-shelves[1]:
			case t = <-shelves[2]:
			}
		case 1: // take one if it is there
			select {
			case t = <-shelves[w.rnd.IntN(len(shelves))]:
			default:
			}
		case 2: // wait for one, but not for ever
			after := time.NewTimer(time.Duration(w.some(500)) * time.Microsecond)
			select {
			case t = <-shelves[0]:
			case t = <-shelves[w.some(2)]:
			case <-after.C:
			}
			after.Stop()
		case 3: // take one or change it for another
			var none chan int
			select {
			case t = <-shelves[w.rnd.IntN(len(shelves))]:
			case <-none:
			case none <- 1:
			default:
				select {
				case t = <-shelves[2]:
				case t = <-shelves[1]:
				case t = <-shelves[0]:
				}
			}
		}
		if t < 0 {
			continue
		}
		n := holders[t].Add(1)
		w.must(n == 1, "token %d is held by %d", t, n)
		if w.one(2) {
			w.small()
		}
		n = holders[t].Add(-1)
		w.must(n == 0, "token %d is held by %d more", t, n)
		shelves[w.rnd.IntN(len(shelves))] <- t
	}
}

// pipeline sends numbers through stages, each of which adds one.
func (w *worker) pipeline() {
	stages, n := w.some(8), w.some(60)
	first := make(chan int, w.rnd.IntN(3))
	last := first
	for i := range stages {
		c, in, out := w.child(i), last, make(chan int, w.rnd.IntN(3))
		last = out
		go func() {
			defer close(out)
			for v := range in {
				if c.one(20) {
					c.small()
				}
				out <- v + 1
			}
		}()
	}
	go func() {
		defer close(first)
		for i := range n {
			first <- i
		}
	}()
	i := 0
	for v := range last {
		w.must(v == i+stages, "value %d came out as %d after %d stages", i, v, stages)
		i++
	}
	w.must(i == n, "%d values came out of %d", i, n)
}

// volley sends a ball to and fro between two goroutines, each of which may be tied to
// a thread.
func (w *worker) volley() {
	n := w.some(60)
	there, back := make(chan int), make(chan int)
	c := w.child(0)
	var wg sync.WaitGroup
	wg.Go(func() {
		if c.one(2) {
			c.hold(c.some(2))
			defer c.release()
		}
		for v := range there {
			if c.one(20) {
				c.small()
			}
			c.stays()
			back <- v + 1
		}
	})
	if w.one(2) {
		w.hold(w.some(2))
		defer w.release()
	}
	ball := 0
	for i := range n {
		there <- ball
		if w.one(20) {
			w.small()
		}
		ball = <-back
		w.stays()
		w.must(ball == i+1, "the ball is %d after %d volleys", ball, i+1)
	}
	close(there)
	wg.Wait()
}

// hub makes goroutines exchange values with any other that is there, each in a select that sends
// and receives at once. w takes part until it has had enough.
func (w *worker) hub() {
	hub, quit := make(chan int), make(chan struct{})
	n := 1 + w.some(5)
	values := make([]int, n)
	want := 0
	var wg sync.WaitGroup
	for i := range n {
		values[i] = w.rnd.IntN(1000)
		want += values[i]
		wg.Go(func() {
			for {
				select {
				case hub <- values[i]:
					values[i] = 0
				case v := <-hub:
					values[i] += v
				case <-quit:
					return
				}
			}
		})
	}
	mine := 0
	for range w.some(50) {
		select {
		case hub <- mine:
			mine = 0
		case v := <-hub:
			mine += v
		}
	}
	close(quit)
	wg.Wait()
	for _, v := range values {
		mine += v
	}
	w.must(mine == want, "values that were changed sum up to %d, not %d", mine, want)
}

// tree starts goroutines that start goroutines, and counts them.
func (w *worker) tree() {
	width, depth := w.some(3), w.some(4)
	want := 1
	for range depth {
		want = want*width + 1
	}
	got := w.grow(width, depth)
	w.must(got == want, "a tree of %d levels with %d branches each has %d goroutines, not %d", depth, width, got, want)
}

// grow is the number of goroutines below and with w.
func (w *worker) grow(width, depth int) int {
	if depth == 0 {
		if w.one(5) {
			w.small()
		}
		return 1
	}
	sums := make([]int, width)
	var wg sync.WaitGroup
	for i := range width {
		c := w.child(i)
		wg.Go(func() { sums[i] = c.grow(width, depth-1) })
	}
	if w.one(4) {
		runtime.Gosched()
	}
	wg.Wait()
	sum := 1
	for _, n := range sums {
		sum += n
	}
	return sum
}
