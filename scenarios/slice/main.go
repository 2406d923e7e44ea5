// Slice measures how long a ready goroutine waits while endless loops hold every P.
//
// Shows [S2] (a goroutine that has run for a slice of 10 ms is preempted), [A2] (by the timer interrupt, wherever its code is),
// [A1] (or at its next call), [A3] (or as soon as it is at a safe point) and [U5]. There are twice as many loops as Ps, and
// none ever ends. Beside them main becomes ready in three ways, again and again: by a timer, by giving way, and as a new
// goroutine on a P whose goroutine does not leave. It prints how long each took, in microseconds of the guest; with the
// argument LIMIT a median above that is an error, for runs whose time is counted instructions.
//
// The first argument says what is in the loops: "nothing", "calls" of functions, each with a stack check, or "assembly", which
// cannot be preempted. With "alone" there are none: main computes for half a second, and only its tick should disturb its vCPU
// [A5]: expect.toml counts the ticks.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

const samples = 11

func wrong(format string, args ...any) {
	fmt.Printf("slice: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// turns counts those of one loop, on a cache line of its own.
type turns struct {
	n     atomic.Uint64
	bytes []byte
	_     [32]byte
}

var loops = map[string]func(*turns){
	"nothing": func(t *turns) {
		for {
			t.n.Add(1)
		}
	},
	"calls": func(t *turns) {
		for {
			work(t, 20)
		}
	},
	"assembly": func(t *turns) {
		b := t.bytes
		for i := 0; ; i++ {
			b[i%len(b)] = 1
			if got := bytes.Count(b, []byte{1}); got != min(i+1, len(b)) {
				wrong("%d bytes were counted, not %d", got, i+1)
			}
			t.n.Add(1)
		}
	},
}

// work calls itself: every call begins with a look at the stack's guard.
//
//go:noinline
func work(t *turns, n int) {
	t.n.Add(1)
	if n > 0 {
		work(t, n-1)
	}
}

// by is a way to be made ready, and how long it was until it ran.
type by struct {
	name string
	wait func() time.Duration
}

var ways = []by{
	{"a timer", func() time.Duration {
		const nap = time.Millisecond
		begin := time.Now()
		time.Sleep(nap)
		return time.Since(begin) - nap
	}},
	{"giving way", func() time.Duration {
		begin := time.Now()
		runtime.Gosched()
		return time.Since(begin)
	}},
	{"beginning", func() time.Duration {
		var ran atomic.Int64
		begin := time.Now()
		go func() { ran.Store(int64(time.Since(begin)) + 1) }()
		for wait := new(turns); ran.Load() == 0; {
			work(wait, 0) // a call, for those that are left at calls only
		}
		return time.Duration(ran.Load())
	}},
}

// alone computes for half a second, as the only goroutine that wants a CPU.
func alone() {
	n := 0
	for begin := time.Now(); time.Since(begin) < time.Second/2; n++ {
	}
	fmt.Printf("slice: alone for half a second, %d turns\n", n)
}

func main() {
	kind, limit := "nothing", 0
	if len(os.Args) > 1 {
		kind = os.Args[1]
	}
	if len(os.Args) > 2 {
		limit, _ = strconv.Atoi(os.Args[2])
	}
	if kind == "alone" {
		alone()
		fmt.Println("slice: done")
		return
	}
	loop := loops[kind]
	if loop == nil {
		wrong("no loop of %q", kind)
	}
	procs := runtime.GOMAXPROCS(0)
	all := make([]turns, 2*procs)
	for i := range all {
		// Made here: beside such loops those that begin a collection wait for one another.
		all[i].bytes = make([]byte, 512<<10)
	}
	for i := range all {
		go loop(&all[i])
	}
	fmt.Printf("slice: %d endless loops of %s on %d Ps\n", len(all), kind, procs)
	for _, w := range ways {
		var took [samples]int64
		for i := range took {
			took[i] = w.wait().Microseconds()
		}
		slices.Sort(took[:])
		median := took[samples/2]
		fmt.Printf("slice: ready by %s, runs after %d us (least) %d us (median) %d us (most)\n", w.name, took[0], median, took[samples-1])
		if limit > 0 && median > int64(limit) {
			wrong("after %s the median is %d us, and may be %d", w.name, median, limit)
		}
	}
	for i := range all {
		if all[i].n.Load() == 0 {
			wrong("loop %d never ran", i)
		}
	}
	fmt.Println("slice: done")
}
