package sched

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"
)

// idle..dead are a task's statuses.
const (
	fresh int32 = iota
	runnable
	running
	waiting
	dead
)

// task is the model's goroutine. body is one step of it, called again and again
// while the task has the CPU.
type task struct {
	G      // first: taskOf relies on it
	id     int
	status atomic.Int32
	body   func(*cpu, *task) verdict
	runs   uint64 // dispatches, to compare with G.Runs

	seen    atomic.Uint32 // it has begun
	mu      sync.Mutex    // guards permits and the decision to wait
	permits int

	// The task's own.
	rand   uint32
	left   int // steps
	burn   int // steps of mere computing
	rounds int // exchanges with partner
	phase  int
	friend *task
}

// verdict is what a step of a task ends in.
type verdict int

const (
	goOn  verdict = iota
	yield         // to the global queue
	gone          // it waits; whoever wakes it may run it already
	exit
)

func taskOf(g *G) *task { return (*task)(unsafe.Pointer(g)) }

// become moves a task along a legal edge (G1).
func (t *task) become(mdl *model, from, to int32) {
	if !t.status.CompareAndSwap(from, to) {
		mdl.fail("G1: task %d: status %d, not %d, on its way to %d\n%s", t.id, t.status.Load(), from, to, debug.Stack())
	}
}

// newTask makes a task that is runnable and on no queue.
func (mdl *model) newTask(body func(*cpu, *task) verdict) *task {
	mdl.live.Add(1)
	t := &task{body: body, rand: mdl.seed.Add(0x9e3779b9) | 1}
	t.status.Store(runnable)
	mdl.mu.Lock()
	t.id = len(mdl.tasks)
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

// execute runs t on c until it leaves.
func (c *cpu) execute(t *task) {
	mdl := c.mdl
	t.become(mdl, runnable, running)
	if c.m.spinning {
		mdl.fail("M3: a spinning M runs a task")
	}
	if c.m.P() == nil || c.m.P().M() != c.m {
		mdl.fail("G2: a task runs without a P")
	}
	t.runs++
	t.seen.Store(1)
	for {
		mdl.host.point("step")
		v := t.body(c, t)
		if v == goOn && c.tick() {
			v = yield
		}
		switch v {
		case goOn:
			continue
		case yield:
			t.become(mdl, running, runnable)
			mdl.Lock()
			mdl.s.PutGlobal(c.m, &t.G)
			mdl.Unlock()
			mdl.s.Wake(c.m)
		case exit:
			t.become(mdl, running, dead)
			mdl.live.Add(-1)
		}
		return
	}
}

// stepTime is about how long a task's step takes.
const stepTime = 100_000

// tick lets time pass and reports whether the running task should leave.
func (c *cpu) tick() bool {
	mdl := c.mdl
	now := mdl.clock.Add(stepTime)
	if now-c.lastTick < Slice/10 {
		return mdl.stopping.Load()
	}
	c.lastTick = now
	return mdl.s.Tick(c.m, now, 0, 0) || mdl.stopping.Load()
}

// wait is the verdict of a task that waits for a wake.
func (t *task) wait(mdl *model) verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.permits > 0 {
		t.permits--
		return goOn
	}
	t.become(mdl, running, waiting)
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
	t.become(c.mdl, running, waiting)
	c.mdl.timers[c.m.P().ID].add(timer{when, t})
	c.mdl.s.WakeKeeper(c.m, when)
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
	ts.update()
	ts.mu.Unlock()
	c.mdl.s.WakeKeeper(c.m, when)
}

// inject makes ts runnable by way of the global queue, as the image does with a
// list of Gs.
func (c *cpu) inject(ts []*task) {
	for _, t := range ts {
		c.mdl.Lock()
		c.mdl.s.PutGlobal(c.m, &t.G)
		c.mdl.Unlock()
	}
	c.mdl.s.StartIdle(c.m, int32(len(ts)))
	c.mdl.s.Wake(c.m)
}
