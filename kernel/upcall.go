package kernel

import (
	_ "unsafe" // for go:linkname

	"sched9/arch"
	"sched9/record"
	"sched9/sched"
)

// What the kernel calls in the Go runtime above it, which imports this
// package: so these are bound by the linker. kernel/goruntime has them.

// upStartM makes the runtime's M for m and starts processor m.ID with it; it
// will own p and schedule. Scheduler stack, preemption off.
//
//go:linkname upStartM runtime.sched9StartM
func upStartM(m *sched.M, p *sched.P)

// upTick is the timer's interrupt on a processor that ticks, at clock now. It returns when to tick
// again, 0: not until TickAt.
//
//go:linkname upTick runtime.sched9Tick
func upTick(f *arch.Frame, now int64) int64

// upSample takes a sample for the CPU profile of the code interrupted at f. Interrupt context.
//
//go:linkname upSample runtime.sched9Sample
func upSample(f *arch.Frame)

// upSyscallBlocks is told that a leaf is about to hold this processor, and reports whether its P may
// be taken during that time: it may if the leaf is a program's system call, and not a wait of the
// runtime's own. Scheduler stack.
//
//go:linkname upSyscallBlocks runtime.sched9SyscallBlocks
func upSyscallBlocks() (call bool)

// upPreempt handles an interrupt by which another processor asks this one to leave its goroutine.
//
//go:linkname upPreempt runtime.sched9Preempt
func upPreempt(f *arch.Frame)

// upAppend is the recorder's record.Append, upClock its clock: the processor's
// counter as it is.
//
//go:linkname upAppend runtime.sched9Append
func upAppend(r *record.Recorder, what, arg, aux uint64)

//go:linkname upClock runtime.sched9Clock
func upClock() uint64

// upFault makes a Go panic of an exception if a goroutine can have one; f is
// changed accordingly then. beyond: it is an access to a mapped file where that has no page.
//
//go:linkname upFault runtime.sched9Fault
func upFault(f *arch.Frame, k arch.Kind, addr uintptr, beyond bool) bool

// upSignal is for a signal that the program or the host sends and that the Go runtime
// handles; it reports whether the program is to die of it. If it is to die with a trace
// of its goroutines, upSignal does not return. Scheduler stack; or a trap, if the signal asks for no trace. upSignalName names a signal, for
// ever.
//
//go:linkname upSignal runtime.sched9Signal
func upSignal(sig uint32) bool

//go:linkname upSignalName runtime.sched9SignalName
func upSignalName(sig uint32) string

// upWhose returns the goroutine that ran at f, or for which the scheduler stack at f did, and that
// goroutine's place: program counter and frame pointer; 0: none. Trap context.
//
//go:linkname upWhose runtime.sched9Whose
func upWhose(f *arch.Frame) (goid uint64, pc, fp uintptr)

// upDump prints every M, P and G with Print. All other processors are stopped;
// nothing may be locked, allocated or waited for.
//
//go:linkname upDump runtime.sched9Dump
func upDump()

// upReport writes the scheduler's counters with Count. Same context.
//
//go:linkname upReport runtime.sched9Report
func upReport()

// upSymbol names the function, file and line of pc: of the call with that number among those that the compiler has put
// into the function there, from the innermost, which is 0, on; more says that there is another, the function itself the last. Same context.
//
//go:linkname upSymbol runtime.sched9Symbol
func upSymbol(pc uintptr, call int) (name, file string, line int32, more bool)

// upPolled is told that PollPending became true: the scheduler calls Poll soon, and wakes an M for
// it if none is awake. Interrupt context.
//
//go:linkname upPolled runtime.sched9Polled
func upPolled()

// upForeignCall calls code outside the scheduler's reach. Scheduler stack, in a
// system call of a goroutine. upForeignCPU starts a processor with such code; the
// processor's number or -errno is returned. Scheduler stack, with a P: it allocates.
// upCallback is a call of Go by such a processor, on its stack.
//
//go:linkname upForeignCall runtime.sched9ForeignCall
func upForeignCall(pc, arg uintptr) uintptr

//go:linkname upForeignCPU runtime.sched9ForeignCPU
func upForeignCPU(pc, arg, fn uintptr) uintptr

//go:linkname upCallback runtime.sched9Callback
func upCallback(arg uintptr) uintptr

// upHuntIdle tells that the processor has slept for ns nanoseconds, and returns which bound the program has passed. Scheduler stack.
//
//go:linkname upHuntIdle runtime.sched9HuntIdle
func upHuntIdle(ns int64) sched.Overdue

// upHunted returns what the hunter counted: see package sched/hunt. Any context.
//
//go:linkname upHunted runtime.sched9Hunted
func upHunted() (strategy, choices, preempts, hash, space uint64)

// upHasG reports whether there is a goroutine of that number, and upGAt returns that of the one in place i of the runtime's list,
// 0 if it has ended, and whether there is such a place. upInCall reports whether a goroutine's system call is carried out, which
// package syscall completes. Scheduler stack; in an image that serves names.
//
//go:linkname upHasG runtime.sched9HasG
func upHasG(id uint64) bool

//go:linkname upGAt runtime.sched9GAt
func upGAt(i int) (id uint64, more bool)

//go:linkname upInCall runtime.sched9InCall
func upInCall() bool
