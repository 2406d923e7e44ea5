package sched

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// The model is a Machine and a Language for tests. An M is a coroutine or a
// goroutine of the host. Execute runs the G and then calls Schedule, deeper on
// the same stack, until the host gives the M a fresh one. Time is a number that the Gs' steps push forward, and
// that jumps to the next deadline when every M sleeps: no test waits.
//
// How Ms take turns is the host's business: turns_test.go has them take turns
// at every call that sched makes of its interfaces, in an order drawn from a
// seed; threads_test.go lets them run as they like.
type host interface {
	lock()
	unlock()
	self() *cpu
	// point is a place where another M may run, named by what comes next.
	point(what string)
	// halt sleeps until *word is not 0 or the clock is at deadline (0: none).
	halt(c *cpu, word *atomic.Uint32, deadline int64)
	kick(c *cpu)
	start(c *cpu)
	// execute runs t, usually by c.execute; it may end the goroutine.
	execute(c *cpu, t *task, inherit bool)
	// spin waits in G code until done, without giving the P up, and reports
	// false if it should give it up: the world is to stop, or all others wait
	// too.
	spin(c *cpu, done func() bool) bool
}

// quit is the panic that ends an M.
type quit struct{}

type model struct {
	s              *Sched
	host           host
	ncpu           int
	spinning, idle atomic.Int32
	clock          atomic.Int64
	cpus           [MaxProcs]*cpu
	timers         [MaxProcs]timers

	mu     sync.Mutex // guards the rest up to the blank line
	failed string
	tasks  []*task // keeps alive what sched's handles hide from the collector

	live   atomic.Int32 // tasks that have not ended
	budget atomic.Int32 // tasks that may still be made
	seed   atomic.Uint32

	// The scheduler lock guards these.
	nparked  int32
	stopwait int32
	deads    int

	stopping atomic.Bool
	stopNote atomic.Uint32
	world    atomic.Bool // held by the task that stops the world
	stops    int

	// Hooks of single tests; nil means nothing to do.
	onWorker     func(*P) *G
	onIdleWorker func(*P) *G
	onWanted     func() bool
	onSafePoint  func(*P)
	onPending    func(*P) bool
	onWithhold   func(*G) bool
	onDead       func()
	onPause      func(int64)
	onBackground func()
	onPeriodic   func()
	onPoint      func(string)
}

// cpu is what an M stands for.
type cpu struct {
	mdl      *model
	m        *M
	first    *P // to acquire at the start
	lastTick int64
	depth    int // of Execute
	seat         // the host's part
}

// newModel makes a scheduler with procs Ps on ncpu CPUs. M 0 is started and
// owns P 0; the other Ps are idle.
func newModel(ncpu int, procs int32) *model {
	mdl := &model{s: new(Sched), ncpu: ncpu}
	mdl.clock.Store(1)
	s := mdl.s
	s.Init(mdl, mdl, &mdl.spinning, &mdl.idle)
	for i := range mdl.cpus {
		mdl.cpus[i] = &cpu{mdl: mdl, m: s.M(int32(i))}
	}
	mdl.host = &desk{mdl: mdl}
	s.SetProcs(procs)
	for i := procs - 1; i > 0; i-- {
		s.PutIdleP(s.P(i), 0)
	}
	s.Own(s.M(0), s.P(0))
	return mdl
}

// desk is the host of tests that call sched's functions one after the other.
// Nothing waits on it: an M that would sleep panics with halted, one that would
// run a task with a dispatch.
type desk struct {
	mdl    *model
	locked bool
	locks  int // how often
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
func (d *desk) self() *cpu { return d.mdl.cpus[0] }
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
func (d *desk) kick(*cpu)                   {}
func (d *desk) start(*cpu)                  {}
func (d *desk) spin(*cpu, func() bool) bool { return false }

// run is an M from its start, or from its last fresh stack, to the end of the
// test.
func (c *cpu) run() {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(quit); !ok {
				c.mdl.note(fmt.Sprintf("M %d: %v\n%s", c.m.ID, r, debug.Stack()))
			}
		}
	}()
	if c.m.P() == nil {
		c.mdl.Acquire(c.m, c.first)
	}
	c.mdl.s.Schedule(c.m)
}

