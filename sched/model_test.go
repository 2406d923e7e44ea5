package sched

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
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

	recs     [MaxProcs]Recorder
	stopping atomic.Bool
	stopNote atomic.Uint32
	world    atomic.Bool // held by the task that stops the world
	stops    int
	epoch    uint32 // of audits; guarded by the scheduler lock

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
		s.PutIdleP(s.M(0), s.P(i), 0)
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

// Recorder returns a recorder that is off, unless a test has set it up.
func (mdl *model) Recorder(id int32) *Recorder { return &mdl.recs[id] }

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
