// Turns waits in every way a program can, for something that only another vCPU does.
//
// Shows [U2, U5] and [A2] where QEMU's vCPUs take turns, as under -icount: a vCPU that waits without giving up its turn,
// or that is interrupted again before it has executed anything, starves another for ever (docs/turns.md). Each step
// waits for a goroutine that computes or sleeps, and a step that cannot pass does not end: the run's limit is the check.
// With the argument PERCENT, for runs whose time is counted instructions, a goroutine that computes beside others that
// wait politely may take up to PERCENT of the time that it takes alone.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// waits are the ways to wait for done.
var waits = []struct {
	name   string
	polite bool // others go first
	wait   func(done *atomic.Bool)
}{
	{"runtime.Gosched", true, func(done *atomic.Bool) {
		for !done.Load() {
			runtime.Gosched()
		}
	}},
	{"sched_yield", true, func(done *atomic.Bool) {
		for !done.Load() {
			syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
		}
	}},
	{"nanosleep", true, func(done *atomic.Bool) {
		for !done.Load() {
			syscall.Nanosleep(&syscall.Timespec{Nsec: 30_000}, nil)
		}
	}},
	{"an endless loop", false, func(done *atomic.Bool) {
		for !done.Load() {
		}
	}},
}

// compute takes some 10 ms on a vCPU of its own.
func compute() (sum uint64) {
	for i := range uint64(2_000_000) {
		sum += i * i
	}
	return sum
}

func main() {
	procs := runtime.GOMAXPROCS(0)
	percent := 0
	if len(os.Args) > 1 {
		percent, _ = strconv.Atoi(os.Args[1])
	}
	begin := time.Now()
	want := compute()
	alone := time.Since(begin)
	for _, w := range waits {
		// One vCPU is left for the goroutine that computes: those that wait in system calls are not
		// preempted.
		var done atomic.Bool
		sums := make(chan uint64)
		begin := time.Now()
		go func() {
			sum := compute()
			done.Store(true)
			sums <- sum
		}()
		for range procs - 2 {
			go w.wait(&done)
		}
		w.wait(&done)
		if got := <-sums; got != want {
			fmt.Printf("turns: wrong: the sum is %d, not %d\n", got, want)
			os.Exit(1)
		}
		took := time.Since(begin)
		if w.polite && percent > 0 && took > alone*time.Duration(percent)/100 {
			fmt.Printf("turns: wrong: beside %s somebody computed for %v, and alone for %v\n", w.name, took, alone)
			os.Exit(1)
		}
		fmt.Printf("turns: %s: somebody else computed for %v, alone for %v\n", w.name, took, alone)
	}

	// Loops on every vCPU, and a sleeper that has to be let in.
	var rung atomic.Bool
	for range procs {
		go func() {
			for !rung.Load() {
			}
		}()
	}
	begin = time.Now()
	go func() {
		time.Sleep(time.Millisecond)
		rung.Store(true)
	}()
	for !rung.Load() {
	}
	fmt.Printf("turns: a sleeper among %d loops: after %v\n", procs+1, time.Since(begin))
	fmt.Println("turns: done")
}
