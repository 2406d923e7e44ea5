package main

import (
	"math"
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

// buffered sends values over a channel that holds 64 of them.
func buffered(n int) {
	c := make(chan int, 64)
	go func() {
		for i := range n {
			c <- i
		}
		close(c)
	}()
	for v := range c {
		sink = v
	}
}

// pool takes an object from a sync.Pool and gives it back.
func pool(n int) {
	p := sync.Pool{New: func() any { return new([64]byte) }}
	for range n {
		b := p.Get().(*[64]byte)
		b[0]++
		p.Put(b)
	}
}

// timers starts timers that are stopped before they fire.
func timers(n int) {
	for range n {
		time.NewTimer(time.Hour).Stop()
	}
}

// workers has 64 goroutines do n jobs, each of some hundred instructions, which come over one channel.
func workers(n int) {
	const many = 64
	jobs := make(chan int, many)
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() {
			sum := 0
			for j := range jobs {
				for i := range 50 {
					sum ^= i * j
				}
			}
			if sum < 0 {
				panic("workers: the sum is wrong")
			}
		})
	}
	for j := range n {
		jobs <- j
	}
	close(jobs)
	wg.Wait()
}

// turns counts how often the two loops of twoLoops took turns, and whose the last one was.
var turns struct {
	whose atomic.Int32
	n     atomic.Int64
}

// turnsRound is a hundred steps of a loop without calls, of goroutine number me.
//
//go:noinline
func turnsRound(me int32) {
	for range 100 {
		if turns.whose.Load() != me {
			turns.whose.Store(me)
			turns.n.Add(1)
		}
	}
}

// turnsLoop goes on until so many rounds or turns are over, and returns how many rounds it did.
func turnsLoop(me int32, rounds int, last int64) (done int) {
	for done < rounds && turns.n.Load() < last {
		turnsRound(me)
		done++
	}
	return done
}

// twoLoops has two loops share a P until n slices have ended. It returns what the end of a slice takes from them,
// in nanoseconds, and what share of the time that is in percent, by what a loop does alone.
func twoLoops(n int) (lost, share []float64) {
	const (
		rounds  = 8  // together shorter than a slice of 10us, on both architectures: a loop alone has ticks too
		tries   = 50 // of which one at least has no tick
		forever = 1 << 62
	)
	me := turns.whose.Load()
	turnsLoop(me, rounds, forever)           // warm
	clock, alone := math.Inf(1), math.Inf(1) // to read it, and rounds without interrupts
	for range tries {
		begin := time.Now()
		clock = min(clock, float64(time.Since(begin)))
		begin = time.Now()
		turnsLoop(me, rounds, forever)
		alone = min(alone, float64(time.Since(begin)))
	}
	alone = (alone - clock) / rounds
	first := turns.n.Load()
	var done [2]int
	var wg sync.WaitGroup
	begin := time.Now()
	for me := range int32(2) {
		wg.Go(func() { done[me] = turnsLoop(me, forever, first+int64(n)) })
	}
	wg.Wait()
	took := float64(time.Since(begin))
	gone := took - alone*float64(done[0]+done[1])
	return []float64{gone / float64(turns.n.Load()-first)}, []float64{100 * gone / took}
}

// loopsForever has two loops share a P, and marks each end of a slice.
func loopsForever() {
	for me := range int32(2) {
		go func() {
			for {
				if turns.whose.Load() != me {
					turns.whose.Store(me)
					mark()
				}
			}
		}()
	}
	select {}
}
