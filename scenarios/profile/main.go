// Profile starts and stops the CPU profiler again and again, while other goroutines work.
//
// Shows [G4]: the goroutine that reads the profiler's buffer waits on a note of the runtime's, and stopping the profiler wakes it,
// whichever goroutine has the vCPU. The proof: StopCPUProfile returns only when that goroutine has written everything, so a lost
// wake-up is a deadlock or a hang, and each profile must be whole: gzip data with its checksum, and not empty.
//
// With the argument "load" it does a known work under the profiler and prints the profile, in base64: three parts computed with the
// label part=large, one with part=small, a part in system calls, and time asleep.
//
// With the argument "collections" it profiles, 5,000 times a second, a collector that must stop goroutines which never call: it waits for
// them by system calls without a frame of their own. A sample that strikes next to such a call is taken apart like any other.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
)

// round makes one profile, which lasts for as long as work does.
func round(i int, work func()) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		fmt.Printf("profile: wrong: round %d: %v\n", i, err)
		os.Exit(1)
	}
	work()
	pprof.StopCPUProfile()
	z, err := gzip.NewReader(&b)
	if err == nil {
		var data []byte
		if data, err = io.ReadAll(z); err == nil && len(data) == 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		fmt.Printf("profile: wrong: round %d is not a profile: %v\n", i, err)
		os.Exit(1)
	}
}

// compute is a load of n turns.
//
//go:noinline
func compute(n int) (x int) {
	for i := range n {
		x += i*i ^ x
	}
	return x
}

// call is a load in the kernel.
func call(zero *os.File, buf []byte) {
	if _, err := zero.Read(buf); err != nil {
		fmt.Printf("profile: wrong: %v\n", err)
		os.Exit(1)
	}
}

// load prints a profile of a known load, and how long that was busy.
func load() {
	const turns = 300_000
	zero, err := os.Open("/dev/zero")
	if err != nil {
		fmt.Printf("profile: wrong: %v\n", err)
		os.Exit(1)
	}
	buf := make([]byte, 1<<20)
	ctx := context.Background()
	var b bytes.Buffer
	busy := time.Duration(0)
	if err := pprof.StartCPUProfile(&b); err != nil {
		fmt.Printf("profile: wrong: %v\n", err)
		os.Exit(1)
	}
	for range 50 {
		begin := time.Now()
		pprof.Do(ctx, pprof.Labels("part", "large"), func(context.Context) { compute(3 * turns) })
		pprof.Do(ctx, pprof.Labels("part", "small"), func(context.Context) { compute(turns) })
		for range 3 {
			call(zero, buf)
		}
		busy += time.Since(begin)
		time.Sleep(10 * time.Millisecond)
	}
	pprof.StopCPUProfile()
	fmt.Println("profile: busy for", busy.Milliseconds(), "ms")
	fmt.Println("profile: data", base64.StdEncoding.EncodeToString(b.Bytes()))
}

// collections collects under the profiler, beside loops without calls.
func collections() {
	const rounds, rate = 60, 5000
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for !stop.Load() {
			}
		})
	}
	runtime.SetCPUProfileRate(rate) // before StartCPUProfile, which keeps it
	round(0, func() {
		for range rounds {
			runtime.GC()
		}
	})
	stop.Store(true)
	wg.Wait()
	fmt.Println("profile: done")
}

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "load":
			load()
		case "collections":
			collections()
		default:
			fmt.Println("profile: wrong: no part is called", os.Args[1])
			os.Exit(2)
		}
		return
	}
	round(0, func() {})
	round(1, func() { time.Sleep(300 * time.Millisecond) }) // the reader sleeps when it is stopped
	fmt.Println("profile: stopped with nothing else awake")

	const rounds = 8
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for n := 0; !stop.Load(); n++ {
				if n%1000 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	for i := range rounds {
		round(2+i, func() { time.Sleep(time.Duration(i) * 10 * time.Millisecond) })
	}
	stop.Store(true)
	wg.Wait()
	fmt.Printf("profile: %d profiles beside loops\n", rounds)
	fmt.Println("profile: done")
}
