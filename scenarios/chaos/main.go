// Chaos does everything at once, in an order that a seed decides.
//
// Workers take steps; each step is one of the operations in the table below, drawn by the worker's own random numbers. So a
// seed determines the operations of every worker, whatever the scheduler does. Every operation checks its result: sums that go
// through channels are conserved, tokens are neither lost nor doubled, the holder of a lock is alone, allocated memory reads
// back, a sleeper is not early, a goroutine that is tied to a thread stays there and is alone there. On a correct scheduler
// none can wait for ever: locks are taken in one order and no goroutine waits for another while it holds one; a goroutine that
// waits for a token holds none; and each group of communicating goroutines ends its communication itself. So a run that does
// not end has lost a wake-up.
//
//	chaos [SEED [STEPS]]    or SEED=n, STEPS=n; OPS=name,name for some of the operations only, OPS=-name,-name for all others
//
// Nearly all ids of SPEC.md: [U1 U2 U3 U5 U7 U8, G1 to G6, M6 M11 to M13, A2 P4 P5 R10 S2 T1].
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// op is an operation and how often it is drawn, relative to others. A small one may also be done
// within others: it never waits for a goroutine that might wait for its worker, starts no goroutine
// and ends soon.
type op struct {
	name   string
	weight int
	small  bool
	do     func(*worker)
}

// ops are all operations, set by init: they refer to each other.
var ops []op

// smalls are those of ops that are small.
var smalls []op

func init() {
	ops = []op{
		{"yield", 10, true, (*worker).yield},
		{"churn", 6, true, (*worker).churn},
		{"transfer", 12, true, (*worker).transfer},
		{"table", 8, true, (*worker).table},
		{"sleep", 5, true, (*worker).sleep},
		{"build", 10, true, (*worker).build},
		{"pool", 4, true, (*worker).pool},
		{"dig", 5, true, (*worker).dig},
		{"panics", 6, true, (*worker).panics},
		{"pull", 6, true, (*worker).pull},
		{"delay", 6, true, (*worker).delay},
		{"tokens", 10, false, (*worker).tokens},
		{"pipeline", 6, false, (*worker).pipeline},
		{"volley", 8, false, (*worker).volley},
		{"hub", 5, false, (*worker).hub},
		{"tree", 6, false, (*worker).tree},
		{"queue", 5, false, (*worker).queue},
		{"barrier", 4, false, (*worker).barrier},
		{"once", 3, false, (*worker).once},
		{"timer", 6, false, (*worker).timer},
		{"ticker", 2, false, (*worker).ticker},
		{"deadline", 3, false, (*worker).deadline},
		{"pin", 10, false, (*worker).pin},
		{"leave", 6, false, (*worker).leave},
		{"await", 3, false, (*worker).await},
		{"procs", 4, false, (*worker).procs},
		{"collect", 1, false, (*worker).collect},
		{"look", 3, false, (*worker).look},
	}
}

// worker is a goroutine that takes random steps, and its random numbers.
type worker struct {
	name string
	rnd  *rand.Rand
	step int
	op   string
	pins int    // times it is tied to its thread
	mine *owner // its claim of its thread, nil: none
	kept []*block
}

// newWorker is a worker whose random numbers a and b decide.
func newWorker(name string, a, b uint64) *worker {
	return &worker{name: name, rnd: rand.New(rand.NewPCG(a, b))}
}

// child is a worker for a goroutine that w starts: with its own random numbers,
// so that w's do not depend on when the two run.
func (w *worker) child(i int) *worker {
	c := newWorker(w.name+"."+strconv.Itoa(i), w.rnd.Uint64(), w.rnd.Uint64())
	c.step, c.op = w.step, w.op
	return c
}

// must ends the program if ok is false.
func (w *worker) must(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("chaos: wrong: seed %d, worker %s, step %d, %s: %s\n", seed, w.name, w.step, w.op, fmt.Sprintf(format, args...))
		os.Exit(1)
	}
}

// one reports whether a thing happens that happens one time of n.
func (w *worker) one(n int) bool { return w.rnd.IntN(n) == 0 }

// some is a number from 1 to n.
func (w *worker) some(n int) int { return 1 + w.rnd.IntN(n) }