// note keeps the first failure. fail ends the calling M as well.
func (mdl *model) note(msg string) {
	mdl.mu.Lock()
	defer mdl.mu.Unlock()
	if mdl.failed == "" {
		mdl.failed = msg
	}
}

func (mdl *model) fail(format string, args ...any) {
	mdl.note(fmt.Sprintf(format, args...))
	panic(quit{})
}

func (mdl *model) failure() string {
	mdl.mu.Lock()
	defer mdl.mu.Unlock()
	return mdl.failed
}

// dump shows the scheduler. The Ms stand still, or the numbers are approximate.
func (mdl *model) dump() string {
	s := mdl.s
	var b strings.Builder
	fmt.Fprintf(&b, "clock=%d procs=%d runq=%d spinning=%d npidle=%d nms=%d nmidle=%d needspinning=%d wantM=%v keeper=%x until=%d stopping=%v stopwait=%d live=%d\n",
		mdl.clock.Load(), s.Procs(), s.runqsize.Load(), mdl.spinning.Load(), mdl.idle.Load(), s.nms, s.nmidle,
		s.needspinning.Load(), s.wantM, s.keeper.Load(), s.keeperUntil.Load(), mdl.stopping.Load(), mdl.stopwait, mdl.live.Load())
	for i := int32(0); i < s.Procs(); i++ {
		p := s.P(i)
		owner := int32(-1)
		if p.M() != nil {
			owner = p.M().ID
		}
		fmt.Fprintf(&b, "P%d m=%d len=%d idle=%v timer=%d\n", i, owner, p.Len(), p.Idle(), mdl.NextTimer(p))
	}
	for i := int32(0); i < s.nms; i++ {
		m := s.M(i)
		owned := int32(-1)
		if m.P() != nil {
			owned = m.P().ID
		}
		fmt.Fprintf(&b, "M%d p=%d spinning=%v park=%d %s\n", i, owned, m.spinning, m.park.Load(), mdl.cpus[i].seat.String())
	}
	return b.String()
}

// The Machine.

func (mdl *model) CPUs() int { return mdl.ncpu }

func (mdl *model) StartM(m *M, p *P) {
	c := mdl.cpus[m.ID]
	c.first = p
	mdl.host.point("start")
	mdl.host.start(c)
}

func (mdl *model) HaltUntil(word *atomic.Uint32, deadline int64) {
	for _, c := range mdl.cpus {
		if &c.m.park == word {
			mdl.host.halt(c, word, deadline)
			return
		}
	}
	panic("HaltUntil on a foreign word")
}

func (mdl *model) Kick(m *M) {
	mdl.host.point("kick")
	mdl.host.kick(mdl.cpus[m.ID])
}

func (mdl *model) Pause(ns int64) {
	if mdl.onPause != nil {
		mdl.onPause(ns)
	}
	mdl.host.point("pause")
}

func (mdl *model) Now() int64 { return mdl.clock.Load() }

// The Language.

func (mdl *model) Lock() {
	mdl.host.point("lock")
	mdl.host.lock()
}

func (mdl *model) Unlock() {
	mdl.host.unlock()
	mdl.host.point("unlock")
}

func (mdl *model) Stopping() bool { return mdl.stopping.Load() }

func (mdl *model) StopP(p *P) {
	if p.M() != nil {
		mdl.Throw("P4: an owned P is stopped")
	}
	mdl.stopwait--
	if mdl.stopwait == 0 {
		mdl.stopNote.Store(1)
		for _, c := range mdl.cpus {
			mdl.host.kick(c) // one of them waits on stopNote
		}
	}
}

