// Package check replays a recorded run against the rules of SPEC.md: every rule that a trace can
// show. A broken rule is named by its id.
//
// The replay trusts the order of events: an event that gives something up is recorded before the
// act, one that takes something after it (record.Event). So an event that comes before its cause is
// an error of the scheduler and not of the clock.
//
// Not checked here, because a trace cannot show it: that a status changes by a compare-and-swap,
// who holds a lock, the contents of memory.
package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sched9/record"
	"sched9/sched"
	"sched9/trace"
)

// Violation is a broken rule.
type Violation struct {
	Rule  string // its id in Rules
	Event int    // of Trace.Events, where it was seen
	Time  int64  // the same moment, in the guest's nanoseconds
	M     int
	What  string
}

// String is one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s: %s (at %.6f ms, M %d, event %d)", v.Rule, v.What, float64(v.Time)/1e6, v.M, v.Event)
}

// maxPerRule is how many violations of one rule are told: the first says most.
const maxPerRule = 5

// Unjudged says why t cannot be judged, "" if it can: the host was too slow to read what the guest recorded. That
// proves nothing of the guest, neither that it keeps the rules nor that it breaks them.
func Unjudged(t *trace.Trace) string {
	if t.Overrun == 0 {
		return ""
	}
	return fmt.Sprintf("%d records were lost, because the host was too slow to read them (V3)", t.Overrun)
}

// Check replays t and returns the violations, in the order of events. A trace with lost records
// cannot be judged, which is a violation too: a caller that must tell the host's fault from the
// guest's asks Unjudged first.
func Check(t *trace.Trace) []Violation {
	c := newChecker(t)
	if n := t.TotalLost(); n > 0 {
		c.fail("V3", "%d records were lost, so the rest cannot be judged", n)
		return c.found
	}
	for i := range t.Events {
		c.i, c.e = i, &t.Events[i]
		c.event()
	}
	c.end()
	slices.SortStableFunc(c.found, func(a, b Violation) int { return a.Event - b.Event })
	return c.found
}

// checker is a replay: what the scheduler's structures hold after the events so
// far.
type checker struct {
	t     *trace.Trace
	i     int
	e     *trace.Event
	found []Violation
	count map[string]int

	gs       map[uint64]*gState
	ms       [record.MaxProcs]mState
	ps       [record.MaxProcs]pState
	global   []uint64 // the global queue, in its order
	procs    int      // Ps there are
	spinning int      // Ms that are counted as spinning
	npidle   int      // Ps on the idle list
	nrunning int      // Gs that run, or are in system calls, on Ms with Ps
	parked   int      // Ms on the list of parked ones
	cpus     int      // CPUs that are Ms, or may become ones: not those of foreign code
	locked   int      // Ms that wait for Gs of their own [M13]
	nlockedq int      // Gs that were passed to their Ms, which have not run them yet
	making   bool     // the event is part of starting an M: one without a P borrows that M's, to allocate
	kicked   bool     // a sleep was ended early, and no M was woken since
	asleep   int      // Ms that sleep without a P
	tells    int      // index in Trace.Events of an M's wake-up, presumably for a device; 0: none
	doubts   []doubt
	waived   []string // rules that the policy does not keep

	asleepSince int64 // since when one sleeps at any time
	world       worldState
	debts       []*gState // Gs with unsettled debts
	sliceTime   int64     // a time slice, in nanoseconds
	tight       bool      // time counts instructions of one processor, so bounds of time are meant exactly
	work        workState
}

// newChecker is a checker before the first event.
func newChecker(t *trace.Trace) *checker {
	c := &checker{t: t, count: map[string]int{}, gs: map[uint64]*gState{}, tight: t.ICount && t.SMP == 1, sliceTime: cmp.Or(t.Slice, sched.Slice), waived: strings.Fields(t.Waives)}
	for i := range c.ms {
		c.ms[i].p, c.ms[i].callP = -1, -1
	}
	for i := range c.ps {
		c.ps[i].m = -1
		c.ps[i].ring = map[uint32]uint64{}
	}
	c.foreigners()
	return c
}

// waives reports whether the policy does not keep the rule.
func (c *checker) waives(rule string) bool { return slices.Contains(c.waived, rule) }

// fail notes that rule is broken by the current event, unless the policy does not keep it anyhow.
func (c *checker) fail(rule, format string, args ...any) {
	if c.waives(rule) {
		return
	}
	if c.count[rule]++; c.count[rule] > maxPerRule {
		return
	}
	v := Violation{Rule: rule, Event: c.i, What: fmt.Sprintf(format, args...)}
	if c.e != nil {
		v.Time, v.M = c.e.Time, int(c.e.M)
	}
	c.found = append(c.found, v)
}

// must notes that rule is broken unless ok.
func (c *checker) must(ok bool, rule, format string, args ...any) {
	if !ok {
		c.fail(rule, format, args...)
	}
}

// event replays the current event.
func (c *checker) event() {
	m := &c.ms[c.e.M]
	if c.e.P >= 0 && c.e.Kind != record.EvAcquire && !interrupt(c.e.Kind) {
		c.must(m.p == int(c.e.P) || m.inCall && m.callP == int(c.e.P), "P1", "M %d acts with P %d but owns %s", c.e.M, c.e.P, name("P", m.p))
	}
	c.changed()
	c.callEvent()
	c.worldEvent()
	c.goroutineEvent()
	c.tiedEvent()
	c.wiredEvent()
	c.queueEvent()
	c.procEvent()
	c.machineEvent()
	c.findEvent()
	c.sliceEvent()
	c.interruptEvent()
	c.workEvent()
	if c.e.Kind != record.EvKick && c.e.Kind != record.EvSendIPI {
		m.last = c.e.Time
	}
	if !interrupt(c.e.Kind) {
		m.acted, m.lastAct = c.e.Kind, c.e.Time
	}
}

// changed takes a new slice, or policy. What that one waives is waived from now on, and what those before it did: queues
// and slices of theirs are still there.
func (c *checker) changed() {
	switch c.e.Kind {
	case record.EvSlice:
		c.must(c.e.Arg > 0 && c.e.Arg < 1<<62, "S2", "a slice of %d ns", c.e.Arg)
		c.sliceTime = int64(c.e.Arg)
		for i := range c.ms {
			c.ms[i].ahead = 0
		}
	case record.EvPolicy:
		if p := sched.PolicyNamed(c.e.Policy()); p != nil {
			c.waived = append(c.waived, strings.Fields(p.Waives)...)
		}
	}
}

// end judges what is still open. The program may end at any moment, so little is an error then.
func (c *checker) end() {
	c.ringEnd()
	c.debtsEnd()
	c.machineEnd()
	c.callEnd()
	c.procEnd()
}

// name is "P 3", or "none" for -1.
func name(what string, i int) string {
	if i < 0 {
		return "no " + what
	}
	return fmt.Sprintf("%s %d", what, i)
}
