// Names makes goroutines in all the ways that a go statement can be written, and each says on a channel that it runs.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// said is where they all say it.
var said = make(chan int)

// plain, and with an argument. Neither is put into its caller.
//
//go:noinline
func plain() { said <- 1 }

//go:noinline
func argument(n int) { said <- n }

// leaf is put into the function that the compiler makes of `go leaf(n)`.
func leaf(n int) { send(n) }

// send is put into its callers, and the operation on a channel is what a stack begins with.
func send(n int) { said <- n }

// worker has methods.
type worker struct{ n int }

//go:noinline
func (w *worker) work(n int) { said <- n + w.n }

//go:noinline
func (w worker) value(a, b, c string) { said <- w.n + len(a+b+c) }

// generic is instantiated.
//
//go:noinline
func generic[T any](v T) { said <- len(fmt.Sprint(v)) }

// spun spins in a function that is put into it.
func spun(stop *atomic.Bool) {
	for !loaded(stop) {
	}
	said <- 0
}

// loaded is put into its caller, and the load into it. It takes a while, so that ticks strike there.
func loaded(b *atomic.Bool) bool {
	n := uint32(1)
	for range 1000 {
		n ^= n << 13
		n ^= n >> 17
		n ^= n << 5
	}
	return b.Load() || n == 0
}

// stays is there to the end.
//
//go:noinline
func stays(c chan int) { c <- 1 }

func main() {
	w := &worker{1}
	var stop atomic.Bool
	var wg sync.WaitGroup
	go plain()
	go argument(2)
	go leaf(3)
	go w.work(4)
	go w.value("a", "b", "c")
	go generic(5)
	go generic("six")
	go func(n int) { said <- n }(7)
	go spun(&stop)
	wg.Go(func() { said <- 8 })
	for range 9 {
		<-said
	}
	time.Sleep(100 * time.Millisecond) // ticks strike the spinning goroutine in this time
	stop.Store(true)
	<-said
	wg.Wait()
	go stays(make(chan int))
	runtime.Gosched()
	fmt.Println("names: done")
}
