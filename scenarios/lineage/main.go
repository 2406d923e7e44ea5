// Lineage runs one workload under the policy that GODEBUG=schedpolicy names, and prints how it
// went: the steps that led to this scheduler, side by side (SPEC.md, the lineage). expect.toml
// boots it under each; lineage_test.go compares them.
//
// The work: jobs that compute, pairs that exchange messages, and short goroutines in a row. Under
// -icount with one run after another the numbers can be compared, and repeated.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	jobs     = 3 // and main: one for each of four Ms
	steps    = 400_000
	messages = 2_000
	short    = 300
)

// policy is the one that the environment names.
func policy() string {
	for item := range strings.SplitSeq(os.Getenv("GODEBUG"), ",") {
		if name, ok := strings.CutPrefix(item, "schedpolicy="); ok {
			return name
		}
	}
	return "M:N"
}

// compute is work without calls, which a policy without preemption cannot interrupt.
func compute(seed uint64) uint64 {
	x := seed*2 + 1
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// timed prints how long f took, in microseconds of the guest.
func timed(what string, f func()) {
	begin := time.Now()
	f()
	fmt.Printf("lineage: %s: %s %d us\n", policy(), what, time.Since(begin).Microseconds())
}

func main() {
	fmt.Printf("lineage: %s on %d Ps\n", policy(), runtime.GOMAXPROCS(0))

	timed("3 jobs that compute", func() {
		var wg sync.WaitGroup
		results := make([]uint64, jobs)
		for i := range jobs {
			wg.Go(func() { results[i] = compute(uint64(i)) })
		}
		wg.Wait()
		for i, got := range results {
			if got != compute(uint64(i)) {
				fmt.Printf("lineage: wrong: job %d gave %#x\n", i, got)
				os.Exit(1)
			}
		}
	})

	timed("2000 messages there and back", func() {
		there, back := make(chan int), make(chan int)
		go func() {
			for v := range there {
				back <- v + 1
			}
			close(back)
		}()
		for i := range messages {
			there <- i
			if v := <-back; v != i+1 {
				fmt.Printf("lineage: wrong: %d came back as %d\n", i, v)
				os.Exit(1)
			}
		}
		close(there)
		<-back
	})

	timed("300 short goroutines, one after the other", func() {
		done := make(chan int)
		for i := range short {
			go func() { done <- i }()
			if v := <-done; v != i {
				fmt.Printf("lineage: wrong: %d, not %d\n", v, i)
				os.Exit(1)
			}
		}
	})

	// A goroutine that computes for a while, beside one that wants to run every millisecond.
	timed("a timer beside a loop was late at most", late)
	fmt.Println("lineage: done")
}

// late runs a loop for 30 ms beside a goroutine that sleeps, and waits for both.
func late() {
	var wg sync.WaitGroup
	var worst time.Duration
	wg.Go(func() {
		for end := time.Now().Add(30 * time.Millisecond); time.Now().Before(end); {
		}
	})
	wg.Go(func() {
		for range 5 {
			begin := time.Now()
			time.Sleep(time.Millisecond)
			worst = max(worst, time.Since(begin)-time.Millisecond)
		}
	})
	wg.Wait()
	fmt.Printf("lineage: %s: worst lateness beside a loop %d us\n", policy(), worst.Microseconds())
}
