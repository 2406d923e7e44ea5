package sched

import (
	"fmt"
	"runtime/debug"
	"sched9/record"
	"sched9/sched/atomic"
	"strings"
)

// The model is a Machine and a Runtime for tests. An M is a coroutine or a
// goroutine of the host. Execute runs the G and then calls Schedule, deeper on
// the same stack, until the host gives the M a fresh one. Time is a number that the Gs' steps push forward, and
// that jumps to the next deadline when every M sleeps: no test waits.
//
// How Ms take turns is the host's business: host_turns_test.go has them take turns
// at every call that sched makes of its interfaces, in an order drawn from a
// seed; host_threads_test.go lets them run as they like.
type host interface {
	lock()
	unlock()
	// self is the CPU that runs the caller; on a desk, where a test calls sched's
	// functions itself, it is what the test said (on), or nil.
	self() *cpu
	// point is a place where another M may run, or an interrupt strike, named by
	// what comes next.
	point(what string)
	// halt sleeps until *word is not 0 or the clock is at deadline (0: none).
	halt(c *cpu, word *atomic.Uint32, deadline int64)
	kick(c *cpu)
	start(c *cpu)
	// execute runs t, usually by c.execute; it may end the goroutine.
	execute(c *cpu, t *task, inherit bool)
	// spin waits in the code of c's task t until done, without giving the P up. It reports false if
	// it ended for another reason: t is asked to leave, or all others wait too and will wait for
	// ever. call says that t is in a system call, where it cannot be asked to leave.
	spin(c *cpu, t *task, call bool, done func() bool) bool
}

// quit is the panic that ends an M.
type quit struct{}

type model struct {
	s              *Sched
	host           host
	ncpu           int
	spinning, idle atomic.Int32
	clock          atomic.Int64
	step           int64 // what a step of a task takes
	cpus           [MaxProcs]*cpu
	timers         [MaxProcs]timers
	dev            device

	mu     mutex // guards the rest up to the blank line
	failed string
	tasks  []*task // keeps alive what sched's handles hide from the collector

	live   atomic.Int32 // tasks that have not ended
	doomed atomic.Int32 // those of them that wait for ever, or for foreign code
	budget atomic.Int32 // tasks that may still be made
	seed   atomic.Uint32
	beats  atomic.Int64 // steps of tasks: while it moves the program does

	// The scheduler lock guards these.
	nparked int32
	deads   int

	recs     [MaxProcs]record.Recorder
	history  *history
	stopping atomic.Bool
	stopped  [MaxProcs]bool // Ps that were told to be stopped; the scheduler lock guards it
	world    atomic.Bool    // held by the task that stops the world or visits every P
	stops    int
	policies []*Policy    // each stop of the world puts the next in force, and another slice
	visits   atomic.Int32 // ForEachPs
	safe     atomic.Int32 // safe points that were run
	epoch    uint32       // of audits; guarded by the scheduler lock
	marks    [MaxProcs]atomic.Uint32
	watch    bool                   // whether the host checks lending (turns)
	visited  [MaxProcs]atomic.Int32 // safe points run, by P
	ops      []op                   // what the random program does; set before it starts

	// Periodic is due at periodicAt, 0: never, and then every period as long as
	// periods says.
	periodicAt atomic.Int64
	period     int64
	periods    atomic.Int32
	inPeriodic atomic.Int32 // Ms in Periodic

	// Hooks of single tests; nil means nothing to do.
	onWorker     func(*P) *G
	onIdleWorker func(*P) *G
	onIdleWanted func() bool
	onUnquiet    func(*P) bool
	onSafePoint  func(*P)
	onPending    func(*P) bool
	onWithhold   func(*G) bool
	onPreempt    func(*M)
	onTickAt     func(int64)
	onDead       func()
	onPause      func(int64)
	onOSYield    func()
	onBackground func()
	onPeriodic   func()
	onPoint      func(string)
	onHush       func() func()
}

// cpu is an M's CPU, with the runtime's M.
type cpu struct {
	mdl    *model
	m      *M
	first  *P                   // to acquire at the start
	cur    atomic.Pointer[task] // the runtime's curg; its M's to write
	tickAt atomic.Int64         // when the timer interrupts, 0: never; the CPU's own to write
	depth  int                  // of Execute
	irq    bool                 // in an interrupt: no further one strikes
	safe   bool                 // its task can leave at once, if an interrupt asks it to
	left   bool                 // which it does: Sched.Left was told
	then   func()               // where the M goes on, after its task has left

	lockedg *task // the running task, if it is tied to this M
	lives   int   // how often the M ended with its task
	served  *task // the task that foreign code calls
	calls   int   // of foreign code, if the CPU runs that, that are left

	// Of turns: whether the M waits for a task of its own, and whether it has met
	// the rule of lending since (locked.go).
	waits, lendable bool

	seat // the host's part
}

// newModel makes a scheduler with procs Ps on ncpu CPUs. M 0 is started and
// owns P 0; the other Ps are idle.
func newModel(ncpu int, procs int32) *model { return newModelOf(ncpu, procs, Config{}) }

