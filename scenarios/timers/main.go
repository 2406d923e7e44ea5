// Timers sleeps, ticks, stops and resets, on an idle machine and on a busy one.
//
// Shows [T1] (a sleeper wakes no earlier than asked; its lateness is measured), [T2] (an idle vCPU waits for
// the next timer), [S3] (timers are served when all Ps are busy) and [U6] (no deadlock is reported while a
// timer runs). The proof: each wake-up is compared with its deadline by the same clock, and an early one
// is an error. Lateness is printed, not judged: it belongs to the machine. That the timers of a busy
// machine fire at all is judged: endless loops hold every P, and the run ends only when all have fired.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("timers: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}

// sleep returns how late it woke, and ends the program if it woke early.
func sleep(d time.Duration) time.Duration {
	begin := time.Now()
	time.Sleep(d)
	late := time.Since(begin) - d
	check(late >= 0, "Sleep(%v) woke %v early", d, -late)
	return late
}

func print(what string, late []time.Duration) {
	slices.Sort(late)
	at := func(percent int) time.Duration { return late[(len(late)-1)*percent/100].Round(time.Microsecond) }
	fmt.Printf("timers: %s: %d fired, late by least %v, median %v, 90%% %v, most %v\n",
		what, len(late), at(0), at(50), at(90), at(100))
}

// order starts sleepers in a shuffled order with deadlines far apart, and counts those that overtook another.
func order() {
	const n, gap = 20, 10 * time.Millisecond
	woke := make(chan int, n)
	begin := time.Now()
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		go func() {
			d := time.Duration(i+1) * gap
			time.Sleep(d - time.Since(begin))
			check(time.Since(begin) >= d, "sleeper %d woke early", i)
			woke <- i
		}()
	}
	inversions, last := 0, -1
	for range n {
		i := <-woke
		if i < last {
			inversions++
		}
		last = i
	}
	fmt.Printf("timers: order: %d sleepers, %d out of order\n", n, inversions)
}

func ticker() {
	const period = 5 * time.Millisecond
	begin := time.Now()
	t := time.NewTicker(period)
	var late []time.Duration
	for i := 1; i <= 20; i++ {
		<-t.C
		// A slow reader loses ticks, so tick i may be a later one, but never an earlier one.
		since := time.Since(begin)
		check(since >= time.Duration(i)*period, "tick %d came after %v", i, since)
		late = append(late, since%period)
	}
	t.Reset(2 * time.Millisecond)
	<-t.C
	t.Stop()
	select {
	case <-t.C:
		check(false, "a stopped ticker ticked")
	case <-time.After(10 * time.Millisecond):
	}
	print("ticker of 5ms", late)
}

func stopAndReset() {
	var fired atomic.Int32
	t := time.AfterFunc(time.Hour, func() { fired.Add(1) })
	check(t.Stop() && !t.Stop(), "Stop of a running timer, then of a stopped one")
	begin := time.Now()
	done := make(chan time.Duration)
	u := time.AfterFunc(time.Hour, func() { done <- time.Since(begin) })
	check(u.Reset(10*time.Millisecond), "Reset of a running timer")
	after := <-done
	check(after >= 10*time.Millisecond, "a reset timer fired after %v", after)

	// The channel of a stopped or reset timer holds nothing old.
	v := time.NewTimer(time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	begin = time.Now()
	v.Reset(20 * time.Millisecond)
	<-v.C
	check(time.Since(begin) >= 20*time.Millisecond, "Reset left an old value in the channel")
	v.Reset(time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	v.Stop()
	select {
	case <-v.C:
		check(false, "Stop left an old value in the channel")
	default:
	}
	check(fired.Load() == 0, "a stopped timer fired")
	fmt.Println("timers: stop and reset keep the rules")
}

func deadlines() {
	begin := time.Now()
	parent, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	child, cancelChild := context.WithTimeout(parent, time.Hour)
	defer cancelChild()
	// Its deadline is far, so that it is called off before that however slow the machine is.
	far, cancelFar := context.WithTimeout(context.Background(), time.Hour)
	defer cancelFar()
	early, cancelEarly := context.WithCancel(far)
	cancelEarly()
	<-early.Done()
	check(errors.Is(early.Err(), context.Canceled), "cancel gave %v", early.Err())
	<-child.Done()
	since := time.Since(begin)
	check(since >= 30*time.Millisecond, "the context ended after %v", since)
	check(errors.Is(child.Err(), context.DeadlineExceeded), "the deadline gave %v", child.Err())
	fmt.Println("timers: contexts end at their deadlines")
}

// crowd lets n goroutines sleep for 1 to 100 ms each.
func crowd(n int) []time.Duration {
	random := rand.New(rand.NewPCG(3, 4))
	late := make([]time.Duration, n)
	var wg sync.WaitGroup
	for i := range n {
		d := time.Millisecond + time.Duration(random.Int64N(int64(99*time.Millisecond)))
		wg.Go(func() { late[i] = sleep(d) })
	}
	wg.Wait()
	return late
}

func main() {
	var late []time.Duration
	for range 20 {
		late = append(late, sleep(time.Millisecond))
	}
	print("sleep of 1ms, idle", late)
	sleep(0)
	sleep(-time.Second)
	order()
	ticker()
	stopAndReset()
	deadlines()
	print("1000 sleepers", crowd(1000))

	// Now every P is held by a loop without calls.
	var stop atomic.Bool
	procs := runtime.GOMAXPROCS(0)
	for range procs {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	late = late[:0]
	for range 10 {
		late = append(late, sleep(time.Millisecond))
	}
	print("sleep of 1ms, busy", late)
	fired := make(chan bool)
	time.AfterFunc(time.Millisecond, func() { fired <- true })
	<-fired
	print("100 sleepers, busy", crowd(100))
	stop.Store(true)
	fmt.Printf("timers: they fired while %d loops held %d Ps\n", procs, procs)
	fmt.Println("timers: done")
}
