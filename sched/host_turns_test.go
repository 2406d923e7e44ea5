package sched

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"sched9/sched/atomic"
	"testing"
)

// turns is a host whose Ms are coroutines: one runs at a time, and hands over at
// every call of an interface of sched. Which one goes on is drawn from a seed,
// so that a failure can be repeated; and because all stand at known places, the
// state between two turns can be checked exactly.
//
// Between two such calls sched's atomics run undisturbed: their races are for
// host_threads_test.go.
type turns struct {
	mdl    *model
	rnd    *rand.Rand
	seats  []*cpu
	cur    *cpu
	holder *cpu // of the scheduler lock
	steps  int

	beat  int64 // of the model, when quiet began
	quiet int   // rests since then
}

// seat is where an M of either host stands.
type seat struct {
	at       string // the point, or "" while it runs
	word     *atomic.Uint32
	deadline int64
	woken    bool        // kicked since it halted
	done     func() bool // of a spinning task
	spins    *task       // that
	inCall   bool        // it is in a system call, where it cannot be asked to leave
	giveUp   bool

	// Of turns only.
	next   func() (string, bool)
	stop   func()
	to     func(string) bool
	early  bool // its halt ends for no reason
	frozen int  // not chosen before this step, if there is another

	// Of threads only.
	kicked chan struct{}
}

func (st *seat) String() string { return fmt.Sprintf("at %q until %d", st.at, st.deadline) }

// nobody holds the scheduler lock for a test that calls sched itself.
var nobody = new(cpu)

// lock waits until the lock is free: others may run while it is held, at the points
// of its holder.
func (tn *turns) lock() {
	c := tn.cur
	if c == nil {
		c = nobody
	}
	if tn.holder == c {
		panic("scheduler lock taken twice")
	}
	for tn.holder != nil {
		if c == nobody {
			panic("scheduler lock held")
		}
		tn.point("locked")
	}
	tn.holder = c
}

func (tn *turns) unlock() {
	if tn.holder != tn.cur && tn.holder != nobody {
		panic("scheduler lock not held")
	}
	tn.holder = nil
}

func (tn *turns) self() *cpu {
	if tn.cur == nil {
		return tn.mdl.cpus[0]
	}
	return tn.cur
}

// kick ends a halt. A token without a kick does not, if it comes after the look
// at it: a machine in its halt sees nothing.
func (tn *turns) kick(c *cpu) { c.woken = true }

func (tn *turns) point(what string) {
	c := tn.cur
	if c == nil {
		return
	}
	if tn.mdl.watch {
		tn.judge()
	}
	c.at = what
	if !c.to(what) {
		panic(quit{})
	}
	c.interrupts()
}

// judge notes which Ms that wait for tasks of their own may be lent from here on.
func (tn *turns) judge() {
	for _, c := range tn.mdl.cpus[:tn.mdl.ncpu] {
		if c.waits && !c.lendable {
			c.lendable = tn.mdl.idleAside(c)
		}
	}
}

func (tn *turns) halt(c *cpu, word *atomic.Uint32, deadline int64) {
	c.word, c.deadline = word, deadline
	for word.Load() == 0 && (deadline == 0 || deadline > tn.mdl.Now()) && !c.early {
		c.woken = false
		tn.point("halt")
	}
	c.word, c.deadline, c.early = nil, 0, false
}

func (tn *turns) spin(c *cpu, t *task, call bool, done func() bool) bool {
	c.spins, c.inCall, c.done = t, call, done
	for !c.released() {
		tn.point("spin")
	}
	c.spins, c.done, c.giveUp = nil, nil, false
	return done()
}

// released reports whether a task that spins need not go on with it.
func (st *seat) released() bool {
	return st.done() || st.giveUp || !st.inCall && st.spins.preempt.Load()
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
	case "locked":
		return tn.holder == nil
	case "halt":
		return c.woken || c.early || c.deadline != 0 && c.deadline <= tn.mdl.Now() || c.struck()
	case "spin":
		return c.released() || c.struck()
	}
	return true
}

// struck reports whether an interrupt is to strike c.
func (c *cpu) struck() bool { return !c.irq && c.interrupted() }

// calm reports whether c sleeps or is in a task's own code, or the device's in a call.
func (tn *turns) calm(c *cpu) bool {
	return c.at == "step" || c.at == "spin" || c.at == "call" || c.at == "foreign" || c.at == "end" || c.at == "halt" && !tn.ready(c)
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
		if at == "end" || !tn.ready(c) {
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
		// A halt may end for no reason.
		if o := tn.seats[tn.rnd.IntN(len(tn.seats))]; o.at == "halt" && tn.rnd.IntN(64) == 0 {
			o.early = true
		}
		tn.resume(c)
		if msg := mdl.failure(); msg != "" {
			return msg
		}
	}
	return "the program does not end\n" + mdl.dump()
}

// patience is how many times the clock jumps, without a step of any task, before what
// waits is taken to be forgotten: enough for any tick to notice, at one in a slice.
const patience = 64

// rest is called when no M can go on: it moves the clock to the next interrupt or
// deadline, or tells that this is the end. After a long time of nothing but that it
// judges what waits, and has an M give its P up.
func (tn *turns) rest() (over bool, msg string) {
	mdl := tn.mdl
	if b := mdl.beats.Load(); b != tn.beat {
		tn.beat, tn.quiet = b, 0
	}
	if tn.quiet++; tn.quiet > patience {
		var spinner *cpu
		computes := false
		for _, c := range tn.seats {
			if c.at == "spin" {
				spinner = c
				computes = computes || !c.inCall
			}
		}
		if msg := mdl.starved(computes); msg != "" {
			return true, msg + "\n" + mdl.dump()
		}
		if spinner != nil {
			tn.quiet = 0
			spinner.giveUp = true
			return false, ""
		}
	}
	next := mdl.dev.first.Load()
	for _, c := range tn.seats {
		if c.at != "end" {
			next = earlier(next, earlier(c.deadline, c.tickAt.Load()))
		}
	}
	switch {
	case next != 0 && next > mdl.Now():
		mdl.clock.Store(next)
		return false, ""
	case next != 0:
		return true, "an interrupt is due and does not come\n" + mdl.dump()
	}
	for _, c := range tn.seats {
		if c.at == "spin" {
			c.giveUp = true // nothing ticks: it is in a call, and has lost its P
			return false, ""
		}
	}
	if mdl.live.Load() != mdl.doomed.Load() {
		return true, "all Ms sleep and tasks are left\n" + mdl.dump()
	}
	return true, ""
}

// newTurns makes a model whose Ms take turns.
func newTurns(ncpu int, procs int32, seed uint64) (*model, *turns) {
	mdl := newModel(ncpu, procs)
	tn := &turns{mdl: mdl, rnd: rand.New(rand.NewPCG(seed, 9))}
	mdl.host = tn
	mdl.s.lingers = 1
	mdl.watch = true
	mdl.remember()
	mdl.seed.Store(uint32(seed) * 0x85ebca6b)
	return mdl, tn
}

// TestWorkConservationTurns runs the random program under many schedules. After
// every turn in which no M is inside the scheduler it checks that no G waits
// while a P is idle, and that no timer of an idle P is forgotten.
func TestWorkConservationTurns(t *testing.T) {
	n := uint64(3000)
	if raceEnabled {
		n = 150
	}
	stops := 0
	var sum Stats
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
		sum.add(mdl.s)
	}
	t.Logf("%d programs, %d dispatches, %d stops of the world", n, sum[Runs], stops)
}
