package sched

import "sched9/sched/hunt"

// Entries is what the runtime and the kernel call: the methods of Sched, which say what each does, in groups. What Sched
// calls in turn is Runtime and Machine. It is a list to read, and is compared with Sched's methods.
type Entries interface {
	// Making Gs runnable. by is the calling M.
	Ready(by *M, g *G, next bool)
	RunqPut(by *M, g *G, next bool)
	GlobrunqPut(by *M, g *G)
	WakeP(by *M)
	StartIdle(by *M, n int32)

	// A G has left m's CPU: the next one. None of these returns.
	Schedule(m *M)
	ScheduleLocked(m *M)
	Yield(m *M, g *G, wake bool)

	// The steps of Yield, Schedule and Ready, for the runtime's short ways. Dispatch does not return.
	Unusual(m *M) uint32
	Swap(m *M, p *P, g *G) *G
	Swapped(m *M, p *P, g, next *G, wake bool) (to *G, inherit bool)
	Take(m *M, p *P) (g *G, inherit bool)
	Begin(m *M, g *G, inherit bool, now int64)
	Dispatch(m *M, g *G, inherit bool)
	Submit(by *M, p *P, g *G, next bool) (wake bool)
	Summon(by *M)

	// Goroutines that are tied to their M, and the M's end.
	YieldLocked(m *M, g *G)
	ExitM(m *M)
	Restart(m *M)

	// System calls, and foreign code.
	SyscallBlocks(m *M)
	ExitSyscall(m *M)
	ExitSyscallTryGetP(m *M, g *G, old *P) *P
	ExitSyscallNoP(m *M, g *G, locked bool)
	HandoffSyscall(m *M)
	TakeForeignCPU() *M
	NeedM(m *M, g *G)
	DropM(m *M)

	// Interrupts: ticks, and devices that tell something. WakeTimerM: a timer was set.
	Tick(m *M, now int64, call bool, g uint64, pc uintptr) (leave bool, next int64)
	Left(m *M, next int64) int64
	KickSleeper(by *M)
	Hurry(by *M)
	WakeTimerM(by *M, when int64)

	// Ps: their owners, and their number.
	WireP(m *M, p *P)
	UnwireP(m *M, p *P)
	PutIdleP(by *M, p *P, now int64)
	GetIdleP(by *M, now int64) *P
	RunqDrain(by *M, p *P)
	SetProcs(n int32)
	MaxMs() int32

	// The stopped world, and safe points.
	StopTheWorld(by *M)
	StartP(by *M, p *P)
	ForEachP(by *M)
	RunSafePoint(m *M)

	// Hunting schedules.
	Hunter() *hunt.Hunter
	HuntBegin(m *M, seed uint64, strategy, depth int, limit, hang int64)
	HuntFollow(moves string) bool
	HuntArrives(id uint64, behind bool) bool
	HuntPoint(m *M, g *G) bool
	HuntTail(limit int64)
	HuntRan() int64
	HuntTick(m *M, now int64, leave bool, next int64) (l bool, n int64, over bool)
	HuntIdle(ns int64) Overdue

	// The beginning, and what there is: for dumps, counters and audits.
	Init(c Config)
	Policy() *Policy
	SetPolicy(by *M, p *Policy)
	SetPri(by *M, g *G, n uint32)
	Pri(g *G) (n uint32, ok bool)
	Wire(by *M, g *G, p int32)
	WireEnds(g *G)
	WiredTo(g *G) int32
	Wired() int32
	P(i int32) *P
	M(i int32) *M
	Procs() int32
	Started() int32
	Asleep() int32
	GlobrunqLen() int32
	GlobalQueued(ids []uint64) (n int)
	Slice() int64
	SetSlice(by *M, ns int64)
	RunqEmpty(p *P) bool
	Audit(by *M, epoch uint32)
	AuditG(g *G, queued bool, epoch uint32)
}

var _ Entries = (*Sched)(nil)
