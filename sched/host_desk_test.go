package sched

import (
	"sched9/sched/atomic"
	"strings"
	"testing"
)

// What tests on the desk share: they call sched's functions one after the other
// as some M, and see where Schedule ends.

// desk is the host of tests that call sched's functions one after the other.
// Nothing waits on it: an M that would sleep panics with halted, one that would
// run a task with a dispatch.
type desk struct {
	mdl    *model
	me     *cpu // the caller, nil: CPU 0
	locked bool
	locks  int // how often
	kicks  []int32
}

type halted struct {
	m        *M
	deadline int64
}

type dispatch struct {
	t       *task
	inherit bool
}

func (d *desk) lock() {
	if d.locked {
		panic("scheduler lock taken twice")
	}
	d.locked = true
	d.locks++
}
func (d *desk) unlock() {
	if !d.locked {
		panic("scheduler lock not held")
	}
	d.locked = false
}
func (d *desk) self() *cpu {
	if d.me == nil {
		return d.mdl.cpus[0]
	}
	return d.me
}
func (d *desk) point(what string) {
	if d.mdl.onPoint != nil {
		d.mdl.onPoint(what)
	}
}
func (d *desk) halt(c *cpu, word *atomic.Uint32, deadline int64) {
	if word.Load() == 0 {
		panic(halted{c.m, deadline})
	}
}
func (d *desk) execute(c *cpu, t *task, inherit bool) {
	panic(dispatch{t, inherit})
}
func (d *desk) kick(c *cpu)                              { d.kicks = append(d.kicks, c.m.ID) }
func (d *desk) start(*cpu)                               {}
func (d *desk) spin(*cpu, *task, bool, func() bool) bool { return false }

// on has a desk's calls be M m's.
func (mdl *model) on(m *M) *M {
	mdl.host.(*desk).me = mdl.cpus[m.ID]
	return m
}

// gs makes n runnable tasks.
func (mdl *model) gs(n int) []*task {
	ts := make([]*task, n)
	for i := range ts {
		ts[i] = mdl.newTask(leaf)
	}
	return ts
}

// schedule runs Schedule on m and returns the task that it dispatches, or nil
// if m goes to sleep, until deadline if it does so as the timer M.
func (mdl *model) schedule(t *testing.T, m *M) (d dispatch, deadline int64) {
	t.Helper()
	return mdl.ends(t, m, func() { mdl.s.Schedule(m) })
}

// ends runs f on m, which does not return, and returns what it ends in, as schedule.
func (mdl *model) ends(t *testing.T, m *M, f func()) (d dispatch, deadline int64) {
	t.Helper()
	defer func() {
		switch r := recover().(type) {
		case dispatch:
			d = r
		case halted:
			deadline = r.deadline
		case quit:
			t.Fatal(mdl.failure())
		default:
			panic(r)
		}
	}()
	mdl.on(m)
	f()
	return
}

// thrown checks that f ends in a Throw that names the rule.
func (mdl *model) thrown(t *testing.T, rule string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		if _, ok := r.(quit); r != nil && !ok {
			panic(r)
		}
		msg := mdl.failure()
		if !strings.HasPrefix(msg, "throw: "+rule) {
			t.Errorf("want a throw that names %s, got %q", rule, msg)
		}
		mdl.failed = ""
		if d, ok := mdl.host.(*desk); ok {
			d.locked = false
		}
	}()
	f()
}

// ids names tasks for comparison.
func ids(ts []*task) (s []int) {
	for _, t := range ts {
		s = append(s, t.id)
	}
	return s
}

// drainIDs takes all of p, in the owner's order.
func (mdl *model) drainIDs(p *P) (s []int) {
	for g, _ := mdl.s.runqPop(p); g != nil; g, _ = mdl.s.runqPop(p) {
		s = append(s, taskOf(g).id)
	}
	return s
}

// globalIDs takes all of the global queue.
func (mdl *model) globalIDs() (s []int) {
	mdl.s.getGlobalAll(func(g *G) { s = append(s, taskOf(g).id) })
	return s
}

// putAll puts ts at the end of p's ring.
func (mdl *model) putAll(p *P, ts []*task) {
	for _, t := range ts {
		mdl.s.runqPut(mdl.s.M(0), p, &t.G, false)
	}
}

// setRing moves p's empty ring to a position.
func setRing(p *P, at uint32) {
	p.head.Store(at)
	p.tail.Store(at)
}

// positions are places of a ring's head: the ordinary one, and those where head,
// tail, or the middle of the ring pass 2^32.
var positions = []uint32{0, 100, 1<<32 - 1, 1<<32 - 100, 1<<32 - 128, 1<<32 - 256}
