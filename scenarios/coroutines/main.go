// Coroutines pulls values out of iterators: iter.Pull switches between two
// goroutines directly, past the run queues. Each puller checks every value. A
// switch that the scheduler did not know of would leave a goroutine running
// twice or not at all [G1, G2, G3].
package main

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"sync"
)

const (
	pullers = 8
	rounds  = 60
)

func main() {
	fmt.Printf("coroutines: on %d Ps\n", runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for id := range pullers {
		wg.Go(func() {
			for r := range rounds {
				pull(id, r)
			}
		})
	}
	wg.Wait()
	nested()
	fmt.Println("coroutines: done")
}

// pull takes values from an iterator until it ends, or stops it halfway, and
// gives way now and then, so that others run between two switches.
func pull(id, round int) {
	const n = 40
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := range n {
			if i%7 == 0 {
				runtime.Gosched()
			}
			if !yield(id + i*round) {
				return
			}
		}
	})
	defer stop()
	limit := n
	if round%3 == 0 {
		limit = n / 2
	}
	for i := range limit {
		v, ok := next()
		check(ok && v == id+i*round, "puller %d, round %d, value %d is %d", id, round, i, v)
		if i%5 == 0 {
			runtime.Gosched()
		}
	}
	if limit == n {
		_, ok := next()
		check(!ok, "puller %d, round %d: a value too many", id, round)
	}
}

// nested pulls from an iterator that pulls from another, and lets a panic come
// through both.
func nested() {
	inner := func(yield func(int) bool) {
		for i := range 10 {
			if !yield(i) {
				return
			}
		}
		panic("the end")
	}
	outer := func(yield func(int) bool) {
		next, stop := iter.Pull(inner)
		defer stop()
		for {
			v, ok := next()
			if !ok || !yield(v*v) {
				return
			}
		}
	}
	next, stop := iter.Pull(outer)
	defer stop()
	defer func() {
		r := recover()
		check(r == "the end", "the panic came as %v", r)
	}()
	for i := range 11 {
		v, _ := next()
		check(v == i*i, "value %d is %d", i, v)
	}
}

// check ends the program if ok is false.
func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("coroutines: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}
