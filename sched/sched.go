// Package sched is sched9's scheduler: goroutines (G) run on CPUs (M) that own the right to run
// them (P). It knows no hardware and no runtime: it reaches both through Machine and Runtime. It
// compiles for the host, where its tests drive it with simulated ones.
//
// How a G finds a CPU:
//
//   - Ready and RunqPut put it on the ring of the caller's P. Ready, or a later WakeP, wakes one
//     idle M to look for work, unless an M is looking already (wake.go).
//   - An M that has nothing left looks everywhere, in the order of findRunnable, steals half of
//     another P's ring, and sleeps when all queues are empty.
//   - The timer interrupt ends time slices (tick.go).
//
// Two rules make it safe to sleep. A submitter first puts the G, then looks for a spinning M. A
// spinner first stops spinning, then looks at all queues once more. Whatever the order of the two,
// one sees the other.
//
// Code here runs on an M's scheduler stack, or in an interrupt where a comment says so. It does not
// allocate and stores no pointers that a collector knows, because an M without a P may run it.
//
// Words. What package runtime has too is named as there: findRunnable, runqGrab, WakeP, handoffP,
// schedtick, startLockedM. The others:
//
//	[P1]      a rule: a row of docs/SPEC.md. Without brackets P1 is a processor
//	Machine   what an M is made of: tick, sleep, kick, clock. Runtime: what package runtime does for us
//	idle P    it has no owner and no G, and is on the list pidle
//	idle M    it sleeps on the list midle until it is given a P. Go calls it parked
//	timer M   the one idle M that halts with a deadline: the next timer
//	kick      end an M's sleep so that it looks around; that gives it no P
//	spinning  of an M: it looks for work, and no other M is woken for what it will find
//	summon    count an M as spinning before it is awake
//	linger    having found nothing, look on for a while before sleeping
//	sysmon    the work of Go's sysmon thread: ticks notice it, Ms that sleep or look for work do it
//	ring      a P's queue behind runnext. The global queue is runq, as in Go
//	slice     how long an M runs Gs until one is asked to leave. A runnext continues in the current slice
//	retake    take the P of an M whose G is in a system call
//	orphaned  of a P: it has no owner that looks at its timers
//	tied      of a G: locked to its M (LockOSThread); mutexes are locked too. An M that finds a G tied to
//	          another M passes it on: the G waits in its M's lockedq
//	lent      of an M that waits for a G tied to it: it runs any G, because all other Ms wait too, or are in calls
//	wired     of a G: it runs on one P alone. An M with another P passes it on: the G waits in its P's wiredq
//	extra M   a CPU of foreign code, while it calls back: NeedM, DropM
//
// Read g.go, m.go, p.go, machine.go, runtime.go and entries.go for what there is; bind.go says how
// an image binds them; schedule.go, short.go and find.go for the way from one G to the next;
// ring.go, globq.go and steal.go for the queues; wake.go, idle.go, psets.go and linger.go for which
// Ms and Ps are idle; tick.go, retake.go, syscall.go and sysmon.go for slices and calls; then
// locked.go, wired.go, foreign.go, stop.go and policy.go and its policies, policy_*.go. counters.go has what
// Ms count, list.go what readers from outside may see, audit.go checks it all, package record
// records it. Of the tests, model_ files stand in for the machine and the runtime, host_ files run
// Ms as coroutines or threads, explore_ files try all interleavings, stress_ files are a random
// program. docs/hacking.md shows how a change is made.
package sched

import (
	_ "sync/atomic" // whose methods the compiler inlines only where it sees the package itself

	"sched9/record"
	"sched9/sched/atomic"
)

const (
	// MaxProcs is the largest number of Ps, and of Ms, in one Sched: as many as can be recorded.
	MaxProcs = record.MaxProcs

	// globalTick is the period, in dispatches of a P, of a look at the global queue before the
	// local one [R8]. A prime, so that it does not fall into step with a program's own period.
	globalTick = 61

	// Slice is a G's time slice in nanoseconds, unless Config says otherwise [S2].
	Slice = 10_000_000
)

// Values of Sched.periodic. What is due is due until Periodic has done it, so that a tick meanwhile would have a second M
// do it too; on Linux one thread alone, sysmon, does it, and the runtime counts on that [S5, S6].
const (
	periodicNone uint32 = iota
	periodicDue
	periodicRuns
)

