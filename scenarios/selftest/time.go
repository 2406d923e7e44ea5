package main

import (
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// begin is what the steps count time from.
var begin = time.Now()

// now returns the clock in nanoseconds.
func now() int64 { return int64(time.Since(begin)) }

// clock reads the clock on each processor: it never goes backwards, and moves.
func clock(m *machine) (string, error) {
	const reads = 20_000
	least := make([]int64, len(m.work)) // the smallest step
	back := make([]int64, len(m.work))  // the largest one backwards
	m.all(func(i int) {
		last := now()
		for range reads {
			t := now()
			if d := t - last; d < 0 {
				back[i] = max(back[i], -d)
			} else if d > 0 && (least[i] == 0 || d < least[i]) {
				least[i] = d
			}
			last = t
		}
	})
	for i := range m.work {
		if back[i] > 0 {
			return "", fmt.Errorf("processor %d's went backwards by %d ns", i, back[i])
		}
		if least[i] == 0 {
			return "", fmt.Errorf("processor %d's does not move", i)
		}
	}
	return fmt.Sprintf("moves on %d processors, by %d ns at least", len(m.work), slices.Min(least)), nil
}

// inStep compares the clocks of each two processors: what one has read before it tells the other is not after what the other reads then. Both directions together
// bound how far they are apart.
func inStep(m *machine) (string, error) {
	if len(m.work) < 2 {
		return "one processor", absent
	}
	const rounds = 500
	var unsure int64
	err := m.pairs(func(a, b int) error {
		// The least time from a's reading to b's, and back: the difference of the clocks makes one of them
		// shorter, and as much of it as is longer than the way makes it negative.
		there, back := int64(1<<62), int64(1<<62)
		m.volley(a, b, rounds, func() int64 { return now() }, func(from int, sent, got int64) {
			if from == a {
				there = min(there, got-sent)
			} else {
				back = min(back, got-sent)
			}
		})
		unsure = max(unsure, (there+back)/2)
		return together(there, back)
	})
	return fmt.Sprintf("no difference is seen; %d ns or less would not be", unsure), err
}

// together judges the least times from one processor's reading of the clock to another's, and back.
func together(there, back int64) error {
	if there < 0 || back < 0 {
		return fmt.Errorf("the clocks are apart by %d ns or more", max(-there, -back))
	}
	return nil
}

// volley has a and b tell each other, rounds times or as long as a quarter of a second, what read returns, by a word of memory. heard is called for each: who told, what, and what the other
// read then. It returns how often a and b took turns.
func (m *machine) volley(a, b, rounds int, read func() int64, heard func(from int, sent, got int64)) int {
	const most = 250 * time.Millisecond
	var turn atomic.Int32 // even: a's
	var word atomic.Int64
	var over atomic.Bool
	end := time.Now().Add(most)
	m.on([]int{a, b}, func(i int) {
		mine := int32(0)
		if i == b {
			mine = 1
		}
		for k := mine; k < int32(2*rounds); k += 2 {
			for turn.Load() != k {
				if over.Load() {
					return
				}
			}
			if k > 0 {
				heard(a+b-i, word.Load(), read())
			}
			word.Store(read())
			turn.Store(k + 1)
			if i == a && time.Now().After(end) {
				over.Store(true)
				return
			}
		}
	})
	return int(turn.Load())
}

// rtc reads the real-time clock; false: there is none.
func rtc() (s int64, ok bool) {
	text, err := os.ReadFile("/dev/rtc")
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(strings.TrimSpace(string(text)), &s)
	return s, err == nil
}

// A change of the real-time clock's second came between two readings of the clock.
type change struct {
	s             int64
	after, before int64
}

// nextChange waits for the next change of what read returns, for three seconds at most. The change came after the beginning of the last reading of the
// old second, and before the end of the first one of the new: a sleep in between may have lasted for any time.
func nextChange(now func() int64, read func() (int64, bool), sleep func(time.Duration)) (c change, ok bool) {
	c.after = now()
	end := c.after + 3e9
	s, ok := read()
	for ok && now() < end {
		sleep(time.Millisecond)
		t := now()
		if c.s, ok = read(); ok && c.s != s {
			c.before = now()
			return c, true
		}
		c.after = t
	}
	return c, false
}

// againstRTC measures two seconds of the real-time clock. Each change of its second lies between two readings, which bound the time from one to
// the other; what delays a reading makes the bounds wider, not wrong.
func againstRTC(*machine) (string, error) {
	next := func() (change, bool) { return nextChange(now, rtc, time.Sleep) }
	first, ok := next()
	if !ok {
		if _, ok := rtc(); !ok {
			return "no real-time clock", absent
		}
		return "the real-time clock does not move", absent
	}
	last := first
	for last.s < first.s+2 {
		if last, ok = next(); !ok {
			return "", fmt.Errorf("the real-time clock stopped")
		}
	}
	return compare(first, last)
}

// compare judges the clock by two changes of the real-time clock's second: a hundredth is what a machine may be wrong by.
func compare(first, last change) (string, error) {
	s := (last.s - first.s) * 1e9
	least, most := last.after-first.before, last.before-first.after
	if s < least-s/100 || s > most+s/100 {
		return "", fmt.Errorf("%d ms by the real-time clock are %d to %d ms by ours", s/1e6, least/1e6, most/1e6)
	}
	return fmt.Sprintf("%d ms are %.1f to %.1f ms", s/1e6, float64(least)/1e6, float64(most)/1e6), nil
}

// histogram counts times by their powers of two, in microseconds.
type histogram [24]int

// add counts ns.
func (h *histogram) add(ns int64) {
	h[min(bits.Len64(uint64(max(ns, 0)/1000)), len(h)-1)]++
}

// String shows the powers that there are, as in <1us:3 <2us:10.
func (h *histogram) String() string {
	var b strings.Builder
	for i, n := range h {
		if n > 0 {
			unit, p := "us", 1<<i
			if p >= 1<<10 {
				unit, p = "ms", p>>10
			}
			fmt.Fprintf(&b, " <%d%s:%d", p, unit, n)
		}
	}
	return strings.TrimSpace(b.String())
}

// timers has each processor sleep for a millisecond again and again: none wakes early. How late it wakes is the latency of the timer's interrupt and of what
// follows it.
func timers(m *machine) (string, error) {
	const sleeps = 50
	const d = time.Millisecond
	late := make([]histogram, len(m.work))
	early := make([]int64, len(m.work))
	for i := range m.work {
		m.doing(fmt.Sprintf("processor %d", i))
		m.on([]int{i}, func(i int) {
			for range sleeps {
				t := now()
				time.Sleep(d)
				over := now() - t - int64(d)
				early[i] = max(early[i], -over)
				late[i].add(over)
			}
		})
	}
	var sum histogram
	for i := range late {
		if early[i] > 0 {
			return "", fmt.Errorf("processor %d woke %d ns early", i, early[i])
		}
		for k, n := range late[i] {
			sum[k] += n
		}
	}
	return "late by " + sum.String(), nil
}
