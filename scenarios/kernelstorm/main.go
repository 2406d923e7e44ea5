// Kernelstorm does everything at once that a kernel has to do, from 100 goroutines in little memory.
//
// Shows the kernel's promises when everything comes together: address space that is mapped, unmapped, protected and
// dropped, stacks that grow and shrink, faults that a program recovers from, lines that are printed, files, pipes and disks
// that are written and read, timers, and stops of the world. Each worker knows its data and compares everything that it
// reads; nothing may be lost, torn, or another worker's; no sleeper wakes early. A seed decides each worker's steps. No
// step can wait for ever: so a storm that does not end has lost a wake-up. It goes round after round, each with new
// goroutines, and after the last one as much memory is free, and as many goroutines exist, as after the second.
//
//	kernelstorm [SEED [ROUNDS|DURATION [STEPS]]]    or SEED=n, STEPS=n; a duration is as in 10m
//
// It overwrites the disk /dev/vda, if there is one.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const workers = 100

// ops are what a worker does, and how often in relation to the others.
var ops = []struct {
	name   string
	weight int
	do     func(*worker)
}{
	{"memory", 10, (*worker).memory},
	{"region", 3, (*worker).region},
	{"large", 1, (*worker).large},
	{"fault", 5, (*worker).fault},
	{"stack", 4, (*worker).stack},
	{"heap", 4, (*worker).heap},
	{"print", 4, (*worker).print},
	{"file", 5, (*worker).file},
	{"pipe", 4, (*worker).pipe},
	{"read", 4, (*worker).diskRead},
	{"write", 3, (*worker).diskWrite},
	{"timer", 4, (*worker).timer},
	{"delay", 2, (*worker).delay},
	{"world", 1, (*worker).world},
}

// A worker is a goroutine of a round, and the data that it knows.
type worker struct {
	*rand.Rand
	id, round, step int
	op              string
	said            int // lines
	space           space
	disk            diskPart
}

// wrong ends the program.
func (w *worker) wrong(format string, args ...any) {
	fmt.Printf("kernelstorm: wrong: seed %d, round %d, worker %d, step %d, %s: %s.\n", seed, w.round, w.id, w.step, w.op, fmt.Sprintf(format, args...))
	os.Exit(1)
}

// must ends the program if there is an error.
func (w *worker) must(what string, err error) {
	if err != nil {
		w.wrong("%s: %v", what, err)
	}
}

// life is what a worker does.
func (w *worker) life() {
	debug.SetPanicOnFault(true)
	w.space.open(w)
	w.disk.open(w)
	sum := 0
	for _, o := range ops {
		sum += o.weight
	}
	for w.step = range steps {
		n := w.IntN(sum)
		for _, o := range ops {
			if n -= o.weight; n < 0 {
				w.op = o.name
				o.do(w)
				break
			}
		}
	}
	w.op = "end"
	w.space.close(w)
	w.disk.close(w)
	lines.Add(int64(w.said))
}

var (
	seed  uint64
	steps int          // of each worker in a round
	lines atomic.Int64 // that workers have printed
)

// round has all workers live.
func round(n int) {
	runtime.GOMAXPROCS(runtime.NumCPU())
	var wg sync.WaitGroup
	for id := range workers {
		wg.Go(func() {
			w := &worker{Rand: rand.New(rand.NewPCG(seed, uint64(n*workers+id))), id: id, round: n}
			w.life()
		})
	}
	wg.Wait()
}

// settle gives back what can be given back, and returns how much memory is free.
func settle(goroutines int) uint64 {
	for i := 0; runtime.NumGoroutine() > goroutines; i++ {
		if i == 5000 {
			(&worker{op: "end"}).wrong("%d goroutines are left, %d were there at first", runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(time.Millisecond)
	}
	debug.FreeOSMemory()
	return free()
}

// slack is by how much free memory may differ: the heap's spans lie now here, now there.
const slack = 6 << 20

// argument is the program's argument i, or the variable, or otherwise.
func argument(i int, name, otherwise string) string {
	if len(os.Args) > i {
		return os.Args[i]
	}
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func main() {
	var err error
	if seed, err = strconv.ParseUint(argument(1, "SEED", "1"), 10, 64); err != nil {
		fmt.Printf("kernelstorm: the seed: %v.\n", err)
		os.Exit(2)
	}
	long := argument(2, "ROUNDS", "1")
	if steps, err = strconv.Atoi(argument(3, "STEPS", "12")); err != nil {
		fmt.Printf("kernelstorm: the steps: %v.\n", err)
		os.Exit(2)
	}
	rounds, err := strconv.Atoi(long)
	var until time.Time
	if d, err2 := time.ParseDuration(long); err != nil && err2 == nil {
		until, err = time.Now().Add(d), nil
	}
	if err != nil {
		fmt.Printf("kernelstorm: how long: %v.\n", err)
		os.Exit(2)
	}
	debug.SetMemoryLimit(16 << 20) // whatever GOGC says
	findDisk()
	begin := runtime.NumGoroutine()
	fmt.Printf("kernelstorm: seed %d, %d workers on %d Ps, disk %v.\n", seed, workers, runtime.GOMAXPROCS(0), diskSize > 0)
	var first, now uint64
	n, last := 0, time.Now()
	for ; n < rounds || time.Now().Before(until); n++ {
		round(n)
		if now = settle(begin); n == 1 {
			first = now
		}
		if time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Printf("kernelstorm: round %d, %d KiB free.\n", n, now>>10)
		}
	}
	if now+slack < first {
		(&worker{op: "end", round: n}).wrong("%d KiB were free after round 2, now %d", first>>10, now>>10)
	}
	fmt.Printf("kernelstorm: done, %d rounds, %d lines.\n", n, lines.Load())
}
