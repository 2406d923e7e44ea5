// Stack needs more and more of it, and then less and less.
//
// Shows [U8] (stacks grow transparently; only the limit ends a program, as "stack overflow") and [M16] (the scheduler and
// interrupts have stacks of their own). Goroutines call themselves, thousands of calls deep, with pointers from frame to
// frame, which must be right after every move, collections included. Then hundreds of goroutines on the smallest
// stacks stand side by side, each a few bytes deeper than the last, so that some have next to no room left, and compute
// while the timer interrupts them: an interrupt that took room on their stacks would write into the neighbour's frames, and
// those are compared. With the argument "overflow" the recursion has no end, and a limit that the program sets; with "endless" it has the
// usual limit, which "limit" prints, and the smallest of frames.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

func wrong(format string, args ...any) {
	fmt.Printf("stack: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// frame is what each call keeps: something to compare, and its caller's.
type frame struct {
	depth int
	up    *frame
	fill  [8]uint64
}

// dig goes n calls deeper, does at at the bottom, and compares all frames on the way
// up. It returns how many there were.
//
//go:noinline
func dig(n int, up *frame, at func()) int {
	f := frame{depth: n, up: up}
	for i := range f.fill {
		f.fill[i] = uint64(n)<<8 + uint64(i)
	}
	count := 1
	if n > 0 {
		if n%1000 == 0 {
			runtime.Gosched()
		}
		count += dig(n-1, &f, at)
	} else {
		at()
	}
	for i, v := range f.fill {
		if v != uint64(n)<<8+uint64(i) {
			wrong("frame %d holds %#x at %d", n, v, i)
		}
	}
	if up != nil && up.depth != n+1 {
		wrong("the frame above %d is %d", n, up.depth)
	}
	return count
}

// deep has goroutines of all depths, up to some MiB, wait at their deepest for a
// collection, which moves nothing away from them; and again when they need little.
func deep() {
	depths := []int{1, 10, 100, 1000, 5000, 20_000, 10_000, 2000, 300}
	var wg sync.WaitGroup
	bottom, up := make(chan bool), make(chan bool)
	for _, n := range depths {
		wg.Go(func() {
			if got := dig(n, nil, func() { bottom <- true; <-up }); got != n+1 {
				wrong("%d frames, not %d", got, n+1)
			}
			bottom <- true
			<-up // the stack is much too large now
			if got := dig(20, nil, runtime.Gosched); got != 21 {
				wrong("%d frames, not 21", got)
			}
		})
	}
	var inuse [2]uint64
	for i := range inuse {
		for range depths {
			<-bottom
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		inuse[i] = m.StackInuse
		for range depths {
			up <- true
		}
	}
	wg.Wait()
	fmt.Printf("stack: %d goroutines, the deepest %d calls, had %d KiB of stack, and then %d\n", len(depths), 20_000, inuse[0]>>10, inuse[1]>>10)
	if inuse[1] > inuse[0]*3/4 {
		wrong("%d KiB of stack are in use, after %d KiB at the deepest", inuse[1]>>10, inuse[0]>>10)
	}
}

const (
	side    = 400 // goroutines side by side
	deepest = 40  // calls until one that stands at the edge
	stand   = 1500 * time.Microsecond
)

// step is a call with a small frame, so that a few of them make the difference
// between one frame more and a larger stack.
//
//go:noinline
func step(n int, at func()) uint64 {
	mark := [2]uint64{uint64(n) * 0x9e3779b97f4a7c15, ^uint64(n)}
	keep(&mark)
	if n == 0 {
		at()
	} else {
		step(n-1, at)
	}
	if mark != [2]uint64{uint64(n) * 0x9e3779b97f4a7c15, ^uint64(n)} {
		wrong("a frame of a small stack holds %#x", mark)
	}
	return mark[0]
}

// keep makes p's array one in memory.
//
//go:noinline
func keep(p *[2]uint64) {}

// edge runs for the given rounds. It uses most of the stack below a guard, as a function
// without a stack check may: the stack cannot grow here.
//
//go:nosplit
//go:noinline
func edge(rounds uint64) uint64 {
	var room [80]uint64
	for i := range room {
		room[i] = rounds + uint64(i)
	}
	for i := uint64(0); i < rounds; i++ {
		at := i % uint64(len(room))
		room[at] = room[at]<<1 ^ room[(at+7)%uint64(len(room))]>>1 ^ i
	}
	sum := uint64(0)
	for i := range len(room) {
		sum ^= room[i] << (i & 7)
	}
	return sum
}

// edges has goroutines of all small depths stand there while they are interrupted.
func edges() {
	const rounds = 10_000
	want := edge(rounds)
	var here, done sync.WaitGroup
	var stood atomic.Int64
	here.Add(side)
	for i := range side {
		done.Go(func() {
			step(i%deepest, func() {
				here.Done()
				here.Wait() // all have their stacks before one computes
				for begin := time.Now(); time.Since(begin) < stand; {
					if got := edge(rounds); got != want {
						wrong("at the edge of a stack %#x was computed, not %#x", got, want)
					}
					stood.Add(1)
				}
			})
		})
	}
	done.Wait()
	fmt.Printf("stack: %d goroutines stood at the edge of theirs, %d times\n", side, stood.Load())
}

// endless calls itself, and nothing else.
func endless(n int) int { return endless(n+1) + 1 }

func main() {
	const limit = 16 << 20
	if len(os.Args) > 1 && os.Args[1] == "limit" {
		fmt.Println("stack: the limit is", debug.SetMaxStack(1<<20))
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "endless" {
		fmt.Println("stack: the end is", endless(0))
	}
	if len(os.Args) > 1 && os.Args[1] == "overflow" {
		debug.SetMaxStack(limit)
		fmt.Println("stack: half of the limit is fine:", dig(limit/2/200, nil, runtime.Gosched), "calls")
		dig(1<<40, nil, runtime.Gosched)
	}
	deep()
	edges()
	fmt.Println("stack: done")
}
