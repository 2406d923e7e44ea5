package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// ring passes a token around a ring of goroutines, n steps in all.
func ring(n int) {
	const many = 503
	first := make(chan int)
	done := make(chan bool)
	in := first
	for i := range many {
		out := make(chan int)
		if i == many-1 {
			out = first
		}
		go func(in, out chan int) {
			for v := range in {
				if v == 0 {
					close(done)
					continue
				}
				if v < 0 { // the end goes around once
					if v > -many {
						out <- v - 1
					}
					return
				}
				out <- v - 1
			}
		}(in, out)
		in = out
	}
	first <- n
	<-done
	first <- -1
}

// skynet makes a tree of goroutines, ten below each, that add up the numbers of its
// 10,000 leaves. It does so n times.
func skynet(n int) {
	const leaves = 10_000
	for range n {
		c := make(chan int)
		go sky(c, 0, leaves)
		if sum := <-c; sum != leaves*(leaves-1)/2 {
			panic("skynet: the sum is wrong")
		}
	}
}

// sky sends the sum of the size numbers from num on to c.
func sky(c chan int, num, size int) {
	if size == 1 {
		c <- num
		return
	}
	below := make(chan int)
	for i := range 10 {
		go sky(below, num+i*size/10, size/10)
	}
	sum := 0
	for range 10 {
		sum += <-below
	}
	c <- sum
}

// spin starts k goroutines that run endless loops without calls, and waits until each has
// begun. The function that it returns ends them.
func spin(k int) (stop func()) {
	var over atomic.Bool
	var wg, begun sync.WaitGroup
	begun.Add(k)
	for range k {
		wg.Go(func() {
			begun.Done()
			for !over.Load() {
			}
		})
	}
	begun.Wait()
	return func() {
		over.Store(true)
		wg.Wait()
	}
}

// late returns by how much n sleeps of a millisecond were too long, beside k endless
// loops.
func late(n, k int) []float64 {
	defer spin(k)()
	const nap = time.Millisecond
	var s []float64
	for range n {
		begin := time.Now()
		time.Sleep(nap)
		s = append(s, float64(time.Since(begin)-nap))
	}
	return s
}

// preempted returns how long it takes until a goroutine that gave way runs again,
// beside k endless loops.
func preempted(n, k int) []float64 {
	defer spin(k)()
	var s []float64
	for range n {
		begin := time.Now()
		runtime.Gosched()
		s = append(s, float64(time.Since(begin)))
	}
	return s
}

// collect returns how long three collections take, beside k endless loops.
func collect(k int) []float64 {
	defer spin(k)()
	begin := time.Now()
	for range 3 {
		runtime.GC()
	}
	return []float64{float64(time.Since(begin))}
}

// memStats stops the world.
func memStats(n int) {
	var m runtime.MemStats
	for range n {
		runtime.ReadMemStats(&m)
	}
}

// memStatsSpin stops the world while endless loops run on all Ps but the caller's.
func memStatsSpin(n int) []float64 {
	defer spin(runtime.GOMAXPROCS(0) - 1)()
	var s []float64
	for range n {
		begin := time.Now()
		memStats(1)
		s = append(s, float64(time.Since(begin)))
	}
	return s
}

// churn allocates n objects of several sizes, by as many goroutines as there are Ps, each of which
// keeps some of them for a while.
func churn(n int) {
	var wg sync.WaitGroup
	procs := runtime.GOMAXPROCS(0)
	for range procs {
		wg.Go(func() {
			var keep [256][]byte
			for i := range n / procs {
				keep[i%len(keep)] = make([]byte, 16<<(i%7))
			}
		})
	}
	wg.Wait()
}

// parked returns how many bytes of memory a goroutine takes that waits for a channel: of
// the machine's, where the kernel says how much that is, else of the runtime's.
func parked(n int) []float64 {
	runtime.GC()
	wait := make(chan bool)
	var begun, all sync.WaitGroup
	begun.Add(n)
	before := taken()
	for range n {
		all.Go(func() {
			begun.Done()
			<-wait
		})
	}
	begun.Wait()
	after := taken()
	close(wait)
	all.Wait()
	if after <= before {
		return nil // memory that was used before and is not needed now hides it
	}
	return []float64{float64(after-before) / float64(n)}
}
