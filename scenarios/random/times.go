package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Blocks that wait for the clock: the machine decides how long, but not in which order the results
// come, and nothing comes early.
func init() {
	register(map[string]block{
		"sleep":    {most: []int{1000}, subs: 1, rare: 100, make: sleep},
		"after":    {most: []int{40, 500}, subs: 1, repeat: true, make: after},
		"timers":   {most: []int{60, 300}, subs: 1, rare: 30, make: timers},
		"ticker":   {most: []int{6, 300}, subs: 1, rare: 20, make: ticker},
		"timeout":  {most: []int{20, 300}, subs: 1, repeat: true, make: timeout},
		"short":    {most: []int{40, 20}, subs: 1, rare: 20, make: short},
		"contexts": {most: []int{4, 400}, subs: 1, rare: 20, make: contexts},
		"deadline": {most: []int{10, 400}, subs: 1, repeat: true, make: deadline},
	})
}

// us is n microseconds.
func us(n int) time.Duration { return time.Duration(n) * time.Microsecond }

// sleep sleeps, and asks whether it was long enough.
func sleep(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		begin := time.Now()
		time.Sleep(us(n[0]))
		if d := time.Since(begin); d < us(n[0]) {
			wrong("sleep: woke after %v of %v", d, us(n[0]))
		}
		return f[0](x)
	}
}

// after has timers call functions.
func after(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var s sum
		var wg sync.WaitGroup
		wg.Add(n[0])
		for i := range n[0] {
			time.AfterFunc(us(int(mix(x+uint64(i))%uint64(n[1]))), func() {
				defer wg.Done()
				s.add(f[0](x + uint64(i)))
			})
		}
		wg.Wait()
		return s.Load()
	}
}

// timers stops and resets timers while they fire: each fires, or is stopped.
func timers(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var fired, stopped atomic.Int64
		c := make(chan uint64)
		go func() { c <- f[0](x) }()
		each(n[0], 5, func(i int) {
			d := us(int(mix(x+uint64(i)) % uint64(n[1])))
			t := time.AfterFunc(d, func() { fired.Add(1) })
			if i%3 == 0 {
				time.Sleep(d)
			}
			if i%2 == 0 && t.Reset(d/2) == false {
				fired.Add(-1) // it had fired already, and will again
			}
			if t.Stop() {
				stopped.Add(1)
			}
		})
		r := <-c
		for fired.Load()+stopped.Load() < int64(n[0]) {
			time.Sleep(us(n[1]))
		}
		return r + uint64(fired.Load()+stopped.Load())
	}
}

// ticker counts ticks beside work, resets it in the middle, and hears nothing after Stop.
func ticker(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		t := time.NewTicker(us(50 + n[1]))
		done := make(chan uint64)
		go func() { done <- f[0](x) }()
		var r uint64
		wait := done
		for ticks := 0; ticks < n[0] || wait != nil; {
			select {
			case <-t.C:
				if ticks++; ticks == 2 {
					t.Reset(us(100 + n[1]/2))
				}
			case r = <-wait:
				wait = nil
			}
		}
		t.Stop()
		select {
		case <-t.C:
			wrong("ticker: a tick after Stop")
		default:
		}
		return r
	}
}

// timeout waits for work again and again, and has no patience.
func timeout(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		r := x
		for i := range n[0] {
			c := make(chan uint64, 1)
			go func() { c <- f[0](x + uint64(i)) }()
			for got := false; !got; {
				select {
				case v := <-c:
					r, got = r*31+v, true
				case <-time.After(us(n[1])):
				}
			}
		}
		return r
	}
}

// short waits for timers that are due at once, beside work.
func short(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		c := make(chan uint64, 1)
		go func() { c <- f[0](x) }()
		for range n[0] {
			<-time.After(us(n[1]) / 10)
		}
		return <-c
	}
}

// contexts makes a tree of them, and cancels its root.
func contexts(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		why := errors.New("why")
		root, cancel := context.WithCancelCause(context.WithValue(context.Background(), &x, x))
		var s sum
		var wg, afters sync.WaitGroup
		stops := []context.CancelFunc{func() {}}
		var grow func(c context.Context, depth int, x uint64)
		grow = func(c context.Context, depth int, v uint64) {
			for i := range uint64(2) {
				v = mix(v + i)
				child, stop := c, stops[0]
				switch v % 4 {
				case 0:
					child, stop = context.WithCancel(c)
				case 1:
					child, stop = context.WithTimeout(c, time.Hour)
				case 2:
					child = context.WithValue(c, i, depth)
				case 3:
					afters.Add(1)
					context.AfterFunc(c, func() { defer afters.Done(); s.add(v) })
				}
				stops = append(stops, stop)
				if depth > 0 {
					grow(child, depth-1, v)
				}
				wg.Go(func() {
					<-child.Done()
					if context.Cause(child) != why || child.Err() != context.Canceled || child.Value(&x) != x {
						wrong("contexts: %v because of %v", child.Err(), context.Cause(child))
					}
					s.add(v)
				})
			}
		}
		grow(root, n[0], x)
		time.AfterFunc(us(n[1]), func() { cancel(why) })
		r := f[0](x)
		wg.Wait()
		afters.Wait()
		for _, stop := range stops {
			stop()
		}
		return r + s.Load()
	}
}

// deadline lets contexts run out beside work.
func deadline(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		r := x
		for i := range n[0] {
			d := us(int(mix(x+uint64(i)) % uint64(n[1])))
			begin := time.Now()
			c, cancel := context.WithTimeout(context.Background(), d)
			r = r*31 + f[0](x+uint64(i))
			<-c.Done()
			if c.Err() != context.DeadlineExceeded || time.Since(begin) < d {
				wrong("deadline: %v after %v of %v", c.Err(), time.Since(begin), d)
			}
			cancel()
		}
		return r
	}
}