// draw does one of the operations.
func (w *worker) draw(from []op) {
	sum := 0
	for _, o := range from {
		sum += o.weight
	}
	n := w.rnd.IntN(sum)
	for _, o := range from {
		if n -= o.weight; n < 0 {
			was := w.op
			if w.op = o.name; was != "" {
				w.op = was + "/" + o.name
			}
			o.do(w)
			w.op = was
			opsDone.Add(1)
			return
		}
	}
}

// small does a small operation.
func (w *worker) small() { w.draw(smalls) }

// life is what a worker does.
func (w *worker) life(steps int) {
	for w.step = range steps {
		w.draw(ops)
		if n := stepsDone.Add(1); crowded && n%max(stepsWanted/4, 1) == 0 {
			fmt.Printf("chaos: %d of %d steps\n", n, stepsWanted)
		}
	}
	for _, b := range w.kept {
		b.check(w)
	}
}

// seed decides everything.
var seed uint64

var (
	opsDone, stepsDone atomic.Int64
	stepsWanted        int64
)

// number is the program's argument i, or the variable, or otherwise.
func number(i int, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if len(os.Args) > i {
		text = os.Args[i]
	}
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		fmt.Printf("chaos: %s is %q, which is no number\n", name, text)
		os.Exit(2)
	}
	return n
}

// choose leaves only the operations that OPS names, or all but those that it
// names with a minus, and finds the small ones.
func choose() {
	if names := os.Getenv("OPS"); names != "" {
		all := strings.Split(names, ",")
		ops = slices.DeleteFunc(ops, func(o op) bool {
			return slices.Contains(all, "-"+o.name) || names[0] != '-' && !slices.Contains(all, o.name)
		})
	}
	err := tryDelay()
	if err != nil {
		fmt.Printf("chaos: without the operation delay: %v\n", err)
	}
	if err != nil || !crowded {
		ops = slices.DeleteFunc(ops, func(o op) bool { return o.name == "delay" })
	}
	for _, o := range ops {
		if o.small {
			smalls = append(smalls, o)
		}
	}
	if len(ops) == 0 {
		fmt.Println("chaos: no operation is left")
		os.Exit(2)
	}
	if len(smalls) == 0 {
		smalls = []op{{"yield", 1, true, (*worker).yield}}
	}
}

func main() {
	seed = number(1, "SEED", 1)
	steps := int(min(number(2, "STEPS", 25), 1<<20))
	boss := newWorker("main", seed, 0)
	workers := 8 + runtime.NumCPU()
	stepsWanted = int64(workers * steps)
	crowded = boss.one(2) || runtime.NumCPU() < 3
	choose()
	if !crowded {
		threads = make(chan struct{}, runtime.NumCPU()-1)
	}
	fmt.Printf("chaos: seed %d, %d workers of %d steps on %d Ps, %s\n", seed, workers, steps, runtime.GOMAXPROCS(0),
		map[bool]string{true: "any number tied to threads", false: "without system calls, and with a thread for each that is tied to one"}[crowded])
	before := runtime.NumGoroutine()
	open(boss)
	// Some programs tie main.main to its thread, and most of its life it waits.
	tied := boss.one(2) && slices.ContainsFunc(ops, func(o op) bool { return o.name == "pin" })
	if tied {
		boss.hold(1)
	}
	var wg sync.WaitGroup
	for i := range workers {
		w := boss.child(i)
		w.name = strconv.Itoa(i)
		wg.Go(func() { w.life(steps) })
	}
	wg.Wait()
	if tied {
		boss.release()
	}
	closing(boss)
	// A goroutine that has said its last word may still be about to end.
	for i := 0; runtime.NumGoroutine() > before; i++ {
		boss.must(i < 5000, "%d goroutines are left, %d were there at first", runtime.NumGoroutine(), before)
		time.Sleep(time.Millisecond)
	}
	fmt.Printf("chaos: done seed %d ops %d\n", seed, opsDone.Load())
}

// open makes what all workers share, and closing checks that all of it is there.
func open(w *worker) {
	openBank()
	openTokens(w)
}

func closing(w *worker) {
	closeBank(w)
	closeTokens(w)
	closeHeap(w)
}
