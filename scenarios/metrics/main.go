// Metrics reads what runtime/metrics says about the scheduler, and compares.
//
// Shows [V2]: the names under /sched/ tell the truth. The program makes situations whose numbers are known: so many
// goroutines that wait, so many that are runnable because there is one P and main has it, loops on all Ps, a goroutine
// in a system call that holds its vCPU, goroutines that waited for a P for milliseconds; and allocations on all Ps. The runtime's own goroutines
// come and go, so a number is read until it is right, but not for ever; differences are exact.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func wrong(format string, args ...any) {
	fmt.Printf("metrics: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// read returns the metric of that name, which is under /sched/ if it is not a whole one.
func read(name string) metrics.Value {
	if !strings.HasPrefix(name, "/") {
		name = "/sched/" + name
	}
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() == metrics.KindBad {
		wrong("there is no %s", name)
	}
	return s[0].Value
}

// number returns a metric that is one.
func number(name string) int { return int(read(name).Uint64()) }

// is reads a metric until it is want.
func is(name string, want int) {
	got := 0
	for range 5000 {
		if got = number(name); got == want {
			fmt.Printf("metrics: %s is %d\n", name, got)
			return
		}
		time.Sleep(50 * time.Microsecond)
	}
	wrong("%s is %d at last, and never %d", name, got, want)
}

// longer returns how many of a histogram's samples were of least seconds or more.
func longer(name string, least float64) (n uint64) {
	h := read(name).Float64Histogram()
	for i, count := range h.Counts {
		if low := h.Buckets[i]; low >= least || least == 0 && math.IsInf(low, -1) {
			n += count
		}
	}
	return n
}

// crowd is n goroutines that wait, yield or compute until they are told to go.
type crowd struct {
	n    int
	stop atomic.Bool
	gate chan bool
	gone atomic.Int32
}

// newCrowd starts n goroutines that do step until the end.
func newCrowd(n int, step func(c *crowd)) *crowd {
	c := &crowd{n: n, gate: make(chan bool)}
	for range n {
		go func() {
			for !c.stop.Load() {
				step(c)
			}
			c.gone.Add(1)
		}()
	}
	return c
}

// end waits until all have gone.
func (c *crowd) end() {
	c.stop.Store(true)
	close(c.gate)
	for int(c.gone.Load()) < c.n {
		runtime.Gosched()
	}
}

func waits(c *crowd) { <-c.gate }

func yields(*crowd) { runtime.Gosched() }

func computes(*crowd) {
	for range 1000 {
	}
}

const (
	goroutines = "goroutines:goroutines"
	created    = "goroutines-created:goroutines"
	running    = "goroutines/running:goroutines"
	runnable   = "goroutines/runnable:goroutines"
	waiting    = "goroutines/waiting:goroutines"
	notInGo    = "goroutines/not-in-go:goroutines"
	procs      = "gomaxprocs:threads"
	threads    = "threads/total:threads"
	latencies  = "latencies:seconds"
	gcPauses   = "pauses/total/gc:seconds"
	pauses     = "pauses/total/other:seconds"

	mutexWait = "/sync/mutex/wait/total:seconds"
)

// oneP makes situations in which main has the only P.
func oneP() {
	runtime.GOMAXPROCS(1)
	is(procs, 1)
	is(running, 1)

	time.Sleep(20 * time.Millisecond) // the runtime's own have settled
	before, all := number(waiting), number(goroutines)
	c := newCrowd(30, waits)
	is(waiting, before+30)
	is(goroutines, all+30)
	c.end()

	c = newCrowd(50, yields)
	is(runnable, 50)
	is(running, 1)
	c.end()

	was := number(created)
	newCrowd(1000, yields).end()
	if n := number(created) - was; n != 1000 {
		wrong("1000 goroutines were made, and %s grew by %d", created, n)
	}
	fmt.Printf("metrics: %s grew by 1000\n", created)
}

// late has goroutines wait for the only P for five milliseconds. One of eight is
// measured. If main's slice ends before that, and they run, it was not so: a busy host
// takes its CPU away for longer, perhaps each time.
func late() {
	const n = 400
	for range 200 {
		was := longer(latencies, 4e-3)
		runtime.Gosched() // for a slice from its beginning
		var ran atomic.Int32
		for range n {
			go ran.Add(1)
		}
		for begin := time.Now(); time.Since(begin) < 5*time.Millisecond; {
		}
		early := ran.Load()
		for ran.Load() < n {
			runtime.Gosched()
		}
		if early > 0 {
			continue
		}
		grew := longer(latencies, 4e-3) - was
		if grew < n/40 || grew > n {
			wrong("%d goroutines waited for 5 ms, and %s says that %d did", n, latencies, grew)
		}
		fmt.Printf("metrics: %s saw %d of %d goroutines wait\n", latencies, grew, n)
		return
	}
	fmt.Println("metrics: the host never let main have its P for 5 ms")
}

// called has a goroutine in system calls that hold a vCPU, beside the only P.
func called() {
	is(notInGo, 0)
	c := newCrowd(1, func(*crowd) { syscall.Nanosleep(&syscall.Timespec{Nsec: 5_000_000}, nil) })
	is(notInGo, 1)
	c.end()
}

// paused stops the world.
func paused() {
	before, other := longer(gcPauses, 0), longer(pauses, 0)
	for range 5 {
		runtime.GC()
	}
	for range 10 {
		runtime.GOMAXPROCS(3 - runtime.GOMAXPROCS(0))
	}
	gc, rest := longer(gcPauses, 0)-before, longer(pauses, 0)-other
	if gc < 10 || rest < 10 {
		wrong("5 collections and 10 changes of the number of Ps stopped the world %d and %d times", gc, rest)
	}
	fmt.Printf("metrics: 5 collections and 10 other stops of the world were counted\n")
}

// contended has 20 goroutines wait for a mutex, one after another, and looks whether each wait was
// measured: what the runtime counts is at least as long as the wait, which it multiplies by eight.
func contended() {
	if !track(true) {
		return
	}
	defer track(false)
	for i := range 20 {
		was := read(mutexWait).Float64()
		var mu sync.Mutex
		mu.Lock()
		done := make(chan bool)
		go func() {
			mu.Lock()
			mu.Unlock()
			close(done)
		}()
		for all := make([]byte, 64<<10); !strings.Contains(string(all[:runtime.Stack(all, true)]), "[sync.Mutex.Lock"); {
			time.Sleep(50 * time.Microsecond)
		}
		begin := time.Now()
		time.Sleep(time.Millisecond)
		took := time.Since(begin)
		mu.Unlock()
		<-done
		if grew := read(mutexWait).Float64() - was; grew < took.Seconds() {
			wrong("goroutine %d waited %v for a mutex, and %s grew by %v s", i, took, mutexWait, grew)
		}
	}
	fmt.Println("metrics: 20 waits for a mutex were counted")
}

// allocated has each P allocate, and looks whether the runtime counts it all: what an idle P has allocated too.
func allocated() {
	const (
		rounds = 10
		each   = 1000
	)
	procs := runtime.GOMAXPROCS(0)
	kept := make([][each]*[48]byte, procs)
	var before, after runtime.MemStats
	for range rounds {
		runtime.ReadMemStats(&before)
		var wg sync.WaitGroup
		var begun atomic.Int32
		for i := range procs {
			wg.Go(func() {
				for begun.Add(1); begun.Load() < int32(procs); { // so that all Ps are needed
					runtime.Gosched()
				}
				for j := range kept[i] {
					kept[i][j] = new([48]byte)
				}
			})
		}
		wg.Wait()
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n < uint64(procs*each) {
			wrong("%d of %d allocations were counted", n, procs*each)
		}
	}
	fmt.Printf("metrics: %d rounds of allocations on %d Ps were counted\n", rounds, procs)
}

func main() {
	all := runtime.GOMAXPROCS(0)
	oneP()
	late()
	if runtime.NumCPU() > 1 {
		called()
		paused()
	}
	contended()
	runtime.GOMAXPROCS(all)
	is(procs, all)
	allocated()
	c := newCrowd(2*all, computes)
	is(running, all)
	is(runnable, all+1) // the other loops, and main is one more
	c.end()
	fmt.Printf("metrics: %s is %d\n", threads, number(threads))
	fmt.Println("metrics: done")
}
