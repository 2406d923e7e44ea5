// Steal spawns all its work in one goroutine, so in one P's run queue; the other Ps must come and get it.
//
// Shows [R10] (a thief takes half of a victim's ring), [U2] (every runnable G runs) and [M8] (vCPUs are started when work
// asks for them). The proof: main spawns jobs without yielding, so every job begins its life in the queue of main's P.
// Without stealing, one vCPU would do everything: expect.toml demands steals, a minimum of dispatches on each vCPU where
// their turns are counted, and none stolen where there is only one. Elsewhere the host decides how many jobs a vCPU gets,
// so the jobs are spawned again until each thread has run one. The second part spawns and joins many small rounds, and
// every round must be found and shared anew.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	jobs   = 64
	steps  = 1_000_000
	rounds = 20
)

// job is CPU-bound, makes no calls and has a result that depends on every step.
func job(seed uint64, steps int) uint64 {
	x := seed*2 + 1
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// threads are those that have run a job.
var threads sync.Map

// running is how many they are.
func running() (n int) {
	threads.Range(func(any, any) bool { n++; return true })
	return n
}

// share runs n jobs, all spawned from here, and returns their results and when each was done.
func share(n, steps int) (results []uint64, done []time.Duration) {
	results, done = make([]uint64, n), make([]time.Duration, n)
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			threads.Store(syscall.Gettid(), true)
			results[i] = job(uint64(i), steps)
			done[i] = time.Since(begin)
		})
	}
	wg.Wait()
	return results, done
}

func check(results []uint64, steps int) {
	for i, got := range results {
		if want := job(uint64(i), steps); got != want {
			fmt.Printf("steal: wrong: job %d gave %#x, not %#x\n", i, got, want)
			os.Exit(1)
		}
	}
}

func main() {
	begin := time.Now()
	first := job(0, steps)
	alone := time.Since(begin)

	begin = time.Now()
	results, done := share(jobs, steps)
	took := time.Since(begin)
	check(results, steps)
	check([]uint64{first}, steps)

	fmt.Printf("steal: one job alone %v; %d jobs on %d Ps %v, %.2f times as fast as one after another\n",
		alone, jobs, runtime.GOMAXPROCS(0), took, float64(alone)*jobs/float64(took))
	var quarter [4]int
	for _, d := range done {
		quarter[min(int(4*d/(took+1)), 3)]++
	}
	fmt.Printf("steal: jobs done in each quarter of that time: %v\n", quarter)

	for running() < runtime.GOMAXPROCS(0) {
		results, _ := share(jobs, steps)
		check(results, steps)
	}

	begin = time.Now()
	for range rounds {
		results, _ := share(16, steps/150)
		check(results, steps/150)
	}
	fmt.Printf("steal: %d rounds of 16 small jobs, %v a round\n", rounds, time.Since(begin)/rounds)
	fmt.Println("steal: done")
}