// Sched is one scheduler. Its zero value is ready for Init.
type Sched struct {
	machine boundMachine
	rt      boundRuntime

	// nmspinning is the number of spinning Ms, npidle of idle Ps. They are where the Go runtime
	// reads them.
	nmspinning *atomic.Int32
	npidle     *atomic.Int32

	// procs is the number of Ps (GOMAXPROCS). Written while the world is stopped. An M without a P
	// may read it at any time.
	procs atomic.Int32
	// strides are the numbers below procs that have no common factor with it: the orders in which a
	// thief visits the Ps. Written like procs.
	strides  [MaxProcs]uint32
	nstrides uint32

	// idlePs and barePs are sets of idle Ps: see psets.go. Stored with the scheduler lock.
	idlePs, barePs atomic.Uint64

	// Guarded by the scheduler lock.
	runq         gList    // the global queue [R7]
	pidle        puintptr // idle Ps, linked by P.link
	midle        muintptr // idle Ms, linked by M.link
	nmidle       int32    // their number
	nmlocked     int32    // Ms that wait for Gs tied to them [M13]
	nms          int32    // all Ms, sleeping ones included
	ncpu         int32    // CPUs started for Ms: those with the lowest numbers
	nforeign     int32    // CPUs for foreign code: those with the highest numbers [M15]
	nforeignUsed int32    // those of them that run it
	nextra       int32    // those of them that are Ms now (NeedM)
	nsysmon      int32    // sleeping Ms that are awake to do sysmon's work
	stopwait     int32    // Ps that have yet to stop [P4]
	safewait     int32    // Ps that have yet to run their safe points
	stopper      muintptr // the M that waits for either
	wired        int32    // Gs that are wired to Ps [P7]
	// wantM says that there was work and no M for it, because the last ones were on their way to
	// sleep. See takeWantedP.
	wantM bool

	// runqsize is runq's length, readable without the lock as a hint.
	runqsize atomic.Int32

	// needspinning says that a spinner is wanted and that no idle P was found for it: the next M
	// that would give up its P spins instead (find.go).
	needspinning atomic.Uint32

	// timerM is the idle M that sleeps until the earliest timer is due, as a muintptr, 0: there is
	// none; timerMUntil is that time, 0: not yet known [T2]. Written with the scheduler lock held.
	timerM      atomic.Uintptr
	timerMUntil atomic.Int64

	// stopNote and safeNote tell the stopper that stopwait and safewait are 0.
	stopNote atomic.Uint32
	safeNote atomic.Uint32

	// periodic asks the next M that looks for work to call Runtime.Periodic, and says that one does. sysmonDue asks for a
	// look at the Ps of Ms in system calls, by the next M that does sysmon's work, or by a running
	// M if Gs wait there. pollDue asks the next M that looks for work to poll the devices first
	// [S3]. Set by interrupts.
	periodic  atomic.Uint32
	sysmonDue atomic.Uint32
	pollDue   atomic.Uint32

	// policy is the one in force; long is not 0 if Gs do not take the short ways (short.go), for its sake or because some are wired. Set before a second M runs, or while the
	// world is stopped, with the scheduler lock. So who has a P or the lock may read them.
	policy *Policy
	long   uint32

	// slice is a G's time slice in nanoseconds. Set before a second M runs, or while the world is stopped.
	slice int64

	// lingers is the number of looks that an M lingers for at most. Set before a second M runs.
	lingers int32

	// hunter makes the decisions instead, if Hunting. Used by the only M.
	hunter hunter

	ps [MaxProcs]P
	ms [MaxProcs]M
}

// Config is what Init needs to know.
type Config struct {
	// Spinning and Idle are the words for nmspinning and npidle, which the Go runtime reads too.
	// They must be 0.
	Spinning, Idle *atomic.Int32

	Slice   int64   // a G's time slice in nanoseconds, at least 1,000; 0: Slice
	Policy  *Policy // how Gs find Ms; nil: MToN
	Foreign int32   // CPUs that are kept for foreign code [M15], at most all but one
}

// Init makes s ready, with M 0 counted as started and without a P. Called once, before any other
// method.
func (s *Sched) Init(c Config) {
	s.nmspinning = c.Spinning
	s.npidle = c.Idle
	if s.setPolicy(&MToN); c.Policy != nil {
		s.setPolicy(c.Policy)
	}
	s.nforeign = max(0, min(c.Foreign, int32(s.machine.CPUs())-1))
	s.slice = Slice
	if c.Slice != 0 {
		s.slice = max(c.Slice, 1000)
	}
	for i := range s.ps {
		s.ps[i].ID = int32(i)
		s.ms[i].ID = int32(i)
		s.ms[i].rand = uint32(i)*2654435761 + 1
		s.ms[i].looks = lingerAnew
		s.ms[i].Rec = s.machine.Recorder(int32(i))
	}
	s.becomes(&s.ms[0], mRunning)
	s.nms = 1
	s.ncpu = 1
	s.lingers = lingerLooks
}

