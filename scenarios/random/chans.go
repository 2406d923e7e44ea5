package main

import (
	"reflect"
	"sync"
)

// Blocks that use channels.
func init() {
	register(map[string]block{
		"pool":     {most: []int{200, 12}, subs: 1, repeat: true, make: pool},
		"pipeline": {most: []int{40, 5}, subs: 2, repeat: true, make: pipeline},
		"ordered":  {most: []int{60, 8}, subs: 1, repeat: true, make: ordered},
		"fanin":    {most: []int{30, 6}, subs: 2, repeat: true, make: fanin},
		"ring":     {most: []int{4, 60}, subs: 1, repeat: true, make: ring},
		"divide":   {most: []int{64}, subs: 1, repeat: true, make: divide},
		"close":    {most: []int{20}, subs: 1, repeat: true, make: closed},
		"anychan":  {most: []int{10, 9}, subs: 1, repeat: true, make: anychan},
		"pingpong": {most: []int{40}, subs: 2, repeat: true, make: pingpong},
		"swap":     {most: []int{30}, subs: 1, repeat: true, make: swap},
	})
}

// pool has workers take jobs.
func pool(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		jobs := make(chan uint64, n[1]/2)
		var wg sync.WaitGroup
		var s sum
		for range n[1] {
			wg.Go(func() {
				for j := range jobs {
					s.add(f[0](j))
				}
			})
		}
		for i := range n[0] {
			jobs <- x + uint64(i)
		}
		close(jobs)
		wg.Wait()
		return s.Load()
	}
}

// pipeline sends values through stages that keep their order.
func pipeline(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		in := make(chan uint64)
		out := in
		for i := range n[1] {
			from, to := out, make(chan uint64, i%3)
			g := f[1]
			if i > 0 {
				g = mix
			}
			go func() {
				defer close(to)
				for v := range from {
					to <- mix(g(v))
				}
			}()
			out = to
		}
		go func() {
			defer close(in)
			for i := range n[0] {
				in <- f[0](x + uint64(i))
			}
		}()
		r := x
		for v := range out {
			r = r*31 + v
		}
		return r
	}
}

// ordered starts work in order, at most so much at a time, and takes results in order.
func ordered(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		slots := make(chan chan uint64, n[1])
		go func() {
			defer close(slots)
			room := make(chan bool, n[1])
			for i := range n[0] {
				slot := make(chan uint64, 1)
				room <- true
				go func() { slot <- f[0](x + uint64(i)); <-room }()
				slots <- slot
			}
		}()
		r := x
		for slot := range slots {
			r = r*1099511628211 + <-slot
		}
		return r
	}
}

// fanin selects among two senders until both have ended; some sends are selects too.
func fanin(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		a, b, never := make(chan uint64), make(chan uint64, n[1]), make(chan uint64)
		go func() {
			defer close(a)
			for i := range n[0] {
				v := f[0](x + uint64(i))
				select {
				case a <- v:
				case <-never:
				}
			}
		}()
		go func() {
			defer close(b)
			for i := range n[0] {
				v := f[1](x ^ uint64(i))
				select {
				case b <- v:
				default:
					b <- v
				}
			}
		}()
		var ra, rb uint64
		for a, b := a, b; a != nil || b != nil; {
			select {
			case v, ok := <-a:
				if ra = ra*31 + v; !ok {
					ra, a = ra/31, nil
				}
			case v, ok := <-b:
				if !ok {
					b = nil
					continue
				}
				rb = rb*31 + v
			}
		}
		return ra ^ mix(rb)
	}
}

// ring passes a token round goroutines.
func ring(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		first := make(chan uint64)
		last := first
		for range n[1] {
			from, to := last, make(chan uint64)
			go func() {
				for v := range from {
					to <- v + 1
				}
				close(to)
			}()
			last = to
		}
		v := x
		for range n[0] {
			first <- f[0](v)
			v = <-last
		}
		close(first)
		if _, ok := <-last; ok {
			wrong("ring: a token too many")
		}
		return v
	}
}

// divide halves its work until there is one piece.
func divide(n []int, f []fn) fn {
	var half func(x uint64, n int) uint64
	half = func(x uint64, n int) uint64 {
		if n == 1 {
			return f[0](x)
		}
		c := make(chan uint64)
		go func() { c <- half(x, n/2) }()
		r := half(x+uint64(n/2), n-n/2)
		return r*3 + <-c
	}
	return func(x uint64) uint64 { return half(x, n[0]) }
}

// closed makes all goroutines wait for a channel that is closed.
func closed(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		gate := make(chan struct{})
		var s sum
		var wg sync.WaitGroup
		for i := range n[0] {
			wg.Go(func() {
				select {
				case <-gate:
				case <-(chan bool)(nil):
				}
				s.add(f[0](x + uint64(i)))
			})
		}
		close(gate)
		wg.Wait()
		return s.Load()
	}
}

// anychan selects among as many channels as its second number says.
func anychan(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var cases []reflect.SelectCase
		for i := range n[1] {
			c := make(chan uint64, i%2)
			go func() {
				for j := i; j < n[0]; j += n[1] {
					c <- f[0](x + uint64(j))
				}
				close(c)
			}()
			cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)})
		}
		var s sum
		for open := len(cases); open > 0; {
			i, v, ok := reflect.Select(cases)
			if !ok {
				cases[i].Chan = reflect.Value{}
				open--
				continue
			}
			s.add(v.Uint())
		}
		return s.Load()
	}
}

// pingpong has two goroutines answer each other.
func pingpong(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		a, b := make(chan uint64), make(chan uint64)
		go func() {
			for v := range a {
				b <- f[0](v)
			}
			close(b)
		}()
		for range n[0] {
			a <- x
			x = f[1](<-b)
		}
		close(a)
		<-b
		return x
	}
}

// swap sends and receives in one select, from both sides.
func swap(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		there, back := make(chan uint64), make(chan uint64)
		side := func(out chan<- uint64, in <-chan uint64, x uint64) (r uint64) {
			for i := range n[0] {
				sent, got := out, in
				v := x + uint64(i)
				for sent != nil || got != nil {
					select {
					case sent <- v:
						sent = nil
					case w := <-got:
						r, got = r*31+f[0](w), nil
					}
				}
			}
			return r
		}
		c := make(chan uint64)
		go func() { c <- side(there, back, x) }()
		r := side(back, there, ^x)
		return r ^ mix(<-c)
	}
}
