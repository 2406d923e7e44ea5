// Cost says what operations of the scheduler cost, in nanoseconds each. Under
// -icount a nanosecond is an instruction.
package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

const times = 20_000

var epoch = time.Now()

func main() {
	runtime.GC() // so that garbage of the start is not collected later
	measure("yield", yield)
	measure("pingpong", pingpong)
	measure("spawn", spawn)
	fmt.Println("cost: switch", preempted())
	fmt.Println("cost: done")
}

// measure prints what f, which does an operation n times, costs each time. The
// first rounds warm it up: stacks grow, Gs are made.
func measure(name string, f func(n int)) {
	f(times / 10)
	begin := time.Now()
	f(times)
	fmt.Printf("cost: %s %d\n", name, time.Since(begin).Nanoseconds()/times)
}

// preempted returns how long it takes from one endless loop to the next when the timer interrupt ends
// the slice: the median of the times between the last clock that one of them has read and the first
// that the other reads then. Both run on one P, and do nothing else.
//
// A loop may be interrupted anywhere, even between reading the clock and reporting it. So each keeps
// its readings to itself: where two readings in a row are far apart, its slice ended after the first,
// and the next began before the second. Which loop ran in between is found when both are done.
func preempted() int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const (
		want = 5
		far  = time.Millisecond
	)
	type pause struct{ from, to int64 }
	var full atomic.Bool
	loop := func() (list []pause) {
		list = make([]pause, 0, want+1)
		start := time.Now()
		last := int64(0)
		for ended := false; !ended; {
			ended = full.Load() || len(list) == want // and looks once more, for the pause that this was in
			now := int64(time.Since(start))
			if now-last > int64(far) {
				list = append(list, pause{int64(start.Sub(epoch)) + last, int64(start.Sub(epoch)) + now})
			}
			last = now
		}
		full.Store(true)
		return list
	}
	done := make(chan []pause)
	go func() { done <- loop() }()
	mine := loop()
	others := <-done
	var gaps []int64
	switches := func(from, to []pause) {
		for _, t := range to {
			gap := int64(-1)
			for _, f := range from {
				// Within t, or the other did not run in between: the host stopped this processor.
				if d := t.to - f.from; d > 0 && f.from > t.from && (gap < 0 || d < gap) {
					gap = d
				}
			}
			if gap >= 0 {
				gaps = append(gaps, gap)
			}
		}
	}
	switches(mine, others)
	switches(others, mine)
	if len(gaps) == 0 {
		return 0 // on Linux, with other programs, it may be so
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// yield makes two goroutines take turns.
func yield(n int) {
	done := make(chan bool)
	go func() {
		for range n / 2 {
			runtime.Gosched()
		}
		close(done)
	}()
	for range n / 2 {
		runtime.Gosched()
	}
	<-done
}

// pingpong sends a value there and back.
func pingpong(n int) {
	there, back := make(chan int), make(chan int)
	go func() {
		for v := range there {
			back <- v
		}
		close(back)
	}()
	for i := range n {
		there <- i
		<-back
	}
	close(there)
	<-back
}

// spawn makes goroutines that end at once, a hundred at a time.
func spawn(n int) {
	done := make(chan bool, 100)
	for range n / 100 {
		for range 100 {
			go func() { done <- true }()
		}
		for range 100 {
			<-done
		}
	}
}
