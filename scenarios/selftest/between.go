package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// processors sees that all run at the same time: each waits for all others without giving way.
func processors(m *machine) (string, error) {
	ids := slices.Clone(m.ids)
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != len(m.work) {
		return "", fmt.Errorf("%d goroutines are on %d processors", len(m.work), n)
	}
	var here atomic.Int32
	m.all(func(int) {
		here.Add(1)
		for int(here.Load()) < len(m.work) {
		}
	})
	return fmt.Sprintf("%d run", len(m.work)), nil
}

// parks returns how often the Ms have gone to sleep; 0 where nothing tells.
func parks() (n int) {
	all, _ := os.ReadDir("/sched/m")
	for _, m := range all {
		text, _ := os.ReadFile("/sched/m/" + m.Name() + "/status")
		_, rest, _ := strings.Cut(string(text), " parks=")
		var k int
		fmt.Sscanf(rest, "%d", &k)
		n += k
	}
	return n
}

// interrupts has each processor wake each other one, which has gone to sleep: only an interrupt ends its halt. An answer that does not come
// stops the run, and the watch says between which two.
func interrupts(m *machine) (string, error) {
	if len(m.work) < 2 {
		return "one processor", absent
	}
	const rounds = 8
	const settle = 300_000 // ns: longer than an M looks for work before it sleeps
	var ways histogram
	before, woken := parks(), 0
	err := m.pairs(func(a, b int) error {
		ask, answer := make(chan int64), make(chan int64)
		m.on([]int{a, b}, func(i int) {
			send, receive := ask, answer
			if i == b {
				send, receive = answer, ask
			}
			for r := range rounds {
				if i == a || r > 0 {
					for t := now(); now()-t < settle; {
					}
				}
				if i == b {
					sent := <-receive
					ways.add(now() - sent)
				}
				for t := now(); now()-t < settle; { // the other sleeps by then
				}
				send <- now()
				if i == a {
					sent := <-receive
					ways.add(now() - sent)
				}
			}
		})
		woken += 2 * rounds
		return nil
	})
	slept := parks() - before
	if before > 0 && slept < woken/2 {
		return "", fmt.Errorf("of %d that were woken only %d had gone to sleep", woken, slept)
	}
	return fmt.Sprintf("%d wakes, after %s", woken, ways.String()), err
}

// preemption has two endless loops for each processor: all get their turns, and floats in registers stay what they are.
func preemption(m *machine) (string, error) {
	n := 2 * len(m.work)
	turns := make([]atomic.Uint64, n*16) // a line of the cache for each
	var over atomic.Bool
	sums := make(chan string, n)
	for i := range n {
		go func() {
			whole, half := uint64(0), 0.5
			for !over.Load() {
				whole++
				half++
				turns[i*16].Store(whole)
				if whole == 1<<50 {
					whole, half = 0, 0.5
				}
			}
			if half != float64(whole)+0.5 {
				sums <- fmt.Sprintf("loop %d counted %d as %v", i, whole, half)
				return
			}
			sums <- ""
		}()
	}
	t := now()
	for moved := 0; moved < n; time.Sleep(time.Millisecond) {
		moved = 0
		for i := range n {
			if turns[i*16].Load() > 0 {
				moved++
			}
		}
	}
	first := now() - t
	for end := t + first + 50e6; now() < end; {
		time.Sleep(time.Millisecond)
	}
	over.Store(true)
	var err error
	for range n {
		if s := <-sums; s != "" {
			err = fmt.Errorf("%s", s)
		}
	}
	return fmt.Sprintf("%d loops without calls all had turns after %.1f ms", n, float64(first)/1e6), err
}

// memoryOrder tries what the Go memory model forbids with atomics: that a message comes before what it tells of, and that both of two
// processors miss what the other has stored. An emulator may not keep the second (docs/limits.md), where it is counted.
func memoryOrder(m *machine) (string, error) {
	if len(m.work) < 2 {
		return "one processor", absent
	}
	const cells = 2000
	type cell struct {
		x, y, r, s atomic.Int32
		_          [48]byte
	}
	tried, passed := 0, 0
	err := m.pairs(func(a, b int) error {
		if len(m.work) > 8 && b != a+1 { // neighbours, where there are many
			return nil
		}
		message, store := make([]cell, cells), make([]cell, cells)
		var ready atomic.Int32
		m.on([]int{a, b}, func(i int) {
			ready.Add(1)
			for ready.Load() < 2 {
			}
			for k := range cells {
				p, q := &message[k], &store[k]
				if i == a {
					p.x.Store(1)
					p.y.Store(1)
					q.x.Store(1)
					q.r.Store(q.y.Load())
				} else {
					p.r.Store(p.y.Load())
					p.s.Store(p.x.Load())
					q.y.Store(1)
					q.s.Store(q.x.Load())
				}
			}
		})
		for k := range cells {
			if message[k].r.Load() == 1 && message[k].s.Load() == 0 {
				return fmt.Errorf("a message was seen before what was stored before it")
			}
			if store[k].r.Load() == 0 && store[k].s.Load() == 0 {
				passed++
			}
		}
		tried += cells
		return nil
	})
	if err == nil && passed > 0 && runtime.GOARCH == "amd64" {
		err = fmt.Errorf("a load passed a store %d times", passed)
	}
	seen := fmt.Sprintf("%d times two processors", tried)
	if passed > 0 {
		seen += fmt.Sprintf("; a load passed a store %d times, as emulators of arm64 do", passed)
	}
	return seen, err
}

// cacheLine has each two processors take turns to write one word.
func cacheLine(m *machine) (string, error) {
	if len(m.work) < 2 {
		return "one processor", absent
	}
	var each []int64
	var slow string
	err := m.pairs(func(a, b int) error {
		t := now()
		n := m.volley(a, b, 2000, func() int64 { return 0 }, func(int, int64, int64) {})
		each = append(each, (now()-t)/int64(max(n, 1)))
		if each[len(each)-1] == slices.Max(each) {
			slow = fmt.Sprintf("%d and %d", a, b)
		}
		return nil
	})
	slices.Sort(each)
	return fmt.Sprintf("a turn takes %d ns, median %d, most %d (%s)", each[0], each[len(each)/2], each[len(each)-1], slow), err
}

// stops stops the world from here while all others compute.
func stops(m *machine) (string, error) {
	var over atomic.Bool
	for range m.work {
		go func() {
			for !over.Load() {
			}
		}()
	}
	var h histogram
	for range 20 {
		t := now()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		h.add(now() - t)
		m.doing("stopping")
	}
	t := now()
	runtime.GC()
	gc := now() - t
	over.Store(true)
	return fmt.Sprintf("and started after %s; a collection took %.1f ms", h.String(), float64(gc)/1e6), nil
}
