package main

import (
	"runtime"
	"sync"
	"syscall"
	"time"
)

// ops are all operations, in the order in which they are measured.
var ops = []op{
	{name: "parked", unit: "bytes", n: 20_000, once: true, each: parked},
	{name: "loop", unit: "ns/op", n: 1_000_000, procs: 1, every: loop},
	{name: "now", unit: "ns/op", n: 10_000, procs: 1, every: now},
	{name: "getpid", unit: "ns/op", n: 10_000, procs: 1, every: getpid},
	{name: "spawn-batch", unit: "ns/op", n: 20_000, every: spawnBatch},
	{name: "spawn-seq", unit: "ns/op", n: 10_000, every: spawnSeq},
	{name: "spawn-10000", unit: "ns/op", n: 20_000, every: spawnMany},
	{name: "gosched-2", unit: "ns/op", n: 20_000, procs: 1, every: func(n int) { yield(2, n) }},
	{name: "gosched-1000", unit: "ns/op", n: 20_000, procs: 1, every: func(n int) { yield(1000, n) }},
	{name: "gosched-2-all", unit: "ns/op", n: 20_000, least: 2, every: func(n int) { yield(2, n) }},
	{name: "pingpong-1p", unit: "ns/op", n: 10_000, procs: 1, every: pingpong},
	{name: "pingpong-all", unit: "ns/op", n: 10_000, least: 2, every: pingpong},
	{name: "fanout-100", unit: "ns/op", n: 200, marks: true, every: fanout},
	{name: "select-4", unit: "ns/op", n: 10_000, every: selects},
	{name: "buffered-64", unit: "ns/op", n: 20_000, every: buffered},
	{name: "mutex", unit: "ns/op", n: 10_000, every: func(n int) { mutex(2, n) }},
	{name: "mutex-256", unit: "ns/op", n: 10_000, every: func(n int) { mutex(256, n) }},
	{name: "pool", unit: "ns/op", n: 50_000, every: pool},
	{name: "timer-stop", unit: "ns/op", n: 20_000, every: timers},
	{name: "workers-64", unit: "ns/op", n: 10_000, procs: 64, every: workers},
	{name: "ring-503", unit: "ns/op", n: 20_000, every: ring},
	{name: "skynet-10000", unit: "ns/op", n: 1, every: skynet},
	{name: "memstats", unit: "ns/op", n: 100, every: memStats},
	{name: "memstats-spin", unit: "ns", n: 5, each: memStatsSpin},
	{name: "churn", unit: "ns/op", n: 50_000, every: churn},
	{name: "gc-3", unit: "ns", n: 1, each: func(int) []float64 { return collect(0) }},
	{name: "gc-3-spin", unit: "ns", n: 1, each: func(int) []float64 { return collect(runtime.GOMAXPROCS(0)) }},
	{name: "sleep-late", unit: "ns", n: 30, each: func(n int) []float64 { return late(n, 0) }},
	{name: "sleep-late-spin", unit: "ns", n: 7, each: func(n int) []float64 { return late(n, runtime.GOMAXPROCS(0)) }},
	{name: "preempt-1p", unit: "ns", n: 7, procs: 1, each: func(n int) []float64 { return preempted(n, 1) }},
	{name: "slice-end", unit: "ns/op", n: 100, procs: 1, each: func(n int) []float64 { lost, _ := twoLoops(n); return lost }, again: loopsForever},
	{name: "slice-loss", unit: "percent", n: 100, procs: 1, each: func(n int) []float64 { _, share := twoLoops(n); return share }},
	{name: "preempt-2x", unit: "ns", n: 7, least: 2, each: func(n int) []float64 { return preempted(n, 2*runtime.GOMAXPROCS(0)) }},
	{name: "handoff", unit: "ns", n: 30, procs: 1, each: handoffP},
}

// sink keeps results, so that the compiler does not leave out what makes them.
var sink int

// loop does nothing that a scheduler would see: whether it costs the same on both
// systems says whether their clocks count the same.
func loop(n int) {
	x := sink
	for i := range n {
		x ^= i
	}
	sink = x
}

// now reads the clock.
func now(n int) {
	for range n {
		sink += time.Now().Nanosecond()
	}
}

// getpid makes the cheapest system call.
func getpid(n int) {
	for range n {
		pid, _, _ := syscall.RawSyscall(syscall.SYS_GETPID, 0, 0, 0)
		sink += int(pid)
	}
}

// spawnBatch makes goroutines that end at once, a thousand at a time.
func spawnBatch(n int) {
	var wg sync.WaitGroup
	for n > 0 {
		k := min(n, 1000)
		wg.Add(k)
		for range k {
			go wg.Done()
		}
		wg.Wait()
		n -= k
	}
}

// spawnSeq makes goroutines that end at once, one after another.
func spawnSeq(n int) {
	done := make(chan bool)
	f := func() { done <- true }
	for range n {
		go f()
		<-done
	}
}

// spawnMany makes goroutines, ten thousand that are there at once, by as many as
// there are Ps. They wait for one another.
func spawnMany(n int) {
	for n > 0 {
		k := min(n, 10_000)
		n -= k
		makers := runtime.GOMAXPROCS(0)
		open := make(chan bool)
		var all, made sync.WaitGroup
		all.Add(k)
		made.Add(makers)
		f := func() {
			<-open
			all.Done()
		}
		for m := range makers {
			go func() {
				for i := m; i < k; i += makers {
					go f()
				}
				made.Done()
			}()
		}
		made.Wait()
		close(open)
		all.Wait()
	}
}

// yield has k goroutines give way, n times in all.
func yield(k, n int) {
	var wg sync.WaitGroup
	each := max(n/k, 1)
	for range k - 1 {
		wg.Go(func() {
			for range each {
				runtime.Gosched()
			}
		})
	}
	for range each {
		runtime.Gosched()
	}
	wg.Wait()
}

// pingpong sends a value there and back over unbuffered channels.
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

// fanout wakes a hundred goroutines that wait each for its own channel, and waits
// until all have run.
func fanout(n int) {
	const many = 100
	var in [many]chan bool
	var wg sync.WaitGroup
	for i := range in {
		in[i] = make(chan bool, 1)
		go func() {
			for range in[i] {
				wg.Done()
			}
		}()
	}
	runtime.Gosched() // all wait now, where there is one P
	for range n {
		wg.Add(many)
		for _, c := range in {
			c <- true
		}
		wg.Wait()
		mark()
	}
	for _, c := range in {
		close(c)
	}
}

// selects has a goroutine wait for four channels at once, to which another sends
// in turn.
func selects(n int) {
	var in [4]chan int
	for i := range in {
		in[i] = make(chan int)
	}
	done := make(chan bool)
	go func() {
		for range n {
			select {
			case v := <-in[0]:
				sink = v
			case v := <-in[1]:
				sink = v
			case v := <-in[2]:
				sink = v
			case v := <-in[3]:
				sink = v
			}
		}
		close(done)
	}()
	for i := range n {
		in[i%len(in)] <- i
	}
	<-done
}

// mutex has k goroutines give each other a lock: its owner gives way while it
// holds it, so that the others wait for it.
func mutex(k, n int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range k {
		wg.Go(func() {
			for range max(n/k, 1) {
				mu.Lock()
				runtime.Gosched()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
