// Package seam states the order of steps where the scheduler meets the Go runtime, interrupts and the kernel: what is
// stored, set and called, step by step, and in which functions.
//
// It is data. The image has these steps in the toolchain's functions, as cut.txt edits them, in kernel/goruntime/runtime,
// and in the kernel. The model, which the hosted tests run in the image's place, has them again, in sched's test files. The
// tests here parse all of those and compare the order of the steps with the lists, so that neither can do a step earlier,
// later or not at all unless both do. The explorer lets ticks strike before every access to one of Words, hence between any
// two of these steps.
//
// An order is that of the text, with each function that Follow names in place of its call: branches come one after the
// other, and arguments before the call. A step that is repeated at once counts once.
package seam

// Code is a function's place.
type Code string

const (
	Image     Code = "image"     // package runtime of an image: the toolchain's edited files, and ours
	Kernel    Code = "kernel"    // the kernel
	Scheduler Code = "scheduler" // package sched, which images and the model have in common
	Model     Code = "model"     // its tests' stand-in for the first two
)

// Step is one step of a protocol.
type Step string

const (
	RecordEnter Step = "record: a call begins"
	RecordExit  Step = "record: a call ends"
	SafePoint   Step = "the P's safe point is run"

	RunningToSyscall  Step = "status: running to syscall"
	SyscallToRunning  Step = "status: syscall to running"
	RunningToRunnable Step = "status: running to runnable"
	RunnableToRunning Step = "status: runnable to running"
	RunningToWaiting  Step = "status: running to waiting"
	WaitingToRunning  Step = "status: waiting to running"
	WaitingToRunnable Step = "status: waiting to runnable"
	RunningToDead     Step = "status: running to dead"
	SyscallHeld       Step = "status: syscall gets the scan bit"
	SyscallResumed    Step = "status: syscall loses the scan bit"

	MHasG    Step = "the M's G is stored"
	GHasM    Step = "the G's M is stored"
	GHasNoM  Step = "the G's M is cleared"
	MHasNoG  Step = "the M's G is cleared"
	TieBegun Step = "the M's tied G is stored"
	TieEnded Step = "the M's tied G is cleared"
	GUntied  Step = "the G's tie is cleared"

	AskG      Step = "the G is asked to leave"
	ForgetAsk Step = "what the G was asked is cleared"
	Leave     Step = "the G leaves, as it was asked to"

	Lock   Step = "the scheduler lock is taken"
	Unlock Step = "the scheduler lock is given back"

	StillTogether Step = "M, P and G are still together"

	// Calls of the scheduler.
	ExitSyscall        Step = "Sched.ExitSyscall"
	ExitSyscallTryGetP Step = "Sched.ExitSyscallTryGetP"
	WireP              Step = "Sched.WireP"
	UnwireP            Step = "Sched.UnwireP"
	ExitSyscallNoP     Step = "Sched.ExitSyscallNoP"
	Schedule           Step = "Sched.Schedule"
	ScheduleLocked     Step = "Sched.ScheduleLocked"
	GoOn               Step = "the M looks for the next G"
	RunqPut            Step = "Sched.RunqPut"
	GlobrunqPut        Step = "Sched.GlobrunqPut"
	StartIdle          Step = "Sched.StartIdle"
	Ready              Step = "Sched.Ready"
	Yield              Step = "Sched.Yield"
	YieldLocked        Step = "Sched.YieldLocked"
	Swap               Step = "Sched.Swap"
	Swapped            Step = "Sched.Swapped"
	Take               Step = "Sched.Take"
	Begin              Step = "Sched.Begin"
	Dispatch           Step = "Sched.Dispatch"
	Submit             Step = "Sched.Submit"
	Summon             Step = "Sched.Summon"
	StopTheWorld       Step = "Sched.StopTheWorld"
	ForEachP           Step = "Sched.ForEachP"
	SetProcs           Step = "Sched.SetProcs"
	RunqDrain          Step = "Sched.RunqDrain"
	PutIdleP           Step = "Sched.PutIdleP"
	StartP             Step = "Sched.StartP"
	WakeP              Step = "Sched.WakeP"
	Tick               Step = "Sched.Tick"
	Left               Step = "Sched.Left"
	HandoffSyscall     Step = "Sched.HandoffSyscall"
	NeedM              Step = "Sched.NeedM"
	DropM              Step = "Sched.DropM"
	SyscallBlocks      Step = "Sched.SyscallBlocks"

	StopChecked Step = "each P is found stopped"
	StopOver    Step = "no stop is wanted any more"

	// Within the scheduler, and the kernel.
	SliceBegins Step = "a slice begins"
	MHasP       Step = "the M's P is stored"
	PHasM       Step = "the P's M is stored"
	MHasNoP     Step = "the M's P is cleared"
	PHasNoM     Step = "the P's M is cleared"
	RuntimeMP   Step = "the runtime's M gets its P"
	RuntimePM   Step = "the runtime's P gets its M"
	NoRuntimeMP Step = "the runtime's M loses its P"
	NoRuntimePM Step = "the runtime's P loses its M"
	TickSet     Step = "the tick is set"
	TickAway    Step = "the tick is taken away, and remembered"
	TickBack    Step = "the tick is what it was"
	CallNoticed Step = "since when the call lasts is stored"
	CallOver    Step = "since when the call lasted is cleared"
	HoldG       Step = "Runtime.BlockSyscallExit"
	TakeG       Step = "Runtime.TakeSyscallP"
	ResumeG     Step = "Runtime.ResumeSyscall"
	HandoffP    Step = "the P is handed on"
	WaiterShown Step = "who waits is stored"
	WaiterGone  Step = "who waits is cleared"
	Halt        Step = "the CPU halts"
	IRQOff      Step = "interrupts are off"
	IRQOn       Step = "interrupts are on"
)

// Site is a function with a protocol's steps. Func is its name, with the type of its receiver.
type Site struct {
	Code Code
	File string
	Func string
}

// Protocol is what one function of the seam does, in this order.
type Protocol struct {
	Name  string
	Why   string // of the order
	Steps []Step
	Sites []Site
	Until Step   // a site's steps from the first such on are not compared: what an image's function does in a case that the model has not
	Alone string // why there is no site of the model beside one of the image or the kernel
}

// Inner are steps that are compared only for protocols that list one of them: the runtime's own links of P and M,
// which the model does not have beside the scheduler's.
var Inner = []Step{RuntimeMP, RuntimePM, NoRuntimeMP, NoRuntimePM}

// Words are the words that the steps store and test, under the explorer's names without the object: it lets ticks
// strike before each access.
var Words = []string{
	"ms.p", "ps.m", "ms.callSince", "ms.expired", "stopNote", "safeNote", // the scheduler's
	"rt.stopping", "rt.marks", // the model's
	"cpu.cur", "cpu.tickAt",
	"task.status", "task.on", "task.preempt",
}
