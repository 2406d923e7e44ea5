package record

// Event says what a record of the recorder tells. Names gives each a name; docs/trace.md has the words behind each, and
// trace/events what it is shown as.
//
// The rule for the moment: what gives something up is recorded before the
// store that gives it up, what takes something after the one that takes it.
// Put before get is then also before it in time, whatever the two Ms are.
type Event uint8

// Beside the G and the argument a record has a second argument, aux, of 48
// bits: for most events of a G it is the address of the code that it left.
const (
	EvNone Event = iota

	// The machine. M is the processor that it is about.
	EvBoot  // an M's CPU arrives
	EvEnd   // the run ends; arg: status
	EvFault // the kernel cannot go on; aux: where

	// A G changes its state [G1].
	EvCreate       // a G is made; arg: entry point, with CreateParked if it waits at first; aux: the go statement
	EvStart        // the M begins to run it; arg: the Place where it was found, with StartInherit if it goes on in the slice
	EvYield        // it leaves the CPU by itself and stays runnable
	EvPreempt      // it is made to leave [A1, A2]
	EvBlock        // it waits [G4]; arg: what for, ReasonShift up: the runtime's reason
	EvUnblock      // it becomes runnable, made so by the M's own G if it runs one
	EvExit         // it ends
	EvHold         // it counts as waiting, so that others may look at its stack, but keeps its M; arg: as of Block
	EvUnhold       // it counts as running again
	EvStatus       // it takes an edge that is none of the above; arg: from, StatusShift up: to
	EvSyscallEnter // it enters a system call
	EvSyscallExit  // it comes back from it. Until then its M's records bear the P that it went in with, also if that is taken meanwhile
	EvLock         // it is tied to its M, once more [M6]; arg: how often now
	EvUnlock       // it is tied once less; arg: how often still
	EvWithhold     // it was found but may not run now; arg: its Place
	EvPass         // it was found but is tied to M arg, which gets it [M13]; aux: its Place
	EvWire         // it is wired to a P from now on [P7]; arg: its number plus one, 0: to none
	EvPassP        // it was found but is wired to P arg, which gets it [P7]; aux: its Place

	// A G changes its place [G3]. The M's P is the queue's, unless it is global.
	EvPutNext   // it goes to a runnext [R5]
	EvPutRing   // it goes to a ring; arg: its index [R2]
	EvPutGlobal // it goes to the global queue [R7]
	EvOverflow  // half a ring goes to the global queue, and then this G [R6]; arg: index of the first, CountShift up: how many
	EvGetGlobal // this G is taken from the global queue, and more go to the ring [R9]; arg: index of the first of those, CountShift up: how many in all
	EvTake      // it is taken from P aux's queue, and not to run; arg: its Place
	EvSteal     // arg: index of the first in the victim's ring, CountShift up: where they go; aux: the victim, 8 up: how many [R10]; G: the runnext, if that was taken

	// A P.
	EvAcquire // the M takes the P [P1], with arg ns used of a slice that goes on after a stop of the world [R11], or, if aux is 1, one that is used up
	EvRelease // the M gives it up; the record still bears it
	EvIdleP   // P arg goes on the idle list [P2]
	EvBusyP   // P arg leaves that list
	EvStopP   // P arg is stopped with the world [P4]
	EvRetake  // P arg is taken from an M, 8 up, whose G is in a system call [S1]
	EvHandoff // P arg, which nobody owns, is to be handed on [S1, M11, M13]
	EvProcs   // there are arg Ps now [U7]

	// An M.
	EvSpin       // it looks for work and is counted [M2]; arg: how many spin now
	EvUnspin     // it stops that; arg: how many spin now
	EvSummon     // an M that is to spin is counted before it wakes [M7]; arg: how many spin now
	EvUnsummon   // there will be none; arg: how many spin now
	EvPark       // it goes on the list of idle Ms [M1], or waits for a G of its own: arg is ParkLocked [M13]
	EvUnpark     // it waits no longer, and has a P again
	EvWakeM      // it gives M arg a P, which wakes up [M9]; aux: the P, with WakeSpinning
	EvStartM     // it starts the CPU of M arg for a P [M8]; aux: the P, with WakeSpinning
	EvTimerSleep // idle, it is the timer M, and sleeps until time arg, 0: until it is kicked [T2]
	EvTimerWake  // it does so no longer: its time has come, or no P is idle
	EvKick       // it ends M arg's sleep, so that it looks around
	EvSysmon     // parked, it does what sysmon would do [S1]; arg: SysmonBehind if it runs and has seen Gs behind a call
	EvPoll       // it asked the devices; arg: how many Gs became runnable [N1]; aux: whether it was time to [S3]
	EvNeedM      // a CPU that runs foreign code calls back, and is an M for a while; G: what it wants to run [M15]
	EvDropM      // it is an M no more
	EvExitM      // it ends with its G [M11]; its CPU is made like new
	EvLook       // it looks for work: a step of findRunnable; arg: a Look, TryShift up: which try
	EvHalt       // its CPU halts; arg: until when, 0: for ever
	EvHaltEnd    // its CPU goes on; arg: 1 if a device has interrupted it, else 0
	EvTick       // the timer interrupts it; arg: Tick flags; aux: the code that it struck
	EvSendIPI    // it interrupts M arg; aux: an IPI
	EvTakeIPI    // it is interrupted; aux: an IPI
	EvInject     // the interrupted G is made to call the preempt path [A2]; aux: where

	// The world.
	EvStop     // somebody wants it stopped; arg: the runtime's reason, or StopForGood
	EvStopped  // the world stands still
	EvGo       // the world goes on
	EvPhase    // the collector enters phase arg
	EvSetTimer // a timer is set that others must know of; arg: when
	EvTimer    // a timer fires; arg: by how many nanoseconds late [T1]
	EvSlice    // a slice lasts arg ns from now on [S2]
	EvPolicy   // another policy is in force; arg: its name, the first letter in the lowest byte

	// The network.
	EvDrop // it drops packets; arg: how many; aux: a Drop

	NumEvents
)

