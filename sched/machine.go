package sched

import "sched9/sched/atomic"

// Machine is what an M is made of: a virtual CPU on raw hardware, a simulated
// one in the tests. sched calls it on the scheduler's stack, with interrupts
// enabled.
type Machine interface {
	// CPUs returns how many Ms there can ever be, at least 1.
	CPUs() int

	// StartM brings up the CPU that m stands for; it will acquire p and call
	// Schedule. The caller has counted m [M8] and gives up p with the call. It must
	// not hold the scheduler lock: an implementation may allocate. StartM
	// does not fail: a CPU that does not come up is a fatal error of the
	// machine.
	StartM(m *M, p *P)

	// HaltUntil lets m, the calling M, sleep until *word is not 0 or the clock reaches
	// deadline (0: none). It may return early. The window between the test of *word
	// and the sleep is closed by the implementation: a Kick that follows
	// the store to *word ends the sleep [M9]. A tick that is set strikes in the sleep
	// too, and ends it.
	HaltUntil(m *M, word *atomic.Uint32, deadline int64)

	// Kick ends a HaltUntil that m is in, or that it is about to enter.
	Kick(m *M)

	// TickAt makes the CPU of m, the calling M, take a tick (Sched.Tick) at clock when, or
	// earlier. Nothing but the tick itself, by its answer, and TickOff make it later.
	TickAt(m *M, when int64)

	// TickOff takes the tick of m, the calling M, away, and returns when it was due, 0: there
	// was none.
	TickOff(m *M) (when int64)

	// BusyWait busy-waits for about ns nanoseconds [R5].
	BusyWait(ns int64)

	// OSYield lets other CPUs go first for a moment, where they share a core or are
	// emulated in turn.
	OSYield()

	// Now returns the clock in nanoseconds; never 0 and never backwards.
	Now() int64

	// Recorder returns M id's recorder, which is ready, or off. Init calls it.
	Recorder(id int32) *Recorder
}

// Runtime is what is done to a G and to the state that the Go
// runtime keeps beside ours. In the image it is implemented over the stock Go
// runtime (kernel/goruntime); in the tests by a model.
//
// Unless a method says otherwise it is called on the scheduler's stack of the
// M that is passed or that runs, without the scheduler lock.
type Runtime interface {
	// Lock and Unlock are the scheduler lock, the outermost lock of this
	// package. It is the runtime's because the runtime's own code that
	// stops the world or puts a yielding G on the global queue holds it too.
	Lock()
	Unlock()

	// Quiet reports whether there is nothing of the runtime's to do on p, the caller's,
	// before a G: neither Stopping nor SafePointPending holds, and Worker and Background
	// have nothing. timer is NextTimer's. It is one call for five, for the usual case.
	Quiet(p *P) (quiet bool, timer int64)

	// Stopping reports whether a stop of the world is wanted. WantStop sets it,
	// with the scheduler lock held, so that a test under the lock is exact. Whoever
	// restarts the world clears it, likewise.
	Stopping() bool
	WantStop()
	// StopP tells that p is stopped [P4]: no M owns it any more, or the stopper
	// itself does. Scheduler lock held.
	StopP(p *P)

	// Preempt asks the G that m runs, if any, to leave the CPU at once [A4]. Any
	// lock may be held.
	Preempt(m *M)

	// BlockSyscallExit keeps the G that p's owner runs in its system call, if it is in
	// one, and returns that M; nil: it is not, or nobody owns p. Nobody can take p
	// then until ResumeSyscall, which lets the G go on. TakeSyscallP, in between,
	// makes p nobody's [S1]. The scheduler lock may be held.
	BlockSyscallExit(p *P) *M
	TakeSyscallP(m *M, p *P)
	ResumeSyscall(m *M)

	// AcquireP makes m, which it runs on, the owner of p; it calls WireP.
	// ReleaseP takes m's P away; it calls UnwireP [P1].
	AcquireP(m *M, p *P)
	ReleaseP(m *M, p *P)
	// Idle and Busy tell that p went on the idle list and left it; now may
	// be 0. Scheduler lock held.
	Idle(p *P, now int64)
	Busy(p *P, now int64)
	// MsAsleep tells how many Ms sleep and will not wake by themselves. Scheduler
	// lock held.
	MsAsleep(n int32)

	// MarkSafePoints marks every P but the caller's: something is to be run for it.
	// SafePointPending reports the mark. SafePoint runs it and takes the mark away,
	// and reports false if there was none; nobody else uses p meanwhile.
	// Scheduler lock held, but by p's owner.
	MarkSafePoints()
	SafePointPending(p *P) bool
	SafePoint(p *P) bool

	// RunTimers runs p's expired timers, which may make Gs runnable on the
	// calling M's P. It returns the time (now, or the clock if now is 0 and
	// it was needed), when p's next timer is due (0: none), and whether one
	// ran. NextTimer reads the latter without running anything; it may be
	// called from an interrupt and without a P.
	RunTimers(p *P, now int64) (t, next int64, ran bool)
	NextTimer(p *P) int64

	// Worker returns a G of the runtime's own that goes before all others
	// (a collector's worker, a trace reader), or nil. IdleWorker returns one
	// for a P that would otherwise go idle. IdleWorkerWanted says, without a
	// P, whether IdleWorker would probably find one.
	Worker(p *P, now int64) *G
	IdleWorker(p *P) *G
	IdleWorkerWanted() bool

	// WorkPending reports whether the runtime has something to run on p that is in no
	// queue (a Worker, Background). Any context; a hint.
	WorkPending(p *P) bool

	// Background readies the runtime's helpers that wait for a condition
	// rather than for a wake-up; Periodic does the same for those that wait
	// for time to pass, when PeriodicAt's time has come (0: there is none). The
	// latter may be called in any context.
	Background()
	Periodic()
	PeriodicAt() int64

	// PollReady reports whether devices have something to tell. Any context. Poll puts
	// the Gs that wait for it on m's P, and returns how many [N1].
	PollReady() bool
	Poll(m *M) int

	// Claim is asked before g runs. withheld: it may not run now, and the runtime
	// has taken it. to is the M that it is tied to, nil: any may run it [M6].
	Claim(g *G) (to *M, withheld bool)
	// Execute runs g on m until g leaves the CPU. It does not return.
	Execute(m *M, g *G, inherit bool)

	// CheckDead ends the program if no G can ever run again [U6]. Every M sleeps or
	// is about to. Scheduler lock held.
	CheckDead()

	// Runnable reports whether g's status is runnable, for asserts.
	Runnable(g *G) bool

	// Throw ends the program; rule names what was broken. It does not return.
	Throw(rule string)
}
