package main

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
)

// Blocks that leave functions in other ways than by their end, or make and call functions in
// unusual ways.
func init() {
	register(map[string]block{
		"panics":  {most: []int{20, 30}, subs: 1, repeat: true, make: panics},
		"faults":  {most: []int{20}, subs: 1, repeat: true, make: faults},
		"goexit":  {most: []int{30}, subs: 1, repeat: true, make: goexit},
		"defers":  {most: []int{30}, subs: 1, make: defers},
		"pull":    {most: []int{40}, subs: 1, repeat: true, make: pull},
		"pulls":   {most: []int{20, 5}, subs: 2, repeat: true, make: pulls},
		"reflect": {most: []int{5}, subs: 1, make: reflected},
		"twice":   {most: []int{1}, subs: 1, make: twice},
		"below":   {most: []int{200}, subs: 1, make: below},
	})
}

// caught calls f and returns what it panicked with.
func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// panics panics through frames with deferred calls that recover and panic anew.
func panics(n []int, f []fn) fn {
	var fall func(x uint64, depth int)
	fall = func(x uint64, depth int) {
		if depth == 0 {
			panic(x)
		}
		defer func() {
			if depth%4 == 0 {
				panic(recover().(uint64) + 1)
			}
		}()
		fall(x, depth-1)
	}
	return func(x uint64) uint64 {
		var s sum
		each(n[0], 4, func(i int) {
			v := f[0](x + uint64(i))
			if got := caught(func() { fall(v, n[1]) }); got != v+uint64(n[1]/4) {
				wrong("panics: %v was caught", got)
			}
			s.add(v)
		})
		return s.Load()
	}
}

// faults makes mistakes.
func faults(n []int, f []fn) fn {
	type box struct {
		_ [100]uint64
		v uint64
	}
	var none *box
	var nobody map[int]int
	var what any = "text"
	mistakes := []func(i int){
		func(int) { none.v++ },
		func(i int) { _ = make([]int, 3)[i+3] },
		func(i int) { _ = 1 / (i - i) },
		func(i int) { nobody[i] = 1 },
		func(int) { _ = what.(int) },
		func(i int) { _ = make([]int, -1-i) },
		func(int) { close(chan int(nil)) },
		func(int) { c := make(chan int); close(c); c <- 1 },
	}
	return func(x uint64) uint64 {
		var s sum
		each(n[0], 3, func(i int) {
			v := f[0](x + uint64(i))
			err, ok := caught(func() { mistakes[i%len(mistakes)](i) }).(runtime.Error)
			if !ok {
				wrong("faults: mistake %d passed", i%len(mistakes))
				return
			}
			s.add(v + uint64(len(err.Error())))
		})
		return s.Load()
	}
}

// goexit ends goroutines from within, some while they panic.
func goexit(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		c := make(chan uint64)
		for i := range n[0] {
			go func() {
				var v uint64
				defer func() {
					if r := recover(); r != nil {
						wrong("goexit: recovered %v", r)
					}
					c <- v
				}()
				defer func() {
					if i%3 == 0 {
						defer func() { recover() }()
						panic("while leaving")
					}
				}()
				v = f[0](x + uint64(i))
				func() {
					defer func() { v++ }()
					runtime.Goexit()
				}()
				v = 0
			}()
		}
		var s sum
		for range n[0] {
			s.add(<-c)
		}
		return s.Load()
	}
}

// defers calls f from a deferred call of a function with many.
func defers(n []int, f []fn) fn {
	return func(x uint64) (r uint64) {
		for i := range n[0] {
			defer func() { r = mix(r + uint64(i)) }()
		}
		defer func() { r += f[0](x) }()
		return x
	}
}

// values yields f of successive numbers.
func values(n int, x uint64, f fn) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range n {
			if !yield(f(x + uint64(i))) {
				return
			}
		}
	}
}

// pull draws from an iterator, and leaves it before its end every other time.
func pull(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		next, stop := iter.Pull(values(n[0], x, f[0]))
		defer stop()
		r := x
		for {
			v, ok := next()
			if !ok {
				return r
			}
			r = r*31 + v
			if v%8 == 0 {
				return r
			}
		}
	}
}

// pulls draws in turn from several iterators, each of which draws from another, and from a
// goroutine other than the one that began.
func pulls(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		inner := func(x uint64) iter.Seq[uint64] {
			return func(yield func(uint64) bool) {
				next, stop := iter.Pull(values(n[0], x, f[0]))
				defer stop()
				for v, ok := next(); ok && yield(f[1](v)); v, ok = next() {
				}
			}
		}
		r := x
		for k := range n[1] {
			next, stop := iter.Pull(inner(x + uint64(k)))
			c := make(chan uint64)
			for range 2 {
				go func() { v, _ := next(); c <- v }()
				r = r*31 + <-c
			}
			stop()
			if _, ok := next(); ok {
				wrong("pulls: a value after stop")
			}
		}
		return r
	}
}

// reflected calls f by a function that reflection made.
func reflected(n []int, f []fn) fn {
	g := f[0]
	for range n[0] {
		inner := g
		g = reflect.MakeFunc(reflect.TypeFor[fn](), func(in []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(inner(in[0].Uint()))}
		}).Interface().(fn)
	}
	return g
}

// twice calls f on two goroutines at once: the same number has the same result.
func twice(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		c := make(chan uint64)
		go func() { c <- f[0](x) }()
		a := f[0](x)
		if b := <-c; a != b {
			wrong("twice: %x and %x", a, b)
		}
		return a
	}
}

// below calls f at the end of a deep stack, which moves, and whose frames it changes.
func below(n []int, f []fn) fn {
	var down func(x uint64, depth int, up *uint64) error
	down = func(x uint64, depth int, up *uint64) error {
		var pad [20]uint64
		pad[x%20] = x
		if depth == 0 {
			*up += f[0](x)
			return errors.New("bottom")
		}
		here := uint64(0)
		err := down(x, depth-1, &here)
		if pad[x%20] != x {
			wrong("below: a frame changed")
		}
		*up += here
		if depth%50 == 0 {
			err = fmt.Errorf("%d: %w", depth, err)
		}
		return err
	}
	return func(x uint64) uint64 {
		var r uint64
		err := down(x, n[0], &r)
		return r + uint64(len(err.Error()))
	}
}
