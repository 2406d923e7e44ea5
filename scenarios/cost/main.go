// Cost says what operations of the scheduler cost, in nanoseconds each. Under
// -icount a nanosecond is an instruction.
package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

const times = 20_000

func main() {
	runtime.GC() // no collection of what the start has left
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

// preempted returns how long it takes from one endless loop to the next when the
// timer's interrupt ends the slice: the median of the gaps between the last time that
// one of them has read the clock and the first time that the other does. Both run on
// one P, and do nothing else.
func preempted() int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const want = 9
	var last, who int64
	var gaps [want]int64
	n := 0
	loop := func(me int64) {
		for n < want {
			now := time.Now().UnixNano()
			if who != me {
				if who != 0 && n < want {
					gaps[n] = now - last
					n++
				}
				who = me
			}
			last = now
		}
	}
	done := make(chan bool)
	go func() {
		loop(1)
		close(done)
	}()
	loop(2)
	<-done
	slices.Sort(gaps[:])
	return gaps[want/2]
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
