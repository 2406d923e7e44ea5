// Tour walks through all mechanisms of the scheduler in order, with a numbered line for each. It is what
// `make qemu-run` shows.
//
// Shows [U1, U2, U5, U8, A1] and [A2, R10] and [R11, T1] and [T2, G4, G6] and [P4], each in the smallest form
// that can fail. The proof: every step knows its result beforehand and ends the run with status 1 when
// it is another; a step that depends on preemption, stealing or a timer does not end without it. The
// scenarios beside this one show each mechanism in depth.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A step returns one line about its result; check ends the program if the result is wrong.
var steps = []struct {
	name string
	run  func() string
}{
	{"spawn and join", spawn},
	{"ping-pong", pingPong},
	{"select", selects},
	{"locks", locks},
	{"stealing", stealing},
	{"preemption", preemption},
	{"timers", timers},
	{"timers, busy", busyTimers},
	{"stacks", stacks},
	{"faults", faults},
	{"collector", collector},
	{"idle", idle},
}

func main() {
	fmt.Printf("tour: an ordinary Go program (%s, %s/%s) on %d vCPUs and %d Ps, %s\n", runtime.Version(), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0), time.Now().UTC().Format("2006-01-02 15:04 MST"))
	begin := time.Now()
	for i, s := range steps {
		t := time.Now()
		saw := s.run()
		fmt.Printf("%3d. %-15s %s  [%v]\n", i+1, s.name, saw, time.Since(t).Round(time.Millisecond))
	}
	fmt.Printf("tour: all %d steps ok\n", len(steps))
	fmt.Printf("tour: took %v\n", time.Since(begin).Round(time.Millisecond))
}

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("tour: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}

// together runs f(0) to f(n-1) as goroutines and returns how long they took.
func together(n int, f func(i int)) time.Duration {
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
	return time.Since(begin)
}

func spawn() string {
	const n = 2000
	var sum atomic.Int64
	took := together(n, func(i int) { sum.Add(int64(i)) })
	check(sum.Load() == n*(n-1)/2, "the sum is %d", sum.Load())
	return fmt.Sprintf("%d goroutines came and went, %v each", n, took/n)
}

func pingPong() string {
	const n = 2000
	ball, v := make(chan int), 0
	go func() {
		for v := range ball {
			ball <- v + 1
		}
	}()
	begin := time.Now()
	for range n {
		ball <- v
		v = <-ball
	}
	took := time.Since(begin)
	close(ball)
	check(v == n, "the ball says %d", v)
	return fmt.Sprintf("%d volleys over an unbuffered channel, %v each", n, took/n)
}

func selects() string {
	a, b, count := make(chan bool), make(chan bool), [2]int{}
	close(a)
	close(b)
	for range 600 {
		select {
		case <-a:
			count[0]++
		case <-b:
			count[1]++
		}
	}
	check(min(count[0], count[1]) > 150, "unfair: %v", count)
	select {
	case <-make(chan bool):
		check(false, "received from nobody")
	case <-time.After(time.Millisecond):
	}
	return fmt.Sprintf("600 choices between two ready channels: %v; a wait with a time limit ended", count)
}

func locks() string {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	count, turn := 0, 0
	together(8, func(i int) {
		for range 200 {
			mu.Lock()
			count++
			mu.Unlock()
		}
		mu.Lock()
		for turn != i { // the eight leave in order
			cond.Wait()
		}
		turn++
		mu.Unlock()
		cond.Broadcast()
	})
	check(count == 1600 && turn == 8, "count %d, turn %d", count, turn)
	return "8 goroutines locked a mutex 1600 times, and left one by one through a condition"
}

func stealing() string {
	procs := runtime.GOMAXPROCS(0)
	work := func(x uint64) uint64 { // CPU-bound, makes no calls
		for range 500_000 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		return x
	}
	begin := time.Now()
	want := work(1)
	alone := time.Since(begin)
	jobs, share := 8*procs, make([]int, procs)
	var next atomic.Int64
	took := together(procs, func(worker int) { // all workers begin in this P's queue
		for int(next.Add(1)) <= jobs {
			got := work(1)
			check(got == want, "a job gave %#x, not %#x", got, want)
			share[worker]++
		}
	})
	return fmt.Sprintf("%d workers from one goroutine did %v jobs, %.2f times as fast as one after another",
		procs, share, float64(alone)*float64(jobs)/float64(took))
}

// loops starts n goroutines that never call anything, and returns their counters and a way to end them.
func loops(n int) (turns []atomic.Uint64, end func()) {
	turns = make([]atomic.Uint64, n)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range turns {
		wg.Go(func() {
			for !stop.Load() {
				turns[i].Add(1)
			}
		})
	}
	return turns, func() { stop.Store(true); wg.Wait() }
}

// chaos is a computation in floating-point registers where one lost bit changes the result.
func chaos() uint64 {
	x, y, z := 0.3, 0.7, 0.15
	for range 60_000 {
		x = 3.99 * x * (1 - x)
		y = math.Sqrt(y*y*0.5 + x)
		z = z*0.5 + y - x
	}
	return math.Float64bits(x) ^ math.Float64bits(y)<<1 ^ math.Float64bits(z)<<2
}

func preemption() string {
	procs, want := runtime.GOMAXPROCS(0), chaos()
	turns, end := loops(2*procs + 1)
	begin := time.Now()
	together(3, func(int) {
		for time.Since(begin) < 300*time.Millisecond {
			got := chaos()
			check(got == want, "a result changed under preemption: %#x, not %#x", got, want)
		}
	})
	least, most := uint64(math.MaxUint64), uint64(0)
	for i := range turns {
		for turns[i].Load() == 0 { // each must get a P, though none gives one up
			time.Sleep(time.Millisecond)
		}
		least, most = min(least, turns[i].Load()), max(most, turns[i].Load())
	}
	end()
	return fmt.Sprintf("%d loops without calls shared %d Ps: %d to %d thousand turns; floats beside them unharmed",
		len(turns), procs, least/1000, most/1000)
}

// sleep has n sleepers of 1 to 50 ms, and says how late they woke.
func sleep(n int) string {
	late := make([]time.Duration, n)
	together(n, func(i int) {
		d := time.Duration(1+i%50) * time.Millisecond
		begin := time.Now()
		time.Sleep(d)
		late[i] = (time.Since(begin) - d).Round(time.Microsecond)
	})
	slices.Sort(late)
	check(late[0] >= 0, "a sleeper woke %v early", -late[0])
	return fmt.Sprintf("none early, late by %v (median), %v (most)", late[n/2], late[n-1])
}

func timers() string { return "500 sleepers: " + sleep(500) }

func busyTimers() string {
	_, end := loops(runtime.GOMAXPROCS(0))
	defer end()
	return "50 sleepers while loops hold every P: " + sleep(50)
}

//go:noinline
func deep(n int, above *int) int {
	var pad [16]int
	pad[n%16] = n
	if n == 0 {
		return *above // a pointer into a stack that has moved many times since
	}
	return deep(n-1, &pad[n%16]) + 1
}

func stacks() string {
	const depth = 20_000
	together(4, func(int) {
		got := deep(depth, nil)
		check(got == depth+1, "the recursion gave %d", got)
	})
	return fmt.Sprintf("4 goroutines recursed %d deep; their stacks grew from 2 KiB and moved", depth)
}

func faults() string {
	var none *[4]int
	zero := 0
	caught := func(f func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		f()
		return
	}
	text := caught(func() { none[2] = 1 })
	check(text == "runtime error: invalid memory address or nil pointer dereference", "caught %q", text)
	text = caught(func() { zero = 1 / zero })
	check(text == "runtime error: integer divide by zero", "caught %q", text)
	return "a nil dereference and a division by zero became panics, and were recovered"
}

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return new(tree)
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func (t *tree) size() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.size() + t.right.size()
}

func collector() string {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	together(5, func(i int) {
		old := grow(11)
		for range 30 {
			check(grow(8).size() == 511, "a tree changed")
			if i == 0 {
				runtime.GC()
			}
		}
		check(old.size() == 4095, "an old tree changed")
	})
	runtime.ReadMemStats(&after)
	n := after.NumGC - before.NumGC
	check(n >= 30, "only %d collections", n)
	stopped := time.Duration(after.PauseTotalNs - before.PauseTotalNs)
	return fmt.Sprintf("%d collections under load, %d KiB allocated, the world stopped for %v in all",
		n, (after.TotalAlloc-before.TotalAlloc)>>10, stopped.Round(time.Microsecond))
}

func idle() string {
	const rest = 500 * time.Millisecond
	begin := time.Now()
	time.Sleep(rest)
	slept := time.Since(begin)
	check(slept >= rest, "slept only %v", slept)
	return fmt.Sprintf("nobody had anything to do for %v; late by %v", rest, (slept - rest).Round(time.Microsecond))
}