// P and M return the P and the M with the given number.
func (s *Sched) P(i int32) *P { return &s.ps[i] }
func (s *Sched) M(i int32) *M { return &s.ms[i] }

// Procs returns the number of Ps.
func (s *Sched) Procs() int32 { return s.procs.Load() }

// Started returns how many CPUs were started for Ms. For dumps and counters.
func (s *Sched) Started() int32 { return s.ncpu }

// Asleep returns how many Ms sleep. For dumps.
func (s *Sched) Asleep() int32 { return s.asleep() }

// GlobrunqLen returns the length of the global queue.
func (s *Sched) GlobrunqLen() int32 { return s.runqsize.Load() }

// SetProcs sets the number of Ps, from 1 to MaxProcs. The world is stopped and
// the scheduler lock held. Ps above n must have been drained [P5].
func (s *Sched) SetProcs(n int32) {
	if n == s.procs.Load() {
		return // nearly always: each restart of the world asks for it
	}
	s.procs.Store(n)
	s.nstrides = 0
	for i := uint32(1); i <= uint32(n); i++ {
		if gcd(i, uint32(n)) == 1 {
			s.strides[s.nstrides] = i
			s.nstrides++
		}
	}
}

// RunqDrain moves p's Gs to the global queue [P5]. The scheduler lock is held. by is the calling M;
// p is its own or has no owner.
func (s *Sched) RunqDrain(by *M, p *P) { s.runqDrain(by, p) }

// WireP makes m the owner of p [P1], and sets m's tick. Runtime.AcquireP calls it, and so does all
// code of the runtime that wires a P to an M. The caller runs on m, which has no P; p has no owner.
func (s *Sched) WireP(m *M, p *P) {
	if m.P() != nil || p.m.Load() != 0 {
		s.rt.Throw("P1: acquire of an owned P, or by an M that has one")
	}
	if p.idle.Load() != 0 {
		s.rt.Throw("P2: acquire of a P that is on the idle list")
	}
	if p.ID >= s.procs.Load() {
		s.rt.Throw("P5: acquire of a P beyond their number")
	}
	// A tick that strikes after the store of m.p finds a P, so before it the slice has begun and
	// the recorder knows the P.
	p.schedtick++ // what runs next was not running until now: a new slice
	m.sliceStart = s.machine.Now()
	atomic.StoreRelUint32(&m.sliceState, 0)
	var used, over uint64
	if p.used != 0 {
		used, over = s.resumeSlice(m, p)
	}
	m.Rec.SetP(uint8(p.ID))
	m.p.Store(uintptr(handleP(p)))
	p.m.Store(uintptr(handleM(m)))
	// After the store: see halt.go.
	s.machine.TickAt(m, s.firstTick(m, p))
	m.Rec.Record(record.EvAcquire, 0, used, over)
}

// resumeSlice shortens p's new slice by what p had used of the one before when the world was
// stopped: p's runnext ran in that slice, or was readied in it. Stops renew no slice [S2]: a G that
// leaves for each of them, and goes first each time, would keep the ring waiting as long as stops
// come [U2]. A slice that was used up stays so [R11]. m will be p's owner, but is not yet. The
// results are for the recorder: how much was used of the slice that continues, and 1 if it is used
// up.
func (s *Sched) resumeSlice(m *M, p *P) (used, over uint64) {
	u := p.used
	p.used = 0
	switch {
	case p.runnext.Load() == 0:
		// The runnext was drained or stolen: another G runs next.
	case u < s.slice:
		p.schedtick--
		m.sliceStart -= u
		used = uint64(u)
	default:
		m.sliceState.Store(sliceUsed)
		over = 1
	}
	return used, over
}

// firstTick returns when m, p's new owner, ticks: when the slice that has just begun ends, or when
// p's next timer is due, since the tick of p's last owner is not m's. An owner that looks for work,
// which is the usual case, runs timers that are due already; for an owner whose G continues, back
// from a system call, the tick comes soon.
func (s *Sched) firstTick(m *M, p *P) int64 {
	at := m.sliceStart + s.slice
	if t := s.rt.NextTimer(p); t != 0 {
		at = min(at, max(t, m.sliceStart+min(retryTick, s.slice)))
	}
	return at
}

// UnwireP ends m's ownership of p. Runtime.ReleaseP calls it, and so does all code of the runtime
// that unwires a P. The caller runs on m.
func (s *Sched) UnwireP(m *M, p *P) {
	if m.P() != p || p.M() != m {
		s.rt.Throw("P1: release of a P that is not the M's")
	}
	m.Rec.Record(record.EvRelease, 0, 0, 0)
	m.p.Store(0)
	p.m.Store(0)
	m.Rec.SetP(record.NoP)
}

// gcd is the greatest common divisor.
func gcd(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
