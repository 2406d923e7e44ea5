package sched

import (
	"runtime/debug"
	"sched9/record"
	"sched9/sched/atomic"
	"unsafe"
)

// fresh..dead are a task's statuses; scan may be added to syscall: an M looks at the task, or takes
// its P, and the task stays in its call until then [G6].
const (
	fresh int32 = iota
	runnable
	running
	syscall
	waiting
	dead
	scan int32 = 1 << 12
)

// task is the model's goroutine. body is one step of it, called again and again
// while the task has the CPU.
type task struct {
	G      // first: taskOf relies on it
	id     int
	status atomic.Int32
	body   func(*cpu, *task) verdict
	runs   uint64 // dispatches, to compare with the Ms' counts

	on      atomic.Pointer[cpu] // the runtime's g.m
	preempt atomic.Bool         // it is asked to leave the CPU
	lockedm *M                  // the M that it is tied to, ties times [M6]
	ties    int

	seen    atomic.Uint32 // it has begun
	over    atomic.Bool   // it has ended
	mu      mutex         // guards permits and the decision to wait
	permits int

	// The task's own.
	rand   uint32
	left   int // steps
	burn   int // steps of mere computing
	rounds int // exchanges with partner
	phase  int
	friend *task
	errand func(*cpu, *task) verdict
}

// verdict is what a step of a task ends in.
type verdict int

const (
	goOn  verdict = iota
	yield         // to the global queue
	gone          // it waits; its waker may run it already
	back          // it waits for the next call of the foreign code that its M goes back to
	exit
)

func taskOf(g *G) *task { return (*task)(unsafe.Pointer(g)) }

// become moves a task along a legal edge [G1]. On its way out of a system call it waits for an M
// that looks at it.
func (t *task) become(mdl *model, from, to int32) {
	for !t.status.CompareAndSwap(from, to) {
		if was := t.status.Load(); from != syscall || was&^scan != syscall {
			mdl.fail("G1: task %d: status %d, not %d, on its way to %d\n%s", t.id, was, from, to, debug.Stack())
		}
		mdl.host.point("scan")
	}
}

// newTask makes a task that is runnable and on no queue.
func (mdl *model) newTask(body func(*cpu, *task) verdict) *task {
	mdl.live.Add(1)
	t := &task{body: body, rand: mdl.seed.Add(0x9e3779b9) | 1}
	t.status.Store(runnable)
	mdl.mu.Lock()
	t.id = len(mdl.tasks)
	t.ID = uint64(t.id) + 1
	mdl.tasks = append(mdl.tasks, t)
	mdl.mu.Unlock()
	return t
}

func (t *task) random(n uint32) uint32 {
	t.rand ^= t.rand << 13
	t.rand ^= t.rand >> 17
	t.rand ^= t.rand << 5
	return t.rand >> 3 % n
}

// execute runs t on c until it leaves. c.then says afterwards where the M goes on.
func (c *cpu) execute(t *task) {
	mdl := c.mdl
	if c.m.Spinning() {
		mdl.fail("M3: a spinning M runs a task")
	}
	if c.m.P() == nil || c.m.P().M() != c.m {
		mdl.fail("G2: a task runs without a P")
	}
	c.begin(t)
	c.cur.Store(t)
	t.on.Store(c)
	t.become(mdl, runnable, running)
	t.preempt.Store(false)
	t.runs++
	t.seen.Store(1)
	c.m.Rec.Started(t.ID)
	for {
		mdl.beats.Add(1)
		mdl.host.point("step")
		c.safe = true
		c.interrupts()
		c.safe = false
		if c.left {
			c.left = false
			c.leave(t, yield)
			return
		}
		v := t.body(c, t)
		if v == goOn {
			mdl.clock.Add(mdl.step)
			if !t.preempt.Load() {
				continue
			}
			v = yield
		}
		c.leave(t, v)
		return
	}
}

// leave ends t's time on c, as v says.
func (c *cpu) leave(t *task, v verdict) {
	switch {
	case v == yield:
		c.gosched(t)
	case v == back:
		c.callbackEnd(t)
	case v == exit:
		c.goexit(t)
	case c.then == nil: // gone, and not back from a system call
		c.schedule()
	}
}

