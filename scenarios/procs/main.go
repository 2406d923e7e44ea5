// Procs changes the number of Ps a thousand times while everything goes on.
//
// Shows [U7] (GOMAXPROCS(n) stops the world and resizes, GOMAXPROCS(0) reads), [P4] (the world stands still in between) and
// [P5] (a removed P gives away the Gs in its queues). The load is goroutines that yield, so that the queues of removed Ps are
// full, goroutines that talk over channels, that sleep, that compute, that hold a CPU in system calls, and that are tied to
// their threads. The proof: each counts its steps, and all of them must be there at the end; a goroutine left in the queue of a
// removed P would never end, nor would the program.
//
// The duration of a change is printed, in microseconds of the guest. With the argument LIMIT, in microseconds, a change that
// takes longer is an error: for runs whose time is counted instructions. In these no system calls hold a vCPU, because waiting
// for the clock takes long where others have their turns first.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	changes  = 1000
	yielders = 20                 // for each vCPU
	looped   = 0xee3f12fbaca7914a // what a loop gives
)

func wrong(format string, args ...any) {
	fmt.Printf("procs: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// load is the work in the background. Each of its goroutines goes on until stop is closed, and then
// accounts for its steps.
type load struct {
	stop chan bool
	wg   sync.WaitGroup

	yields, messages, sleeps, calls, visits, loops atomic.Int64
}

// until runs step again and again in a goroutine.
func (l *load) until(n *atomic.Int64, step func()) {
	l.wg.Go(func() {
		for {
			select {
			case <-l.stop:
				return
			default:
				step()
				n.Add(1)
			}
		}
	})
}

// pair is two goroutines that exchange numbers: none is lost, none comes twice.
func (l *load) pair() {
	there, back := make(chan int), make(chan int)
	l.wg.Go(func() {
		for v := range there {
			back <- v + 1
		}
	})
	l.wg.Go(func() {
		defer close(there)
		for i := 0; ; i++ {
			select {
			case <-l.stop:
				return
			case there <- i:
			}
			if v := <-back; v != i+1 {
				wrong("%d came back as %d", i, v)
			}
			l.messages.Add(1)
			runtime.Gosched() // two that talk share a slice, and all others wait
		}
	})
}

// sleeper sleeps, and never wakes early.
func (l *load) sleeper(d time.Duration) {
	l.until(&l.sleeps, func() {
		begin := time.Now()
		time.Sleep(d)
		if took := time.Since(begin); took < d {
			wrong("a sleep of %v took %v", d, took)
		}
	})
}

// caller holds its CPU in system calls.
func (l *load) caller() {
	l.until(&l.calls, func() {
		syscall.Nanosleep(&syscall.Timespec{Nsec: 40_000}, nil)
		runtime.Gosched()
	})
}

// looper computes for a while without calls: to stop it takes an interrupt.
func (l *load) looper() {
	l.until(&l.loops, func() {
		x := uint64(1)
		for range 20_000 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		if x != looped {
			wrong("a loop gave %#x", x)
		}
		runtime.Gosched()
	})
}

// tied is a goroutine on a thread of its own, which others ask to do something there.
func (l *load) tied() {
	ask := make(chan chan int)
	l.wg.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		t := syscall.Gettid()
		for answer := range ask {
			if now := syscall.Gettid(); now != t {
				wrong("tied to thread %d, and on %d", t, now)
			}
			answer <- t
		}
	})
	l.wg.Go(func() {
		defer close(ask)
		answer := make(chan int)
		for {
			select {
			case <-l.stop:
				return
			case ask <- answer:
				<-answer
				l.visits.Add(1)
				runtime.Gosched()
			}
		}
	})
}

// change sets the number of Ps to n, which was was, and returns how long that took.
func change(was, n int) time.Duration {
	begin := time.Now()
	got := runtime.GOMAXPROCS(n)
	took := time.Since(begin)
	if got != was {
		wrong("there were %d Ps, and %d before they were changed", was, got)
	}
	if now := runtime.GOMAXPROCS(0); now != n {
		wrong("%d Ps were asked for, and %d are there", n, now)
	}
	return took
}

func main() {
	limit := 0
	if len(os.Args) > 1 {
		limit, _ = strconv.Atoi(os.Args[1])
	}
	cpus, before := runtime.NumCPU(), runtime.NumGoroutine()
	l := &load{stop: make(chan bool)}
	for range yielders * cpus {
		l.until(&l.yields, runtime.Gosched)
	}
	for i := range cpus {
		l.pair()
		l.sleeper(time.Duration(100+50*i) * time.Microsecond)
	}
	goes := []*atomic.Int64{&l.yields, &l.messages, &l.sleeps, &l.visits, &l.loops}
	if limit == 0 {
		l.caller()
		goes = append(goes, &l.calls)
	}
	l.looper()
	l.tied()
	l.tied()

	was, sum := runtime.GOMAXPROCS(0), 0
	took := make([]time.Duration, changes)
	seen := make([]bool, cpus+1)
	for i := range took {
		n := 1 + (i*i/3+i)%cpus
		switch {
		case i%7 == 0:
			n = cpus
		case i%7 == 3:
			n = 1
		}
		seen[n] = true
		took[i] = change(was, n)
		sum += n
		was = n
		if i%4 == 0 {
			time.Sleep(100 * time.Microsecond) // others have their turns
		}
	}
	for n, ok := range seen[1:] {
		if !ok {
			wrong("there were never %d Ps", n+1)
		}
	}
	change(was, cpus)

	// Everything goes on after the last one.
	for _, n := range goes {
		for old := n.Load(); n.Load() < old+10; {
			runtime.Gosched()
		}
	}
	close(l.stop)
	l.wg.Wait()
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
	slices.Sort(took)
	median, worst := took[changes/2].Microseconds(), took[changes-1].Microseconds()
	fmt.Printf("procs: %d changes of the number of Ps, up to %d, %d in all\n", changes, cpus, sum)
	fmt.Printf("procs: meanwhile %d yields, %d messages, %d sleeps, %d system calls, %d visits to tied goroutines, %d loops\n",
		l.yields.Load(), l.messages.Load(), l.sleeps.Load(), l.calls.Load(), l.visits.Load(), l.loops.Load())
	fmt.Printf("procs: a change took %d us (least) %d us (median) %d us (most)\n", took[0].Microseconds(), median, worst)
	if limit > 0 && int(worst) > limit {
		wrong("a change took %d us, and may take %d", worst, limit)
	}
	fmt.Println("procs: done")
}
