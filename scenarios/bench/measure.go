package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// An op is an operation that is measured.
type op struct {
	name  string
	unit  string                // "ns/op", "ns" for delays and durations, "bytes"
	n     int                   // operations in a sample
	procs int                   // GOMAXPROCS; 0: as many as there are CPUs
	least int                   // CPUs that it needs
	once  bool                  // one sample only: later ones would use what the first has left
	marks bool                  // every calls mark each time
	every func(n int)           // does it n times; the time of one is what counts
	each  func(n int) []float64 // or: n measurements of its own, whose median counts
	again func()                // for repeat, if it is not every: it does it for ever, and calls mark each time
}

// result measures o, if this machine has CPUs enough. Each sample begins after some
// rounds that warm it up: stacks grow, Gs are made.
func (o op) result() (result, bool) {
	cpus := runtime.NumCPU()
	if cpus < o.least {
		return result{}, false
	}
	procs := o.procs
	if procs == 0 {
		procs = cpus
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	n := max(o.n**scale/100, min(o.n, 10))
	r := result{Op: o.name, Unit: o.unit, CPUs: cpus, Procs: procs, N: n}
	if o.every != nil {
		o.every(max(n/10, 1))
	}
	times := *samples
	if o.each != nil {
		times = *rounds
	}
	if o.once {
		times = 1
	}
	for range times {
		if o.each != nil {
			s := o.each(n)
			if len(s) == 0 {
				return result{}, false // this machine cannot do it
			}
			r.Samples = append(r.Samples, median(s))
			continue
		}
		begin := time.Now()
		o.every(n)
		r.Samples = append(r.Samples, float64(time.Since(begin).Nanoseconds())/float64(n))
	}
	return r, true
}

// median returns the middle one of s, which is put in order.
func median(s []float64) float64 {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
	return s[len(s)/2]
}

// repeat does operation name for ever, and calls mark each perMark times: a profiler counts
// operations by the marks. It returns if there is no such operation.
func repeat(name string) {
	for _, o := range ops {
		if o.name != name || o.every == nil && o.again == nil {
			continue
		}
		if o.procs != 0 {
			runtime.GOMAXPROCS(o.procs)
		}
		n := 1
		if !o.marks && o.every != nil {
			o.every(min(o.n, perMark)) // warm
			begin := time.Now()
			o.every(min(o.n, perMark))
			each := time.Since(begin).Nanoseconds() / int64(min(o.n, perMark))
			n = max(1, min(o.n, perMark, int(markTime/max(each, 1))))
		} else if o.every != nil {
			o.every(o.n)
		}
		fmt.Printf("bench: {\"op\":\"forever\",\"n\":%d}\n", n)
		for {
			if o.again != nil {
				o.again()
			}
			if o.marks {
				o.every(o.n)
				continue
			}
			o.every(n)
			mark()
		}
	}
	fmt.Fprintf(os.Stderr, "bench: there is no operation %q that can be repeated\n", name)
}

// Between two marks at most perMark operations go by, and if one is long about markTime nanoseconds: a profiler's log holds some million
// instructions.
const (
	perMark  = 100
	markTime = 200_000
)

// marks counts calls of mark.
var marks int

// mark is called once for each round of repeat, or by an operation that is long for each time.
//
//go:noinline
func mark() { marks++ }