// newModelOf is newModel with more of c than the counters, which are the model's.
func newModelOf(ncpu int, procs int32, c Config) *model {
	mdl := &model{s: new(Sched), ncpu: ncpu, ops: oldOps, step: stepTime}
	mdl.clock.Store(1)
	s := mdl.s
	s.bind(mdl, mdl)
	c.Spinning, c.Idle = &mdl.spinning, &mdl.idle
	s.Init(c)
	s.lingers = 0 // tests that look at a search want it to end; newTurns lingers
	for i := range mdl.cpus {
		mdl.cpus[i] = &cpu{mdl: mdl, m: s.M(int32(i))}
	}
	mdl.host = &desk{mdl: mdl}
	s.SetProcs(procs)
	for i := procs - 1; i > 0; i-- {
		s.PutIdleP(s.M(0), s.P(i), 0)
	}
	s.WireP(s.M(0), s.P(0))
	return mdl
}

// started has the first n CPUs be Ms that are awake, but for those that sleep.
func (mdl *model) started(n int32) {
	s := mdl.s
	for ; s.ncpu < n; s.ncpu++ {
		s.becomes(s.M(s.ncpu), mRunning)
		s.nms++
	}
}

// up has m, which is idle, be awake without a P.
func (mdl *model) up(m *M) {
	mdl.s.removeIdleM(m)
	mdl.s.becomes(m, mRunning)
}

// lockedWait has m wait for a G of its own.
func (mdl *model) lockedWait(m *M) {
	mdl.s.becomes(m, mLockedWait)
	mdl.s.nmlocked++
}

// run is an M from its start, or from its last fresh stack, to the end of the
// test.
func (c *cpu) run() {
	defer c.caught()
	if c.then != nil {
		c.goOn()
	}
	if c.m.P() == nil {
		c.mdl.AcquireP(c.m, c.first)
	}
	c.schedule()
	c.goOn()
}

// caught notes the panic that c's M ends in, unless it is a quit. It is deferred.
func (c *cpu) caught() {
	if r := recover(); r != nil {
		if _, ok := r.(quit); !ok {
			c.mdl.note(fmt.Sprintf("M %d: %v\n%s", c.m.ID, r, debug.Stack()))
		}
	}
}

// goOn is where the M goes on after its task has left. It does not return.
func (c *cpu) goOn() {
	then := c.then
	c.then = nil
	then()
}

// note keeps the first failure. fail ends the calling M as well.
func (mdl *model) note(msg string) {
	defer mdl.hush()()
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

// hush has the host not take the caller's looks at the scheduler for the program's,
// until what it returns is called.
func (mdl *model) hush() func() {
	if mdl.onHush != nil {
		return mdl.onHush()
	}
	return func() {}
}

// dump shows the scheduler. The Ms stand still, or the numbers are approximate.
func (mdl *model) dump() string {
	defer mdl.hush()()
	s := mdl.s
	var b strings.Builder
	fmt.Fprintf(&b, "clock=%d procs=%d runq=%d spinning=%d npidle=%d nms=%d nmidle=%d nmlocked=%d needspinning=%d wantM=%v timerM=%x until=%d nsysmon=%d sysmonDue=%d stopping=%v stopwait=%d safewait=%d live=%d waits for devices=%d told=%d\n",
		mdl.clock.Load(), s.Procs(), s.runqsize.Load(), mdl.spinning.Load(), mdl.idle.Load(), s.nms, s.nmidle, s.nmlocked,
		s.needspinning.Load(), s.wantM, s.timerM.Load(), s.timerMUntil.Load(), s.nsysmon, s.sysmonDue.Load(),
		mdl.stopping.Load(), s.stopwait, s.safewait, mdl.live.Load(), mdl.dev.waiters.Load(), mdl.dev.told.Load())
	for i := int32(0); i < s.Procs(); i++ {
		p := s.P(i)
		owner := int32(-1)
		if p.M() != nil {
			owner = p.M().ID
		}
		fmt.Fprintf(&b, "P%d m=%d len=%d passed=%d idle=%v timer=%d\n", i, owner, p.Len(), p.nwired.Load(), p.Idle(), mdl.timers[i].next.Load())
	}
	for i := range int32(mdl.ncpu) {
		m, c := s.M(i), mdl.cpus[i]
		owned, g, status := int32(-1), -1, int32(0)
		if m.P() != nil {
			owned = m.P().ID
		}
		if t := c.cur.Load(); t != nil {
			g, status = t.id, t.status.Load()
		}
		fmt.Fprintf(&b, "M%d p=%d task=%d status=%d state=%d park=%d lent=%v tied=%d lockedq=%d since=%d tick=%d %s\n",
			i, owned, g, status, m.state.Load(), m.park.Load(), m.lent, m.LockedGs, m.nlockedq.Load(), m.callSince.Load(), c.tickAt.Load(), c.seat.String())
	}
	b.WriteString(mdl.history.String())
	return b.String()
}
