package seam

// Protocols are those of the seam.
var Protocols = []Protocol{
	{
		Name:  "a system call begins",
		Why:   "the safe point is run before the status changes: from there on the P may be taken",
		Steps: []Step{RecordEnter, SafePoint, RunningToSyscall},
		Sites: []Site{{Image, "proc.go", "entersyscall"}, {Model, "model_calls_test.go", "cpu.entersyscall"}},
	},
	{
		Name: "a system call ends",
		Why: "the status comes first: nobody takes the P from there on, and the M may look whether it has one. A G that was asked " +
			"to leave in the call leaves at the end, with the P that it may have got. One without a P leaves its M under the scheduler lock, for the audit",
		Steps: []Step{
			SyscallToRunning, ExitSyscall, RecordExit, ExitSyscallTryGetP, WireP, Leave,
			RunningToRunnable, TieEnded, Lock, GHasNoM, MHasNoG, ExitSyscallNoP,
		},
		Sites: []Site{{Image, "proc.go", "exitsyscall"}, {Model, "model_calls_test.go", "cpu.exitsyscall"}},
	},
	{
		Name:  "a G is held in its call",
		Why:   "M, P and G may have parted before the scan bit was there, so they are looked at again behind it",
		Steps: []Step{SyscallHeld, StillTogether, SyscallResumed},
		Sites: []Site{{Image, "proc.go", "setBlockOnExitSyscall"}, {Model, "model_calls_test.go", "model.BlockSyscallExit"}},
	},
	{
		Name:  "a G is held no more",
		Steps: []Step{SyscallResumed},
		Sites: []Site{{Image, "zsched9_call.go", "sched9Runtime.ResumeSyscall"}, {Model, "model_calls_test.go", "model.ResumeSyscall"}},
	},
	{
		Name:  "a P is taken from a call",
		Why:   "all is stored while the G is held: it finds everything done when it is back",
		Steps: []Step{HoldG, CallNoticed, MHasNoP, PHasNoM, TakeG, ResumeG},
		Sites: []Site{{Scheduler, "retake.go", "Sched.retake"}},
	},
	{
		Name:  "a P is given away from a call",
		Why:   "the same; the P is handed on before the G is let go, because that may allocate with it",
		Steps: []Step{HoldG, CallNoticed, MHasNoP, PHasNoM, TakeG, Lock, Unlock, SafePoint, HandoffP, ResumeG},
		Sites: []Site{{Scheduler, "retake.go", "Sched.handoffSyscall"}},
	},
	{
		Name:  "a call is over",
		Steps: []Step{CallOver},
		Sites: []Site{{Scheduler, "syscall.go", "Sched.ExitSyscall"}},
	},
	{
		Name:  "foreign code gives its P away",
		Steps: []Step{HandoffSyscall},
		Sites: []Site{{Image, "zsched9_foreign.go", "sched9ForeignCall"}, {Model, "foreign_test.go", "opForeign"}},
	},
	{
		Name: "an M gets a P",
		Why: "the slice begins before a tick can find the P. The tick is set after the store: one that strikes before finds no P, " +
			"and takes itself away (U5)",
		Steps: []Step{SliceBegins, MHasP, PHasM, TickSet},
		Sites: []Site{{Scheduler, "sched.go", "Sched.WireP"}},
	},
	{
		Name:  "an M gives its P up",
		Steps: []Step{MHasNoP, PHasNoM},
		Sites: []Site{{Scheduler, "sched.go", "Sched.UnwireP"}},
	},
	{
		Name:  "the runtime's M gets a P",
		Why:   "the scheduler's half comes first",
		Steps: []Step{WireP, RuntimeMP, RuntimePM},
		Sites: []Site{{Image, "proc.go", "acquirep"}},
		Alone: "the model's M has no P but the scheduler's",
	},
	{
		Name:  "the runtime's M gives its P up",
		Steps: []Step{UnwireP, NoRuntimeMP, NoRuntimePM},
		Sites: []Site{{Image, "proc.go", "releasep"}},
		Alone: "the model's M has no P but the scheduler's",
	},
	{
		Name:  "a P is acquired",
		Steps: []Step{WireP},
		Sites: []Site{{Image, "zsched9_runtime.go", "sched9Runtime.AcquireP"}, {Model, "model_runtime_test.go", "model.AcquireP"}},
	},
	{
		Name:  "a P is released",
		Steps: []Step{UnwireP},
		Sites: []Site{{Image, "zsched9_runtime.go", "sched9Runtime.ReleaseP"}, {Model, "model_runtime_test.go", "model.ReleaseP"}},
	},
	{
		Name:  "a new M begins",
		Steps: []Step{WireP, GoOn},
		Sites: []Site{{Image, "proc.go", "mstart1"}, {Model, "model_test.go", "cpu.run"}},
	},
	{
		Name: "a G begins or goes on",
		Why: "G and M have each other before the status says that it runs, so whoever sees that finds an M. What the G was asked before is " +
			"forgotten after that: it was another's time; who asked in between asks again",
		Steps: []Step{TieBegun, MHasG, GHasM, RunnableToRunning, ForgetAsk},
		Sites: []Site{{Image, "zsched9_runtime.go", "sched9Runtime.Execute"}, {Model, "model_task_test.go", "cpu.execute"}},
	},
	{
		Name:  "a G has left, and the M looks for the next",
		Steps: []Step{TieEnded, ScheduleLocked, Schedule},
		Sites: []Site{{Image, "zsched9_cut.go", "sched9Schedule"}, {Model, "model_ties_test.go", "cpu.schedule"}},
	},
	{
		Name: "a G gives way",
		Why:  "another M may run it as soon as it is in a queue, so its M has left it before",
		Steps: []Step{
			RunningToRunnable, GHasNoM, MHasNoG, RunqPut, GoOn, YieldLocked, GoOn, Yield,
		},
		Sites: []Site{{Image, "zsched9_cut.go", "sched9Gosched"}, {Model, "model_task_test.go", "cpu.gosched"}},
	},
	{
		Name: "a G gives way the short way",
		Why:  "as the long way: first the status and the links, then the queue, and the lock is held for the put and the take alone",
		Steps: []Step{
			RunningToRunnable, GHasNoM, MHasNoG, Lock, Swap, Unlock, Swapped, Dispatch, Begin, MHasG, GHasM, RunnableToRunning, ForgetAsk, GoOn,
		},
		Sites: []Site{{Image, "zsched9_short.go", "sched9YieldShort"}},
		Alone: "the model's way is Sched.Yield, which has the steps of this one",
	},
	{
		Name:  "a G gives way, as the scheduler has it",
		Why:   "the first lock is the long way's",
		Steps: []Step{Lock, Unlock, Lock, Swap, Unlock, Swapped, Dispatch},
		Sites: []Site{{Scheduler, "schedule.go", "Sched.Yield"}},
	},
	{
		Name:  "the M goes on the short way",
		Why:   "what is counted and cleared with Begin belongs to the G that runs next, so that nothing may come between it and the G",
		Steps: []Step{Take, Dispatch, Begin, MHasG, GHasM, RunnableToRunning, ForgetAsk},
		Sites: []Site{{Image, "zsched9_short.go", "sched9ScheduleShort"}},
		Alone: "the model's way is Sched.Schedule",
	},
	{
		Name:  "a G waits",
		Why:   "who wakes it is told afterwards, by what holds the lock of what it waits for",
		Steps: []Step{RunningToWaiting, GHasNoM, MHasNoG},
		Sites: []Site{
			{Image, "proc.go", "park_m"}, {Image, "zsched9_short.go", "sched9ParkShort"}, {Model, "model_task_test.go", "cpu.block"},
		},
		Until: WaitingToRunnable,
	},
	{
		Name:  "a G is made ready",
		Steps: []Step{WaitingToRunnable, Ready},
		Sites: []Site{{Image, "zsched9_cut.go", "sched9Ready"}, {Model, "model_task_test.go", "cpu.wake"}},
	},
	{
		Name:  "a G is made ready the short way",
		Why:   "it is in the queue before anybody is woken for it",
		Steps: []Step{WaitingToRunnable, Submit, Summon},
		Sites: []Site{{Image, "zsched9_short.go", "sched9ReadyShort"}},
		Alone: "the model's way is Sched.Ready, which has the steps of this one",
	},
	{
		Name:  "a new G is put the short way",
		Why:   "its status is runnable from its making on",
		Steps: []Step{Submit, Summon},
		Sites: []Site{{Image, "zsched9_short.go", "sched9PutNew"}},
		Alone: "the model's way is Sched.RunqPut",
	},
	{
		Name:  "a G is made ready, as the scheduler has it",
		Steps: []Step{Submit, Summon},
		Sites: []Site{{Scheduler, "schedule.go", "Sched.Ready"}},
	},
	{
		Name:  "devices make Gs ready",
		Steps: []Step{WaitingToRunnable, RunqPut},
		Sites: []Site{{Image, "zsched9_runtime.go", "sched9Runtime.Poll"}, {Model, "model_device_test.go", "model.Poll"}},
	},
	{
		Name:  "a list of Gs is made ready",
		Why:   "each is runnable before it is in a queue; who is started for those in the global queue finds them there",
		Steps: []Step{WaitingToRunnable, RunqPut, Lock, GlobrunqPut, Unlock, StartIdle, WakeP},
		Sites: []Site{{Image, "zsched9_cut.go", "sched9Inject"}, {Model, "model_task_test.go", "cpu.inject"}},
	},
	{
		Name:  "a G ends",
		Steps: []Step{RunningToDead, GHasNoM, GUntied, TieEnded, GHasNoM, MHasNoG, GoOn},
		Sites: []Site{{Image, "proc.go", "goexit0"}, {Model, "model_task_test.go", "cpu.goexit"}},
	},
	{
		Name:  "foreign code calls back",
		Steps: []Step{WaitingToRunnable, Lock, NeedM},
		Sites: []Site{{Image, "zsched9_foreign.go", "sched9NeedM"}, {Model, "foreign_test.go", "cpu.foreign"}},
	},
	{
		Name:  "a call by foreign code ends",
		Steps: []Step{RunningToWaiting, TieEnded, GHasNoM, MHasNoG, DropM},
		Sites: []Site{{Image, "zsched9_foreign.go", "sched9CallbackEnd"}, {Model, "foreign_test.go", "cpu.callbackEnd"}},
	},
	{
		Name:  "the world stops",
		Why:   "the stopper's G counts as waiting before, so that two that stop each other do not wait for ever",
		Steps: []Step{RunningToWaiting, StopTheWorld, StopChecked, WaitingToRunning},
		Sites: []Site{{Image, "zsched9_world.go", "sched9StopTheWorld"}, {Model, "model_world_test.go", "cpu.stopTheWorld"}},
	},
	{
		Name: "the world goes on",
		Why: "a P that is one too many is given up before their number is less, and another is got afterwards. Ps that have Gs are started when " +
			"nobody wants a stop any more",
		Steps: []Step{Lock, UnwireP, SetProcs, WireP, RunqDrain, PutIdleP, StopOver, Unlock, StartP, WakeP},
		Sites: []Site{{Image, "zsched9_world.go", "sched9StartTheWorld"}, {Model, "model_world_test.go", "cpu.startTheWorld"}},
	},
	{
		Name:  "every P is visited",
		Steps: []Step{RunningToWaiting, ForEachP, WaitingToRunning},
		Sites: []Site{{Image, "proc.go", "forEachP"}, {Model, "model_world_test.go", "cpu.visit"}},
	},
	{
		Name: "an M waits for the other Ps",
		Why: "the tick that was due is due afterwards (T1). Who waits is stored before it looks whether it need: the waker " +
			"stores the note and then looks who waits",
		Steps: []Step{TickAway, Lock, WaiterShown, Unlock, Halt, Lock, WaiterGone, Unlock, TickBack},
		Sites: []Site{{Scheduler, "stop.go", "Sched.await"}},
	},
	{
		Name:  "a CPU waits for a word",
		Why:   "as for the other Ps, where the runtime waits for a lock; a program's call keeps its ticks (S1)",
		Steps: []Step{SyscallBlocks, TickAway, WaiterShown, Halt, WaiterGone, TickBack},
		Sites: []Site{{Kernel, "futex.go", "futexWait"}},
		Alone: "the model's locks are its host's",
	},
	{
		Name:  "an M sleeps without a P",
		Steps: []Step{TickAway, Halt},
		Sites: []Site{{Scheduler, "halt.go", "Sched.sleep"}},
	},
	{
		Name:  "a tick is set",
		Why:   "a tick that strikes between the look and the store would set its own, which is lost then",
		Steps: []Step{IRQOff, TickSet, IRQOn},
		Sites: []Site{{Kernel, "machine.go", "cpu.tickBy"}, {Model, "model_machine_test.go", "model.TickAt"}},
	},
	{
		Name:  "a tick strikes",
		Why:   "with interrupts off; the G is asked before the next tick is set, and it is set only if the G may not leave at once, or its slice goes on",
		Steps: []Step{Tick, AskG, Left, TickSet},
		Sites: []Site{{Kernel, "machine.go", "trapTimer"}, {Model, "model_machine_test.go", "cpu.tick"}},
	},
}
