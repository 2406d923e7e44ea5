package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"sched9/tools/internal/bench"
)

// A leg is one boot of a plan.
type leg struct {
	mode    string // bench.ICount or bench.TCG
	peer    bool   // of Linux
	smp     int
	row     int           // vCPUs that its figures are shown under
	suffix  string        // of its operations' names
	slice   time.Duration // 0: the usual
	machine string        // "": the usual
	args    []string      // the program's
	limit   time.Duration // on the host
}

// String says what is being done.
func (l leg) String() string {
	who, how := "sched9", "in threads"
	if l.peer {
		who = "Linux"
	}
	if l.mode == bench.ICount {
		how = "counted"
	}
	return fmt.Sprintf("%s, vCPUs: %d, %s%s", who, l.smp, how, l.suffix)
}

// planned is what the user asked for.
type planned struct {
	arch        string
	quick, peer bool
	ops         string // "": all
	rounds      int    // 0: the usual
}

// Names of operations, for -ops of the program. parked must be alone: it needs memory that has not
// been used yet. Operations that spin take a long time where instructions are counted.
// What the end of a slice costs is measured where slices are short.
const (
	opsUsual  = `^[a-oqrt-z]|^p[b-z]|^s[^l]|^sle` // all but parked and slice-
	opsCheap  = `^(loop|now|getpid|spawn|gosched|pingpong|fanout|select|mutex|ring|skynet|buffered|pool|timer|workers|memstats$|churn|sleep-late$|preempt-1p|handoff)`
	opsParked = `^parked$`
	opsNone   = `^$`
)

// Limits of boots: several times what a busy host was seen to take.
const (
	limitShort = time.Minute
	limitLong  = 5 * time.Minute
)

// newPlan makes the boots of a run: first sched9, then Linux, and again, so that what else
// the host does strikes both. The error says what of p is wrong.
func newPlan(p planned) ([]leg, error) {
	if _, err := regexp.Compile(p.ops); err != nil {
		return nil, fmt.Errorf("-ops: %w", err)
	}
	if p.rounds < 0 || p.rounds > 100 {
		return nil, fmt.Errorf("-rounds: %d rounds asked for, 1 to 100 are possible", p.rounds)
	}
	counted, rounds, boots := 2, 3, 7
	cpus := []int{1, 2, 4}
	if p.quick {
		counted, rounds, boots = 1, 1, 3
		cpus = []int{4}
	}
	if p.rounds != 0 {
		rounds = p.rounds
	}
	usual, counts := opsUsual, opsUsual
	if p.quick {
		counts = opsCheap
	}
	if p.ops != "" {
		usual, counts = p.ops, p.ops
	}
	var legs []leg
	both := func(l leg) {
		l.row = l.smp
		legs = append(legs, l)
		if p.peer {
			l.peer = true
			legs = append(legs, l)
		}
	}
	for range counted {
		both(leg{mode: bench.ICount, smp: 1, args: measure(counts, 3, 1, scale(p, 25, 10)), limit: limitLong})
	}
	if p.matches("handoff") {
		// One vCPU is not enough: a call holds its own.
		legs = append(legs, leg{mode: bench.ICount, smp: 2, row: 1, args: measure("^handoff$", 1, 1, 100), limit: limitShort})
	}
	if p.matches("preempt-1p") {
		for _, s := range []time.Duration{100 * time.Microsecond, 10 * time.Microsecond} {
			legs = append(legs, leg{mode: bench.ICount, smp: 1, row: 1, slice: s,
				suffix: ", slice " + strconv.FormatInt(s.Microseconds(), 10) + "us", args: measure("^preempt-1p$", 1, 1, 100), limit: limitShort})
		}
	}
	// What must not grow with the number of Ps, and where slices are short what one costs. Linux does neither under icount.
	for _, s := range []struct {
		op, suffix string
		smp        int
		slice      time.Duration
	}{
		{"sleep-late", ", 4 Ps", 4, 0}, {"sleep-late", ", 64 Ps", 64, 0}, {"memstats", ", 64 Ps", 64, 0}, {"workers-64", ", 64 vCPUs", 64, 0},
		{"slice-end", ", slice 10us", 1, 10 * time.Microsecond}, {"slice-loss", ", slice 10us", 1, 10 * time.Microsecond},
	} {
		if p.matches(s.op) {
			legs = append(legs, leg{mode: bench.ICount, smp: s.smp, row: 1, slice: s.slice, suffix: s.suffix,
				args: measure("^"+s.op+"$", 1, 1, 100), limit: limitLong})
		}
	}
	for _, n := range cpus {
		for range rounds {
			both(leg{mode: bench.TCG, smp: n, args: measure(usual, scale(p, 7, 3), scale(p, 2, 1), scale(p, 30, 20)), limit: limitLong})
		}
	}
	if p.matches("parked") {
		both(leg{mode: bench.TCG, smp: 1, args: measure(opsParked, 1, 1, scale(p, 250, 100)), limit: limitLong})
	}
	if p.matches("boot") {
		for range boots {
			l := leg{mode: bench.TCG, smp: 4, row: 4, args: measure(opsNone, 1, 1, 1), limit: limitShort}
			legs = append(legs, l)
			if p.arch == "amd64" {
				for _, m := range []string{"microvm", slowMachine} {
					l.machine, l.suffix = m, ", "+m
					legs = append(legs, l)
				}
			}
		}
	}
	return legs, nil
}

// matches reports whether the operation called name is asked for.
func (p planned) matches(name string) bool {
	ok, err := regexp.MatchString(p.ops, name)
	return ok && err == nil
}

// scale chooses a figure.
func scale(p planned, full, quick int) int {
	if p.quick {
		return quick
	}
	return full
}

// measure makes the program's arguments.
func measure(ops string, samples, rounds, percent int) []string {
	return slices.Concat([]string{"-ops", ops}, []string{
		"-samples", strconv.Itoa(samples), "-rounds", strconv.Itoa(rounds), "-scale", strconv.Itoa(percent),
	})
}
