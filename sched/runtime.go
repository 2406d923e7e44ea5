package sched

// Runtime is package sched's interface to the Go runtime: operations on a G, and on the state that the runtime keeps
// beside ours. In an image it is package runtime with our additions (kernel/goruntime/runtime), in the tests a model.
// Entries is the other direction: the calls by the runtime.
//
// Unless a method says otherwise it is called on the scheduler's stack of the M that is passed or that runs, without
// the scheduler lock.
type Runtime interface {
	// The lock, and what must hold.

	// Lock and Unlock are the scheduler lock, the outermost lock of this
	// package. It is the runtime's because the runtime's own code that
	// stops the world or puts a yielding G on the global queue holds it too.
	Lock()
	Unlock()
	// Runnable reports whether g's status is runnable, for asserts.
	Runnable(g *G) bool
	// Throw ends the program; rule names the broken rule. It does not return.
	Throw(rule string)
	// CheckDead ends the program if no G can ever run again [U6]. Every M sleeps or
	// is about to. Scheduler lock held.
	CheckDead()

	// A G that has been found.

	// Claim is asked before g runs. withheld: it may not run now, and the runtime
	// has taken it. to is the M that it is tied to, nil: any may run it [M6].
	Claim(g *G) (to *M, withheld bool)
	// Execute runs g on m until g leaves the CPU. It does not return.
	Execute(m *M, g *G, inherit bool)
	// Preempt asks the G that m runs, if any, to leave the CPU at once [A4]. Any
	// lock may be held.
	Preempt(m *M)

	// Work that is in no queue: the collector's, timers, devices.

	// Quiet reports whether there is nothing of the runtime's to do on p before a G:
	// neither Stopping nor SafePointPending holds, and Worker and Background
	// have nothing. timer is NextTimer's. Any context; a hint, unless the caller owns p.
	Quiet(p *P) (quiet bool, timer int64)
	// Worker returns a G of the runtime's own that goes before all others
	// (a collector's worker, a trace reader), or nil. Background readies helpers of the
	// runtime that wait for a condition rather than for a wake-up.
	Worker(p *P, now int64) *G
	Background()
	// IdleWorker returns a G for a P that would otherwise go idle, or nil. IdleWorkerWanted says, without a
	// P, whether IdleWorker would probably find one.
	IdleWorker(p *P) *G
	IdleWorkerWanted() bool
	// RunTimers runs p's expired timers, which may make Gs runnable on the calling M's P. It
	// returns the time (now, or the clock if now is 0 and it was needed), and whether one ran.
	// NextTimer returns when p's next timer is due (0: there is none) and runs nothing; it may be
	// called from an interrupt and without a P.
	RunTimers(p *P, now int64) (t int64, ran bool)
	NextTimer(p *P) int64
	// Periodic runs the tasks that are due by the clock, when PeriodicAt's time has come (0: there
	// is none). One M calls it at a time. PeriodicAt may be called in any context.
	Periodic()
	PeriodicAt() int64
	// PollReady reports whether devices have something to tell. Any context. Poll puts
	// the Gs that wait for it on m's P, and returns how many [N1].
	PollReady() bool
	Poll(m *M) int

	// Ps.

	// AcquireP makes m, which it runs on, the owner of p; it calls WireP.
	// ReleaseP takes m's P away; it calls UnwireP [P1].
	AcquireP(m *M, p *P)
	ReleaseP(m *M, p *P)
	// Idle and Busy tell that p went on the idle list and left it; now may
	// be 0. Scheduler lock held.
	Idle(p *P, now int64)
	Busy(p *P, now int64)
	// MsAsleep tells how many Ms sleep. Scheduler lock held.
	MsAsleep(n int32)
	// BlockSyscallExit keeps the G that p's owner runs in its system call, if it is in one, and
	// returns that M; nil: it is not, or p has no owner. Then no M can take p until ResumeSyscall,
	// which lets the G go on. TakeSyscallP, in between, removes p's owner [S1]. The scheduler lock
	// may be held.
	BlockSyscallExit(p *P) *M
	TakeSyscallP(m *M, p *P)
	ResumeSyscall(m *M)

	// All Ps: the stopped world, and safe points.

	// Stopping reports whether a stop of the world is wanted. WantStop sets it, with the scheduler
	// lock held, so that a test under the lock is exact. The restart of the world clears it, also
	// under the lock.
	Stopping() bool
	WantStop()
	// StopP tells that p is stopped [P4]: no M owns it any more, or the stopper
	// itself does. Scheduler lock held.
	StopP(p *P)
	// MarkSafePoints marks every P but the caller's: a function shall run for it. SafePointPending
	// reports the mark. SafePoint runs the function and clears the mark, and reports false if there
	// was none; no other M uses p during the call. Scheduler lock held, except by p's owner.
	MarkSafePoints()
	SafePointPending(p *P) bool
	SafePoint(p *P) bool
}