func (mdl *model) Acquire(m *M, p *P) {
	mdl.host.point("acquire")
	mdl.s.Own(m, p)
}
func (mdl *model) Release(m *M, p *P)   { mdl.s.Disown(m, p) }
func (mdl *model) Idle(p *P, now int64) {}
func (mdl *model) Busy(p *P, now int64) {}
func (mdl *model) ParkedMs(n int32)     { mdl.nparked = n }

func (mdl *model) IdleWorkerWanted() bool {
	mdl.host.point("wanted")
	return mdl.onWanted != nil && mdl.onWanted()
}
func (mdl *model) Runnable(g *G) bool { return taskOf(g).status.Load() == runnable }
func (mdl *model) Throw(rule string)  { mdl.fail("throw: %s\n%s", rule, debug.Stack()) }
func (mdl *model) Withhold(g *G) bool { return mdl.onWithhold != nil && mdl.onWithhold(g) }

func (mdl *model) Execute(m *M, g *G, inherit bool) {
	c := mdl.cpus[m.ID]
	mdl.host.execute(c, taskOf(g), inherit)
	c.depth++
	mdl.s.Schedule(m)
}

func (mdl *model) SafePoint(p *P) {
	if mdl.onSafePoint != nil {
		mdl.onSafePoint(p)
	}
	mdl.host.point("safepoint")
}

func (mdl *model) SafePointPending(p *P) bool { return mdl.onPending != nil && mdl.onPending(p) }

func (mdl *model) Worker(p *P, now int64) *G {
	if mdl.onWorker != nil {
		return mdl.onWorker(p)
	}
	return nil
}

func (mdl *model) IdleWorker(p *P) *G {
	mdl.host.point("idleworker")
	if mdl.onIdleWorker != nil {
		return mdl.onIdleWorker(p)
	}
	return nil
}

func (mdl *model) Background() {
	if mdl.onBackground != nil {
		mdl.onBackground()
	}
}

func (mdl *model) Periodic() {
	if mdl.onPeriodic != nil {
		mdl.onPeriodic()
	}
}

// CheckDead is right only if nothing can run: then all counters are at rest.
func (mdl *model) CheckDead() {
	s := mdl.s
	mdl.deads++
	if mdl.onDead != nil {
		mdl.onDead()
		return
	}
	if mdl.spinning.Load() != 0 || s.runqsize.Load() != 0 || s.nextTimer() != 0 || mdl.stopping.Load() || mdl.live.Load() != 0 {
		mdl.fail("CheckDead of a program that lives\n%s", mdl.dump())
	}
}

// timers are the sleeping tasks of a P, in no order.
type timers struct {
	mu   sync.Mutex
	list []timer
	next atomic.Int64 // when the first is due, 0: none
}

type timer struct {
	when int64
	t    *task
}

// update sets next. ts.mu held.
func (ts *timers) update() {
	next := int64(0)
	for _, t := range ts.list {
		if next == 0 || t.when < next {
			next = t.when
		}
	}
	ts.next.Store(next)
}

func (ts *timers) add(t timer) {
	ts.mu.Lock()
	ts.list = append(ts.list, t)
	ts.update()
	ts.mu.Unlock()
}

// due takes a timer whose time has come.
func (ts *timers) due(now int64) *task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for i, t := range ts.list {
		if t.when <= now {
			ts.list = append(ts.list[:i], ts.list[i+1:]...)
			ts.update()
			return t.t
		}
	}
	return nil
}

func (mdl *model) RunTimers(p *P, now int64) (int64, int64, bool) {
	mdl.host.point("timers")
	ts := &mdl.timers[p.ID]
	if now == 0 {
		now = mdl.Now()
	}
	ran := false
	for next := ts.next.Load(); next != 0 && next <= now; next = ts.next.Load() {
		t := ts.due(now)
		if t == nil {
			break // another M was faster
		}
		ran = true
		t.become(mdl, waiting, runnable)
		mdl.s.Ready(mdl.host.self().m, &t.G, true)
	}
	return now, ts.next.Load(), ran
}