// gosched has t give way.
func (c *cpu) gosched(t *task) {
	mdl, s := c.mdl, c.mdl.s
	preempted := t.preempt.Load()
	c.m.Rec.Record(record.EvYield, t.ID, 0, 0)
	t.become(mdl, running, runnable)
	c.drop(t)
	switch {
	case preempted && mdl.stopping.Load():
		s.RunqPut(c.m, &t.G, true) // it was made to leave for that, and goes first afterwards
		c.schedule()
	case c.lockedg != nil:
		s.YieldLocked(c.m, &t.G)
		c.schedule()
	default:
		c.then = func() { s.Yield(c.m, &t.G, true) }
	}
}

// goexit ends t.
func (c *cpu) goexit(t *task) {
	c.m.Rec.Record(record.EvExit, t.ID, 0, 0)
	t.become(c.mdl, running, dead)
	t.on.Store(nil)
	c.mdl.unwired(t)
	tied := t.lockedm != nil
	if tied {
		t.lockedm, t.ties = nil, 0
		c.lockedg = nil
	}
	c.drop(t)
	t.over.Store(true)
	c.mdl.live.Add(-1)
	if tied {
		c.then = c.exitM
		return
	}
	c.schedule()
}

// unwired has t, which ends, be wired to no P any more.
func (mdl *model) unwired(t *task) {
	if t.home.get() != 0 {
		mdl.Lock()
		mdl.s.WireEnds(&t.G)
		mdl.Unlock()
	}
}

// drop takes t from c: from here on another M may run it, once it is told.
func (c *cpu) drop(t *task) {
	t.on.Store(nil)
	c.cur.Store(nil)
}

// block makes t, which c runs, wait. Its waker is told afterwards.
func (c *cpu) block(t *task) {
	c.m.Rec.Record(record.EvBlock, t.ID, 0, 0)
	t.become(c.mdl, running, waiting)
	c.drop(t)
}

// stepTime is about how long a task's step takes.
const stepTime = 100_000

// wait is the verdict of a task that waits for a wake.
func (c *cpu) wait(t *task) verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.permits > 0 {
		t.permits--
		return goOn
	}
	c.block(t)
	return gone
}

// waitForEver is the verdict of a task that will never be woken: the program ends in a deadlock
// [U6].
func (c *cpu) waitForEver(t *task) verdict {
	c.mdl.doomed.Add(1)
	c.block(t)
	return gone
}

// wake ends or forestalls one wait of t.
func (c *cpu) wake(t *task, next bool) {
	t.mu.Lock()
	if t.status.Load() != waiting {
		t.permits++
		t.mu.Unlock()
		return
	}
	t.become(c.mdl, waiting, runnable)
	t.mu.Unlock()
	c.mdl.s.Ready(c.m, &t.G, next)
}

// sleep puts t on its P's timers. The timer may fire, and t run elsewhere,
// before this returns.
func (c *cpu) sleep(t *task, d int64) verdict {
	when := c.mdl.Now() + d
	c.block(t)
	c.mdl.timers[c.m.P().ID].add(timer{when, t})
	c.mdl.s.WakeTimerM(c.m, when)
	return gone
}

// hasten moves some timer of p to an earlier time, as Timer.Reset does from
// wherever it is called.
func (c *cpu) hasten(p *P, d int64) {
	ts := &c.mdl.timers[p.ID]
	when := c.mdl.Now() + d
	ts.mu.Lock()
	if len(ts.list) == 0 || ts.list[0].when <= when {
		ts.mu.Unlock()
		return
	}
	ts.list[0].when = when
	ts.hastened = p != c.m.P()
	ts.update()
	ts.mu.Unlock()
	c.mdl.s.WakeTimerM(c.m, when)
}

// inject makes ts, which are new and count as waiting until now, runnable as the image does with a list of Gs: it keeps for its P
// what idle Ps will not take.
func (c *cpu) inject(ts []*task) {
	mdl, s := c.mdl, c.mdl.s
	local, global := len(ts)-int(mdl.idle.Load()), 0
	for _, t := range ts {
		t.status.Store(waiting)
		t.become(mdl, waiting, runnable)
		if local > 0 {
			local--
			s.RunqPut(c.m, &t.G, false)
			continue
		}
		mdl.Lock()
		s.GlobrunqPut(c.m, &t.G)
		mdl.Unlock()
		global++
	}
	if global > 0 {
		s.StartIdle(c.m, int32(global))
	}
	s.WakeP(c.m)
}
