package sched

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// turns is a host whose Ms are coroutines: one runs at a time, and hands over at
// every call of an interface of sched. Which one goes on is drawn from a seed,
// so that a failure can be repeated; and because all stand at known places, the
// state between two turns can be checked exactly.
//
// Between two such calls sched's atomics run undisturbed: their races are for
// threads_test.go.
type turns struct {
	mdl    *model
	rnd    *rand.Rand
	seats  []*cpu
	cur    *cpu
	locked bool
	steps  int
}

// seat is where an M of either host stands.
type seat struct {
	at       string // the point, or "" while it runs
	word     *atomic.Uint32
	deadline int64
	woken    bool        // kicked since it halted
	done     func() bool // of a spinning task
	giveUp   bool

	// Of turns only.
	next   func() (string, bool)
	stop   func()
	to     func(string) bool
	frozen int // not chosen before this step, if there is another

	// Of threads only.
	kicked chan struct{}
}

func (st *seat) String() string { return fmt.Sprintf("at %q until %d", st.at, st.deadline) }

func (tn *turns) lock() {
	if tn.locked {
		panic("an M handed over with the scheduler lock held")
	}
	tn.locked = true
}
func (tn *turns) unlock()    { tn.locked = false }
func (tn *turns) self() *cpu { return tn.cur }

// kick ends a halt. A token without a kick does not, if it comes after the look
// at it: a machine in its halt sees nothing.
func (tn *turns) kick(c *cpu) { c.woken = true }

func (tn *turns) point(what string) {
	if tn.cur == nil || tn.locked {
		return
	}
	tn.cur.at = what
	if !tn.cur.to(what) {
		panic(quit{})
	}
}

func (tn *turns) halt(c *cpu, word *atomic.Uint32, deadline int64) {
	c.word, c.deadline = word, deadline
	for word.Load() == 0 && (deadline == 0 || deadline > tn.mdl.Now()) {
		c.woken = false
		tn.point("halt")
	}
	c.word, c.deadline = nil, 0
}

func (tn *turns) spin(c *cpu, done func() bool) bool {
	c.done = done
	for !done() && !tn.mdl.stopping.Load() && !c.giveUp {
		tn.point("spin")
	}
	c.done, c.giveUp = nil, false
	return done()
}

func (tn *turns) execute(c *cpu, t *task, inherit bool) { c.execute(t) }

func (tn *turns) start(c *cpu) { tn.seat(c, c.run) }

// seat makes c a coroutine that runs f.
func (tn *turns) seat(c *cpu, f func()) {
	c.at = "begin"
	c.next, c.stop = iter.Pull(func(to func(string) bool) {
		c.to = to
		f()
	})
	tn.seats = append(tn.seats, c)
}

// ready reports whether c can go on.
func (tn *turns) ready(c *cpu) bool {
	switch c.at {
	case "halt":
		return c.woken || c.deadline != 0 && c.deadline <= tn.mdl.Now()
	case "spin":
		return c.done() || tn.mdl.stopping.Load() || c.giveUp
	}
	return true
}

// calm reports whether c sleeps or is in a task's own code.
func (tn *turns) calm(c *cpu) bool {
	return c.at == "step" || c.at == "spin" || c.at == "halt" && !tn.ready(c)
}

// resume lets c go on to its next point and returns it, or "end".
func (tn *turns) resume(c *cpu) string {
	tn.cur = c
	at, ok := c.next()
	tn.cur = nil
	if !ok {
		c.at = "end"
		return "end"
	}
	return at
}

// until lets c go on to the point named what.
func (tn *turns) until(t *testing.T, c *cpu, what string) {
	t.Helper()
	for i := 0; i < 10000; i++ {
		at := tn.resume(c)
		if msg := tn.mdl.failure(); msg != "" {
			t.Fatal(msg)
		}
		if at == what {
			return
		}
		if at == "end" || at == "halt" && !tn.ready(c) {
			break
		}
	}
	t.Fatalf("M %d never came to %q, it is at %q\n%s", c.m.ID, what, c.at, tn.mdl.dump())
}

func (tn *turns) close() {
	for _, c := range tn.seats {
		if c.at != "end" {
			c.stop()
		}
	}
}

// play runs until all Ms sleep for good and returns what went wrong.
func (tn *turns) play(limit int) string {
	defer tn.close()
	mdl := tn.mdl
	var able []*cpu
	for tn.steps = 0; tn.steps < limit; tn.steps++ {
		able = able[:0]
		calm := true
		for _, c := range tn.seats {
			calm = calm && tn.calm(c)
			if c.at != "end" && tn.ready(c) {
				able = append(able, c)
			}
		}
		if calm {
			if msg := mdl.unfair(); msg != "" {
				return msg + "\n" + mdl.dump()
			}
		}
		if len(able) == 0 {
			if over, msg := tn.rest(); over {
				return msg
			}
			continue
		}
		c := able[tn.rnd.IntN(len(able))]
		for i := 0; i < 4 && c.frozen > tn.steps; i++ {
			c = able[tn.rnd.IntN(len(able))]
		}
		// An M that stands still while the others do a lot is what a delayed
		// processor looks like.
		if tn.rnd.IntN(32) == 0 {
			c.frozen = tn.steps + tn.rnd.IntN(300)
		}
		tn.resume(c)
		if msg := mdl.failure(); msg != "" {
			return msg
		}
	}
	return "the program does not end\n" + mdl.dump()
}

// rest is called when no M can go on: it has one give its P up, or moves the
// clock, or tells that this is the end.
func (tn *turns) rest() (over bool, msg string) {
	var deadline int64
	for _, c := range tn.seats {
		if c.at == "spin" {
			c.giveUp = true
			return false, ""
		}
		if c.deadline != 0 && (deadline == 0 || c.deadline < deadline) {
			deadline = c.deadline
		}
	}
	switch {
	case deadline != 0:
		tn.mdl.clock.Store(deadline)
		return false, ""
	case tn.mdl.live.Load() != 0:
		return true, "all Ms sleep and tasks are left\n" + tn.mdl.dump()
	}
	return true, ""
}

// newTurns makes a model whose Ms take turns.
func newTurns(ncpu int, procs int32, seed uint64) (*model, *turns) {
	mdl := newModel(ncpu, procs)
	tn := &turns{mdl: mdl, rnd: rand.New(rand.NewPCG(seed, 9))}
	mdl.host = tn
	mdl.seed.Store(uint32(seed) * 0x85ebca6b)
	return mdl, tn
}

// TestWorkConservationTurns runs the random program under many schedules. After
// every turn in which no M is inside the scheduler it checks that no G waits
// while a P is idle, and that no timer of an idle P is forgotten.
func TestWorkConservationTurns(t *testing.T) {
	n := uint64(8000)
	if raceEnabled {
		n = 250
	}
	stops, runs := 0, uint64(0)
	for seed := uint64(1); seed <= n; seed++ {
		ncpu := int(2 + seed%4)
		mdl, tn := newTurns(ncpu, int32(1+seed/4%uint64(ncpu)), seed)
		mdl.root(1, 60, 12)
		tn.start(mdl.cpus[0])
		if msg := tn.play(400_000); msg != "" {
			t.Fatalf("seed %d, step %d: %s", seed, tn.steps, msg)
		}
		mdl.checkEnd(t)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		stops += mdl.stops
		for i := range mdl.s.ms {
			runs += mdl.s.ms[i].Stats.Runs
		}
	}
	t.Logf("%d programs, %d dispatches, %d stops of the world", n, runs, stops)
}