func (mdl *model) NextTimer(p *P) int64 {
	mdl.host.point("nexttimer")
	next := mdl.timers[p.ID].next.Load()
	mdl.host.point("nexttimer")
	return next
}

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
			mdl.s.PutGlobal(&t.G)
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
	return mdl.s.Tick(c.m, now) || mdl.stopping.Load()
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
		c.mdl.s.PutGlobal(&t.G)
		c.mdl.Unlock()
	}
	c.mdl.s.StartIdle(c.m, int32(len(ts)))
	c.mdl.s.Wake(c.m)
}

// stopWorld stops the world, checks it, sets the number of Ps and restarts it,
// as the runtime does. It reports false if another task does so already.
func (c *cpu) stopWorld(procs int32) bool {
	mdl, s := c.mdl, c.mdl.s
	if !mdl.world.CompareAndSwap(false, true) {
		return false
	}
	mdl.Lock()
	mdl.stopNote.Store(0)
	mdl.stopwait = s.Procs() - 1 // our own is stopped
	mdl.stopping.Store(true)
	for p := s.GetIdleP(0); p != nil; p = s.GetIdleP(0) {
		mdl.stopwait--
	}
	wait := mdl.stopwait > 0
	mdl.Unlock()
	for wait && mdl.stopNote.Load() == 0 {
		mdl.host.halt(c, &mdl.stopNote, 0)
	}
	mdl.auditStopped(c)

	mdl.Lock()
	old := s.Procs()
	own := c.m.P()
	if own.ID >= procs {
		s.Disown(c.m, own)
		own = s.P(0)
		s.Own(c.m, own)
	}
	s.SetProcs(procs)
	for i := procs; i < old; i++ {
		s.Drain(s.P(i))
		mdl.timers[i].mu.Lock()
		for _, t := range mdl.timers[i].list {
			mdl.timers[0].add(t)
		}
		mdl.timers[i].list = nil
		mdl.timers[i].next.Store(0)
		mdl.timers[i].mu.Unlock()
	}
	var busy []*P
	for i := procs - 1; i >= 0; i-- {
		switch p := s.P(i); {
		case p == own:
		case s.Empty(p):
			s.PutIdleP(p, 0)
		default:
			busy = append(busy, p)
		}
	}
	mdl.stopping.Store(false)
	mdl.stops++
	mdl.Unlock()
	for _, p := range busy {
		s.StartP(c.m, p)
	}
	s.Wake(c.m)
	mdl.world.Store(false)
	return true
}

// auditStopped checks a stopped world: no P but the stopper's has an owner,
// none is idle, and every runnable task is in exactly one queue (G3).
func (mdl *model) auditStopped(c *cpu) {
	s := mdl.s
	mdl.Lock()
	defer mdl.Unlock()
	at := map[*task]string{}
	put := func(h uintptr, where string) {
		t := taskOf(guintptr(h).ptr())
		if at[t] != "" {
			mdl.fail("G3: task %d is in %s and in %s", t.id, at[t], where)
		}
		if t.queued.Load() != 1 || t.status.Load() != runnable {
			mdl.fail("G3: task %d in %s: queued %d, status %d", t.id, where, t.queued.Load(), t.status.Load())
		}
		at[t] = where
	}
	for i := int32(0); i < s.Procs(); i++ {
		p := s.P(i)
		if p.M() != nil && p.M() != c.m || p.Idle() {
			mdl.fail("P4: P %d in a stopped world\n%s", i, mdl.dump())
		}
		if p.tail.Load()-p.head.Load() > RingSize {
			mdl.fail("R1: P %d", i)
		}
		for j := p.head.Load(); j != p.tail.Load(); j++ {
			put(p.ring[j%RingSize].Load(), fmt.Sprintf("P %d's ring", i))
		}
		if next := p.runnext.Load(); next != 0 {
			put(next, fmt.Sprintf("P %d's runnext", i))
		}
	}
	n := int32(0)
	for h := s.runq.head; h != 0; h = h.ptr().link {
		put(uintptr(h), "the global queue")
		n++
	}
	if n != s.runq.n || n != s.runqsize.Load() {
		mdl.fail("R7: global queue of %d says %d and %d", n, s.runq.n, s.runqsize.Load())
	}
	mdl.mu.Lock()
	tasks := mdl.tasks
	mdl.mu.Unlock()
	for _, t := range tasks {
		if t.status.Load() == runnable && at[t] == "" {
			mdl.fail("G3: runnable task %d is in no queue\n%s", t.id, mdl.dump())
		}
	}
}

