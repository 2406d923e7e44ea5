// Litmus runs the small programs that tell memory models apart, many times.
//
// Shows the memory model rows of SPEC.md (a send happens before its receive, go f() before f runs) and [R4]
// (stores before a G was put in a queue are visible to the M that gets it). The proof: each test has an outcome
// that the Go memory model forbids. The tests with atomics run their two or four sides over the same array of
// cells from a common start, so that they meet at every offset; allowed outcomes are counted and printed,
// forbidden ones end the program. The tests with plain variables have no atomics at all: the only order between
// writer and reader is the one that the scheduler and the channels guarantee. They hold under the race detector
// too.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	words "sched9/sched/atomic"
)

const (
	cells  = 500
	rounds = 12

	stretch = 25
)

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("litmus: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}

// A cell is what one iteration works on: two variables, two words as the scheduler has
// them, and what the sides read into r.
type cell struct {
	x, y atomic.Int32
	u, v words.Int32
	r    [4]int32
	_    [32]byte
}

// meet runs the sides over the same fresh cells; they start each stretch of them at once.
func meet(sides ...func(*cell)) []cell {
	cs := make([]cell, cells)
	var waiting atomic.Int32
	var wg sync.WaitGroup
	for _, side := range sides {
		wg.Go(func() {
			for i := range cs {
				if i%stretch == 0 {
					waiting.Add(1)
					for int(waiting.Load()) < (i/stretch+1)*len(sides) {
						runtime.Gosched()
					}
				}
				side(&cs[i])
			}
		})
	}
	wg.Wait()
	return cs
}

// litmus counts the outcomes of a test, one of which is forbidden. Reads are written as digits, in
// the order of r.
func litmus(name string, reads int, forbidden string, sides ...func(*cell)) {
	seen := count(name, reads, forbidden, sides...)
	check(seen == 0, "%s: forbidden %s seen %d times", name, forbidden, seen)
}

// count runs a test, prints its outcomes, and returns how often outcome which was seen.
func count(name string, reads int, which string, sides ...func(*cell)) int {
	outcomes := make(map[string]int)
	for range rounds {
		cs := meet(sides...)
		for i := range cs {
			outcomes[fmt.Sprint(cs[i].r[:reads])]++
		}
	}
	fmt.Printf("litmus: %s: %v\n", name, outcomes)
	return outcomes[which]
}

func atomics() {
	litmus("message passing", 2, "[1 0]",
		func(c *cell) { c.x.Store(1); c.y.Store(1) },
		func(c *cell) { c.r[0] = c.y.Load(); c.r[1] = c.x.Load() })
	buffering := []func(*cell){
		func(c *cell) { c.x.Store(1); c.r[0] = c.y.Load() },
		func(c *cell) { c.y.Store(1); c.r[1] = c.x.Load() },
	}
	if runtime.GOARCH == "arm64" {
		// QEMU's TCG does not keep what the architecture and so Go promise: sched/atomic has the
		// whole story, and the scheduler's own words are judged below.
		n := count("store buffering", 2, "[0 0]", buffering...)
		fmt.Printf("litmus: a load passed a store %d times, which is for an emulator to answer\n", n)
	} else {
		litmus("store buffering", 2, "[0 0]", buffering...)
	}
	litmus("load buffering", 2, "[1 1]",
		func(c *cell) { c.r[0] = c.y.Load(); c.x.Store(1) },
		func(c *cell) { c.r[1] = c.x.Load(); c.y.Store(1) })
	litmus("read coherence", 2, "[1 0]",
		func(c *cell) { c.x.Store(1) },
		func(c *cell) { c.r[0] = c.x.Load(); c.r[1] = c.x.Load() })
	litmus("independent reads", 4, "[1 0 1 0]",
		func(c *cell) { c.x.Store(1) },
		func(c *cell) { c.y.Store(1) },
		func(c *cell) { c.r[0] = c.x.Load(); c.r[1] = c.y.Load() },
		func(c *cell) { c.r[2] = c.y.Load(); c.r[3] = c.x.Load() })
}

// plain is many plain words, so that a write which arrives late is likely to be caught.
type plain [16]int

func (p *plain) write(n int) {
	for i := range p {
		p[i] = n + i
	}
}

func (p *plain) read(n int, where string) {
	for i := range p {
		check(p[i] == n+i, "%s: word %d is %d, not %d", where, i, p[i], n+i)
	}
}

// starts: go f() happens before f runs; f's end, by way of a channel, before main goes on.
func starts(n int) {
	const batch = 50
	done := make(chan bool)
	var data [batch]plain
	for i := range n {
		for j := range data {
			p := &data[j]
			p.write(i)
			go func() { // often run by another M, which stole it
				p.read(i, "go statement")
				p.write(i + 1000)
				done <- true
			}()
		}
		for range data {
			<-done
		}
		for j := range data {
			data[j].read(i+1000, "end of goroutine")
		}
	}
	fmt.Printf("litmus: go statement: %d goroutines saw what was written before\n", n*batch)
}

// sends: a send happens before its receive; receive k before send k+C of a channel with room for C.
func sends(n, room int) {
	c := make(chan *plain, room)
	slots := make([]plain, room+2) // one in the sender's hand, room in the buffer, one with the receiver
	done := make(chan bool)
	back := make(chan bool)
	go func() {
		for i := range n {
			p := <-c
			p.read(i, "channel")
			p.write(-1)
			if room == 0 {
				back <- true
			}
		}
		close(done)
	}()
	for i := range n {
		// The receiver has begun receive i-1-room when send i-1 is through, so slot i-2-room is free again.
		p := &slots[i%len(slots)]
		p.write(i)
		c <- p
		if room == 0 {
			<-back
			p.read(-1, "answer")
		}
	}
	<-done
	fmt.Printf("litmus: channel with room for %d: %d messages\n", room, n)
}

// closes: close happens before a receive that returns because of it.
func closes(n int) {
	for i := range n {
		var p plain
		gate := make(chan bool)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { <-gate; p.read(i, "close") })
		}
		p.write(i)
		close(gate)
		wg.Wait()
	}
	fmt.Printf("litmus: close: %d gates\n", n)
}

// locks: unlock happens before the next lock; once.Do before every other Do returns.
func locks(n int) {
	var mu sync.RWMutex
	var p plain
	turn := 0
	p.write(0)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range n {
				mu.Lock()
				p.read(turn, "mutex")
				turn++
				p.write(turn)
				mu.Unlock()
				mu.RLock()
				p.read(turn, "read lock")
				mu.RUnlock()
			}
		})
	}
	wg.Wait()
	for i := range n {
		var once sync.Once
		var q plain
		for range 4 {
			wg.Go(func() { once.Do(func() { q.write(i) }); q.read(i, "once") })
		}
		wg.Wait()
	}
	fmt.Printf("litmus: locks: %d turns\n", turn)
}

func main() {
	fmt.Printf("litmus: on %d Ps\n", runtime.GOMAXPROCS(0))
	atomics()
	protocols()
	ring(1)
	ring(3)
	runnext(1)
	runnext(3)
	starts(40)
	for _, room := range []int{0, 1, 16} {
		sends(1500, room)
	}
	closes(200)
	locks(200)
	fmt.Println("litmus: done")
}