// Parts of arguments.
const (
	CreateParked = 1 << 63
	StartInherit = 1 << 63
	ReasonShift  = 56 // an EvBlock's reason
	StatusShift  = 32
	CountShift   = 32
	TryShift     = 8
	WakeSpinning = 1 << 8
	StopForGood  = 1 << 63 // the program dies, and nothing is to disturb its last words

	TickLeave    = 1 << 0 // the running G is to leave
	TickSlice    = 1 << 1 // because its slice is used up
	TickCall     = 1 << 2 // it is in a system call
	TickPeriodic = 1 << 3 // something is due by the clock, such as an audit [S5]

	SysmonBehind = 2

	ParkLocked = 1 // the M waits for a G that is tied to it
)

// Place is where a G was found.
type Place uint64

const (
	FromNowhere    Place = iota // it never left the M: a wait that was called off
	FromNext                    // runnext of the M's P
	FromRing                    // its ring; IndexShift up: the index
	FromGlobal                  // the global queue
	FromSteal                   // another P's ring or runnext, just stolen; IndexShift up: the index, as if it had gone to the ring
	FromWorker                  // a worker of the runtime's
	FromIdleWorker              // a worker for a P that has nothing else
	FromPass                    // it is tied to the M, or wired to the P, and was passed to it

	placeMask  = 0xff
	IndexShift = 8
)

// At is the Place with an index.
func (p Place) At(i uint32) Place { return p | Place(i)<<IndexShift }

// Kind is p without its index, Index the latter.
func (p Place) Kind() Place   { return p & placeMask }
func (p Place) Index() uint32 { return uint32(p >> IndexShift) }

// Look is a step of findRunnable, in its order.
type Look uint64

const (
	LookGlobal  Look = 1 + iota // its own queue was empty: the global one
	LookSteal                   // the other Ps', try by try
	LookIdle                    // the runtime's idle work
	LookLocked                  // the global queue, under the lock
	LookRecheck                 // everything, after it stopped spinning and gave up its P
	LookDevices                 // what devices have told
)

// IPI is what an interrupt from another CPU is for.
type IPI uint64

const (
	IPIKick IPI = 1 + iota
	IPIPreempt
	IPIFlush
	IPINMI
)

// Drop is why the network drops packets.
type Drop uint64

const (
	DropSend    Drop = 1 + iota // as many frames as may wait for room in the card do
	DropCard                    // the card was found full. What came then it holds back or drops, and does not say how much: this counts for one
	DropBacklog                 // as many connections as a listener allows wait to be accepted
	DropSocket                  // as much as a socket may hold waits to be received; also what comes to a listener and is of no use to it
	NumDrops
)

// DropNames are what pages and /sched/net call them.
var DropNames = [NumDrops]string{DropSend: "send", DropCard: "card", DropBacklog: "backlog", DropSocket: "socket"}

// Names are the events' names, as traces print them.
var Names = [NumEvents]string{
	EvNone: "None", EvBoot: "Boot", EvEnd: "End", EvFault: "Fault",
	EvCreate: "Create", EvStart: "Start", EvYield: "Yield", EvPreempt: "Preempt", EvBlock: "Block", EvUnblock: "Unblock", EvExit: "Exit",
	EvHold: "Hold", EvUnhold: "Unhold", EvStatus: "Status", EvSyscallEnter: "SyscallEnter", EvSyscallExit: "SyscallExit",
	EvLock: "Lock", EvUnlock: "Unlock", EvWithhold: "Withhold", EvPass: "Pass", EvWire: "Wire", EvPassP: "PassP",
	EvPutNext: "PutNext", EvPutRing: "PutRing", EvPutGlobal: "PutGlobal", EvOverflow: "Overflow", EvGetGlobal: "GetGlobal", EvTake: "Take", EvSteal: "Steal",
	EvAcquire: "Acquire", EvRelease: "Release", EvIdleP: "IdleP", EvBusyP: "BusyP", EvStopP: "StopP", EvRetake: "Retake", EvHandoff: "Handoff", EvProcs: "Procs",
	EvSpin: "Spin", EvUnspin: "Unspin", EvSummon: "Summon", EvUnsummon: "Unsummon", EvPark: "Park", EvUnpark: "Unpark", EvWakeM: "WakeM", EvStartM: "StartM",
	EvTimerSleep: "TimerSleep", EvTimerWake: "TimerWake", EvKick: "Kick", EvSysmon: "Sysmon", EvPoll: "Poll", EvNeedM: "NeedM", EvDropM: "DropM", EvExitM: "ExitM", EvLook: "Look", EvHalt: "Halt", EvHaltEnd: "HaltEnd",
	EvTick: "Tick", EvSendIPI: "SendIPI", EvTakeIPI: "TakeIPI", EvInject: "Inject",
	EvStop: "Stop", EvStopped: "Stopped", EvGo: "Go", EvPhase: "Phase", EvSetTimer: "SetTimer", EvTimer: "Timer", EvSlice: "Slice", EvPolicy: "Policy",
	EvDrop: "Drop",
}

// String is the event's name.
func (e Event) String() string {
	if e < NumEvents {
		return Names[e]
	}
	return "?"
}