// unfair tells what is wrong while every M sleeps or computes and none is about
// to do anything else: work that an idle P should run, or a timer of an idle P
// that nobody sleeps for. Timers of other Ps are their ticks' business.
func (mdl *model) unfair() string {
	s := mdl.s
	if mdl.idle.Load() == 0 || mdl.stopping.Load() {
		return ""
	}
	work := s.runqsize.Load() != 0
	for i := int32(0); i < s.Procs(); i++ {
		p := s.P(i)
		work = work || !p.empty()
		t := mdl.timers[i].next.Load()
		if until := s.keeperUntil.Load(); p.Idle() && t != 0 && (s.keeper.Load() == 0 || until == 0 || until > t) {
			return fmt.Sprintf("T2: a timer of idle P %d is nobody's", i)
		}
	}
	if work {
		return "a G waits while a P is idle and an M is free"
	}
	return ""
}

// checkEnd checks a scheduler that came to rest after all tasks ended.
func (mdl *model) checkEnd(t *testing.T) {
	t.Helper()
	if msg := mdl.failure(); msg != "" {
		t.Fatalf("%s", msg)
	}
	s := mdl.s
	if mdl.live.Load() != 0 {
		t.Errorf("%d tasks never ended", mdl.live.Load())
	}
	if mdl.spinning.Load() != 0 || mdl.idle.Load() != s.Procs() || s.nmidle != s.nms || s.runq.n != 0 || s.runqsize.Load() != 0 || s.keeper.Load() != 0 {
		t.Errorf("counters at rest are wrong")
	}
	if mdl.nparked != s.nmidle {
		t.Errorf("ParkedMs told %d of %d", mdl.nparked, s.nmidle)
	}
	ps := 0
	for p := s.pidle.ptr(); p != nil; p = p.link.ptr() {
		if !p.Idle() || p.M() != nil || !p.empty() {
			t.Errorf("P2: P %d at rest", p.ID)
		}
		ps++
	}
	ms := 0
	for m := s.midle.ptr(); m != nil; m = m.link.ptr() {
		if m.p != 0 || m.spinning {
			t.Errorf("M1: M %d at rest", m.ID)
		}
		ms++
	}
	if int32(ps) != s.Procs() || int32(ms) != s.nms {
		t.Errorf("lists of %d Ps and %d Ms, of %d and %d", ps, ms, s.Procs(), s.nms)
	}
	runs := uint64(0)
	for _, task := range mdl.tasks {
		if task.runs != task.Runs || task.status.Load() != dead || task.queued.Load() != 0 {
			t.Errorf("task %d: %d runs counted as %d, status %d", task.id, task.runs, task.Runs, task.status.Load())
		}
		runs += task.runs
	}
	for i := range s.ms {
		runs -= s.ms[i].Stats.Runs
	}
	if runs != 0 {
		t.Errorf("the Ms' counts of dispatches are off by %d", int64(runs))
	}
	if mdl.deads == 0 {
		t.Errorf("U6: the last M parked and nobody was told")
	}
	if t.Failed() {
		t.Logf("%s", mdl.dump())
	}
}
