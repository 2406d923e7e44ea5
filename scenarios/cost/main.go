// Cost says what operations of the scheduler cost, in nanoseconds each. Under
// -icount a nanosecond is an instruction.
package main

import (
	"fmt"
	"runtime"
	"time"
)

const times = 20_000

func main() {
	runtime.GC() // no collection of what the start has left
	measure("yield", yield)
	measure("pingpong", pingpong)
	measure("spawn", spawn)
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
