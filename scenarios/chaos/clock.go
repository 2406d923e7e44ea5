package main

import (
	"context"
	"sync/atomic"
	"time"
)

// duration is a random one, up to a limit, and more often a short one.
func (w *worker) duration(limit time.Duration) time.Duration {
	return time.Duration(w.rnd.Int64N(int64(limit)) >> w.rnd.IntN(8))
}

// sleep sleeps, and does not wake early.
func (w *worker) sleep() {
	d := w.duration(1500 * time.Microsecond)
	begin := time.Now()
	time.Sleep(d)
	took := time.Since(begin)
	w.must(took >= d, "a sleep of %v took %v", d, took)
}

// timer starts a timer that calls a function, stops it or not, and starts it again or
// not: a timer that was stopped in time does not fire, any other fires once.
func (w *worker) timer() {
	var fired atomic.Int32
	done := make(chan time.Time, 2)
	begin, d := time.Now(), w.duration(time.Millisecond)
	t := time.AfterFunc(d, func() {
		fired.Add(1)
		done <- time.Now()
	})
	w.small()
	if w.one(2) && t.Stop() {
		w.must(fired.Load() == 0, "a timer that was stopped in time has fired")
		if w.one(2) {
			return
		}
		begin, d = time.Now(), w.duration(time.Millisecond)
		w.must(!t.Reset(d), "a timer that was stopped was running")
	}
	at := <-done
	w.must(at.Sub(begin) >= d, "a timer of %v fired after %v", d, at.Sub(begin))
	w.must(fired.Load() == 1 && !t.Stop(), "a timer fired %d times", fired.Load())

	c := time.NewTimer(w.duration(time.Millisecond))
	if w.one(2) {
		w.small()
		c.Stop()
		select {
		case <-c.C:
			w.must(false, "a timer that was stopped is received from")
		default:
		}
		c.Reset(w.duration(time.Millisecond))
	}
	<-c.C
}

// ticker receives ticks and checks that none is early.
func (w *worker) ticker() {
	d := time.Duration(w.some(400)) * time.Microsecond
	begin := time.Now()
	t := time.NewTicker(d)
	defer t.Stop()
	for i := range w.some(6) {
		<-t.C
		took := time.Since(begin)
		w.must(took >= time.Duration(i+1)*d, "tick %d of %v came after %v", i+1, d, took)
		if w.one(2) {
			w.small()
		}
	}
}

// deadline waits for the end of a context, which its deadline brings, or another
// goroutine before that.
func (w *worker) deadline() {
	d := w.duration(time.Millisecond)
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	inner, stop := context.WithCancel(ctx)
	defer stop()
	cancels := w.one(2)
	c := w.child(0)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if cancels {
			c.small()
			cancel()
		}
	}()
	<-inner.Done()
	took := time.Since(begin)
	w.must(cancels || ctx.Err() == context.DeadlineExceeded, "a context nobody cancels ended with %v", ctx.Err())
	w.must(ctx.Err() != context.DeadlineExceeded || took >= d, "a deadline of %v came after %v", d, took)
	<-ended
}
