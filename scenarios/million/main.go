// Million starts a million goroutines, or as many as its argument says, that all wait for one channel; then it closes
// the channel, and all run and end.
//
// Shows [U1] and [U2] with a crowd: every goroutine adds its own number to a sum once before it waits and once after it was
// woken, so one that was lost, or ran twice, is seen in the sums [G3, G4]. The global queue holds nearly all of them at
// once [R6, R7, R9]. What one costs is printed: memory by the runtime's own account, and time. The kernel's account is in
// its counters (sched9 run -counters, frames_peak).
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// check ends the program if ok is false.
func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("million: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}

// crowd is what the goroutines share.
type crowd struct {
	gate         chan struct{} // is closed to wake all
	came, went   atomic.Uint64 // sums of the numbers of goroutines that have started, and that were woken
	there, ended sync.WaitGroup
}

// member is goroutine i.
func (c *crowd) member(i uint64) {
	c.came.Add(i)
	c.there.Done()
	<-c.gate
	c.went.Add(i)
	c.ended.Done()
}

func main() {
	n := 1_000_000
	if len(os.Args) > 1 {
		var err error
		n, err = strconv.Atoi(os.Args[1])
		check(err == nil && n > 0, "%q is no number of goroutines", os.Args[1])
	}
	fmt.Printf("million: %d goroutines on %d Ps, %s\n", n, runtime.GOMAXPROCS(0), runtime.Version())
	want := uint64(n) * uint64(n+1) / 2
	others := runtime.NumGoroutine()
	var before, full, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	c := crowd{gate: make(chan struct{})}
	c.there.Add(n)
	c.ended.Add(n)
	begin := time.Now()
	for i := range n {
		go c.member(uint64(i + 1))
	}
	started := time.Since(begin)
	c.there.Wait()
	waiting := time.Since(begin)
	check(c.came.Load() == want && c.went.Load() == 0, "those who came sum up to %d, those who went to %d", c.came.Load(), c.went.Load())
	check(runtime.NumGoroutine() == n+others, "there are %d goroutines", runtime.NumGoroutine())
	runtime.ReadMemStats(&full)
	each := func(bytes uint64) float64 { return float64(bytes) / float64(n) }
	fmt.Printf("million: a goroutine takes %.0f bytes from the system, %.0f of them stack\n", each(full.Sys-before.Sys), each(full.StackInuse-before.StackInuse))
	fmt.Printf("million: go statements %v, %v each; until all wait %v\n", started.Round(time.Millisecond), started/time.Duration(n), waiting.Round(time.Millisecond))

	begin = time.Now()
	close(c.gate)
	closed := time.Since(begin)
	c.ended.Wait()
	gone := time.Since(begin)
	check(c.came.Load() == want && c.went.Load() == want, "those who went sum up to %d, not %d", c.went.Load(), want)
	fmt.Printf("million: close %v; until all were woken and gone %v, %v each\n", closed.Round(time.Millisecond), gone.Round(time.Millisecond), gone/time.Duration(n))

	begin = time.Now()
	runtime.GC()
	runtime.ReadMemStats(&after)
	fmt.Printf("million: a collection %v, %d in all; stacks of %d KiB are left\n", time.Since(begin).Round(time.Millisecond), after.NumGC, after.StackInuse>>10)
	for runtime.NumGoroutine() > others {
		runtime.Gosched() // the last ones are about to end
	}
	fmt.Println("million: done")
}
