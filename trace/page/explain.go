package page

import (
	"sched9/record"
	"sched9/trace"
)

// note explains something in plain words, and names the rules of docs/SPEC.md
// that it follows from. Words in braces are replaced by the page: {G} is the
// event's goroutine, and so on; words lists them.
type note struct {
	Text  string   `json:"text"`
	Rules []string `json:"rules"`
}

// words are what may stand in braces: the page knows each (js/words.js).
var words = []string{
	"G", "M", "P", "by", "toM", "argP", "auxP", "victim", "count", "number", "index", "entry", "parked", "reason", "place", "inherit",
	"look", "pass", "ipi", "until", "late", "phase", "stop", "from", "to", "tick", "spinning", "asked",
	"slice", "takenP", "takenM", "times", "untied", "lost", "parks",
}

// rules is short for a list of them.
func rules(ids ...string) []string { return ids }

// events explains each event.
var events = [record.NumEvents]note{
	record.EvNone: {Text: "An event of a kind that this version of the page does not know."},

	record.EvBoot:  {"{M}: its CPU is up. An M is a vCPU; the first one boots the machine, each other is started when there is work for it.", rules("M8")},
	record.EvEnd:   {"The run ends with status {number}.", rules("U6", "V4")},
	record.EvFault: {"The kernel cannot go on. It shows every M, P and G, and stops.", rules("V4")},

	record.EvCreate:       {"{by} made {G} with a go statement, to run {entry}.{parked}", rules("U1", "R11")},
	record.EvStart:        {"{G} begins to run on {M} with {P}. {place}{inherit}", rules("G2", "U3", "P1")},
	record.EvYield:        {"{G} left the CPU by itself and stays runnable, as after runtime.Gosched: it goes to the end of the line.", rules("U4")},
	record.EvPreempt:      {"{G} was preempted: it was made to leave the CPU and stays runnable.", rules("A1", "A2")},
	record.EvBlock:        {"{G} waits: {reason}. It needs no CPU until somebody makes it ready, and {M} looks for the next G.", rules("G4")},
	record.EvUnblock:      {"{by} made {G} ready: it may run again.", rules("G3", "R11")},
	record.EvExit:         {"{G} ended: its function returned. {M} looks for the next G.", rules("G1")},
	record.EvHold:         {"{G} counts as waiting ({reason}), so that others may look at its stack, but it keeps {M}.", rules("G6")},
	record.EvUnhold:       {"{G} counts as running again. It never left {M}.", rules("G2", "G6")},
	record.EvStatus:       {"{G} changes its state from {from} to {to}.", rules("G1")},
	record.EvSyscallEnter: {"{G} enters a system call. The P stays with {M}, unless the call lasts and others want it.", rules("M4")},
	record.EvSyscallExit:  {"{G} comes back from its system call.{lost}", rules("M4")},
	record.EvLock:         {"{G} is tied to {M}, {times}: only this M runs it, and while it waits this M runs nothing else.", rules("M6", "M12", "M13")},
	record.EvUnlock:       {"{G} is tied to its M once less. {untied}", rules("M6", "M12")},
	record.EvWithhold:     {"{G} was found but may not run now: for a moment the collector lets none but the runtime's own goroutines run. {place}", rules("P4")},
	record.EvPass:         {"{G} was found by {M} and is tied to {toM}, which gets it, and a P if it sleeps. {place}", rules("M6", "M13")},

	record.EvPutNext:   {"{G} goes to the runnext of {P}: it is the next to run there. Who was in runnext goes to the ring.", rules("R5", "R11")},
	record.EvPutRing:   {"{G} goes to the end of the ring of {P}, slot {index}.", rules("R1", "R2", "R4")},
	record.EvPutGlobal: {"{G} goes to the end of the global queue.", rules("R7")},
	record.EvOverflow:  {"The ring of {P} was full: half of it, {count} Gs, and {G} go to the global queue in one locked step.", rules("R6", "R1")},
	record.EvGetGlobal: {"{M} takes {count} from the global queue, a fair share: {G} to run, the others into the ring of {P}.", rules("R9", "R7")},
	record.EvTake:      {"{G} is taken out of the queue of {auxP}, and not to run: its slice is used up, so that runnext loses its right of way, or the P gives up all its Gs.", rules("R11", "P5")},
	record.EvSteal:     {"{M} steals {count} from {victim}: half of its ring, rounded up, or the runnext if the ring is empty.", rules("R10", "R3", "R5")},

	record.EvAcquire: {"{M} takes {P}. Who has a P may run goroutines.", rules("P1", "U3")},
	record.EvRelease: {"{M} gives {P} up.", rules("P1", "M1")},
	record.EvIdleP:   {"{argP} goes on the idle list: it has no M and no Gs.", rules("P2", "P6")},
	record.EvBusyP:   {"{argP} leaves the idle list: an M is to have it.", rules("P2", "P6")},
	record.EvStopP:   {"{argP} is stopped with the world.", rules("P4")},
	record.EvRetake:  {"{M} takes {takenP} from {takenM}, whose goroutine is in a system call: because that lasts and others can use the P, or because the world is to stop.", rules("S1", "M4", "P4")},
	record.EvHandoff: {"{argP} is nobody's and is handed on: to an M if there is work for it, else to the idle list.", rules("M13", "S1")},
	record.EvProcs:   {"There are {number} Ps now.", rules("U7", "P5")},

	record.EvSpin:       {"{M} spins: it has {P}, no work, and looks for some. Ms that spin: {number}.", rules("M2", "M3", "M7")},
	record.EvUnspin:     {"{M} stops spinning: it found work, or goes to sleep. Ms that spin: {number}.", rules("M3", "M7")},
	record.EvSummon:     {"{M} wants one more M to look for work. It is counted before it wakes, so that nobody wakes a second one.", rules("M7")},
	record.EvUnsummon:   {"There is no idle P or no M for it, so nobody is woken: the spinner that was counted is taken back.", rules("M7")},
	record.EvPark:       {"{M} has no P and {parks}.", rules("M1", "M9")},
	record.EvUnpark:     {"{M} was parked and has a P again: {P}.", rules("M9")},
	record.EvWakeM:      {"{M} gives {auxP} to {toM}, which sleeps, and wakes it{spinning}.", rules("M8", "M9")},
	record.EvStartM:     {"{M} starts the CPU of {toM}, for the first time, to run {auxP}.", rules("M8", "M14")},
	record.EvTimerSleep: {"{M} sleeps as the timer M: no longer than until the next timer is due, {until}.", rules("T2", "N2")},
	record.EvTimerWake:  {"{M} is the timer M no longer. It looks whether a timer is due.", rules("T2", "N2")},
	record.EvKick:       {"{M} ends the sleep of {toM}: there is something for it to look at.", rules("T2", "N2", "S1")},
	record.EvSysmon:     {"{M}, which sleeps otherwise, does what sysmon would do: it looks at the Ps of Ms that are in system calls, or wakes another M because a tick saw work that waits beside idle Ps. While no M sleeps, one that runs looks at the Ps on which goroutines are queued behind a system call.", rules("S1", "S4", "N2")},
	record.EvPoll:       {"{M} asks the devices what they have to tell. Goroutines that waited for them and may run now: {number}.", rules("N1", "N2", "S3")},
	record.EvExitM:      {"{M} ends with the goroutine that was tied to it. Its P is handed on, its CPU is made like new and comes back as another M.", rules("M11")},
	record.EvNeedM:      {"A CPU that runs foreign code calls back: it is {M} while {G} does the call.", rules("M15")},
	record.EvDropM:      {"The call that foreign code made is done: {M} is none any more, and its CPU goes on with that code.", rules("M15", "M5")},
	record.EvLook:       {"{M} looks for work. {look}", rules("U2")},
	record.EvHalt:       {"The CPU of {M} halts, {until}. An interrupt ends it.", rules("M9", "A5")},
	record.EvHaltEnd:    {"The CPU of {M} goes on: it was interrupted.", rules("M9")},
	record.EvTick:       {"The timer interrupt strikes {M}. {tick}", rules("S2", "A2")},
	record.EvSendIPI:    {"{M} interrupts {toM}. {ipi}", rules("A4", "M9")},
	record.EvTakeIPI:    {"{M} is interrupted by another. {ipi}", rules("A4", "M9")},
	record.EvInject:     {"The interrupt struck {G} where the compiler knows all pointers: it is made to call the preempt path right there.", rules("A2", "A3")},

	record.EvStop:     {"{by} wants the world stopped: {stop}. Every P is asked to stop.", rules("P4", "A4")},
	record.EvStopped:  {"The world stands still: no goroutine runs on any P.", rules("P4")},
	record.EvGo:       {"The world goes on.", rules("P4")},
	record.EvPhase:    {"The collector enters a phase: {phase}.", rules("S5")},
	record.EvSetTimer: {"A timer was set, for {until}. Whoever sleeps past it must hear of it.", rules("T2")},
	record.EvTimer:    {"A timer fires, {late} late.", rules("T1")},
}

// places explains where a goroutine was found.
var places = [...]note{
	record.FromNowhere:    {"It was at hand: it has been in no queue.", rules("G3")},
	record.FromNext:       {"It was found in runnext: {asked} made it ready, and it goes before all others.", rules("R5", "R11")},
	record.FromRing:       {"It was found at the head of the P's own ring.", rules("R3")},
	record.FromGlobal:     {"It was found in the global queue.", rules("R7", "R9")},
	record.FromSteal:      {"It was stolen: a thief takes half.", rules("R10")},
	record.FromWorker:     {"It is a worker of the collector's, which goes before all others.", rules("S5")},
	record.FromIdleWorker: {"It is a worker of the collector's, for a P that has nothing else to do.", rules("S5")},
	record.FromPass:       {"It is tied to this M. Another M found it and passed it on.", rules("M6", "M13")},
}

// finer explains what more is known of a run or a moment than its event says.
var finer = map[string]note{
	// How it was found.
	"inherit":   {" It goes on in the time slice of the one that made it ready, so a ping-pong pair cannot starve the ring.", rules("R11")},
	"tick61":    {"It came from the global queue on the 61st tick, before the P's own queue: nobody there is forgotten.", rules("R8")},
	"dry":       {"It came from the global queue, because the P's own queue was empty.", rules("R7", "R9")},
	"stolen":    {"It was stolen from {victim}: a thief takes half of the ring, rounded up, and got {count}.", rules("R10", "R3")},
	"stoleNext": {"It was stolen from the runnext of {victim}: its ring was empty, and the runnext was left alone for a moment first.", rules("R10", "R5")},
	"calledOff": {"It never left: the wait was called off.", rules("G4")},
	"switched":  {"The coroutine that ran before switched to it, past all queues. If that was tied to the M, this one is now.", rules("G3", "M6")},
	"cameBack":  {"It came back from a system call, in which its P was taken, and its M took another.", rules("M4", "S1")},
	// Why it lost its P.
	"callTaken": {"It is in a system call that lasts, and {M} took {takenP} away, which it does not need there. When it is back it needs another.", rules("S1", "M4")},
	"callGiven": {"It is in a system call that lasts, and its M gave {P} away for others to use. When it is back it needs another.", rules("M5", "M4")},
	"lostP":     {" The P was taken away meanwhile: it needs another, and waits for one if none is idle.", rules("M4", "S1")},
	"tiedTo":    {"Only that M runs it. While it waits that M runs nothing else, unless all others are held up.", rules("M6", "M13")},
	// Why it was preempted.
	"slice":   {"Its slice of {slice} was used up.", rules("S2", "U5")},
	"timer":   {"A timer of its P was due, or a device had something to tell.", rules("T1", "S3")},
	"ipi":     {"Another M asked for it, by an interrupt.", rules("A4")},
	"stopped": {"The world was to be stopped.", rules("P4", "A4")},
	"inject":  {"The interrupt struck it at a point where the compiler knows all pointers and made it call the preempt path there.", rules("A2")},
	"guard":   {"It left at a call, where it met its stack guard, which is poisoned for this.", rules("A1")},
	// Ticks.
	"tickQuiet": {"The running G may go on.", rules("A2")},
	"tickSlice": {"The running G is to leave: its slice of {slice} is used up.", rules("S2", "U5")},
	"tickTimer": {"The running G is to leave: a timer of its P is due, a device has something to tell, or it is time for something that sysmon does by the clock.", rules("T1", "S3", "S5")},
	"tickCall":  {"{G} is in a system call. If that lasts, somebody is to take its P.", rules("S1", "M4")},
	// Wake-ups.
	"wakeNew":    {"{by} made {G} with a go statement.", rules("U1", "R11")},
	"wake":       {"{by} made {G} ready.", rules("G3", "R11")},
	"wakeNobody": {"A timer, an interrupt or the scheduler made {G} ready; no goroutine ran on {M} then.", rules("T1", "N1")},
	"waited":     {"Being ready is not running: it waits in a queue for a P. Every runnable G runs in the end.", rules("U2", "G3")},
	// The world.
	"stw":   {"The world is being stopped: every P stops at its next safe point, by a call's guard or by an interrupt.", rules("P4", "A4")},
	"held":  {"The world stands still: no goroutine runs.", rules("P4")},
	"mark":  {"The collector marks what is still in use, beside the program: its workers take a share of the Ps.", rules("S5")},
	"term":  {"The collector ends marking. The world is stopped for it.", rules("S5", "P4")},
	"queue": {"How many Gs wait in the ring and the runnext of this P. More than 256 do not fit the ring: then half goes to the global queue.", rules("R1", "R5", "R6")},
	"globq": {"How many Gs wait in the global queue, which belongs to no P. A P looks there when its own queue is empty, and every 61st time before that.", rules("R7", "R8", "R9")},
	"noP":   {"No M has this P, or its M is between two goroutines.", rules("P2")},
}

// looks explains the steps of the search for work.
var looks = [...]note{
	record.LookGlobal:  {"Its own queue was empty: it looks at the global one.", rules("R7", "R9")},
	record.LookSteal:   {"It tries to steal from all Ps in random order, pass {pass} of four; timers and runnexts only in the last.", rules("R10")},
	record.LookIdle:    {"Nothing to steal: it asks the collector for idle work.", rules("S5")},
	record.LookLocked:  {"It looks at the global queue once more, under the lock, before it gives its P up.", rules("R7")},
	record.LookRecheck: {"It has stopped spinning and gave its P up; now it looks at all queues once more, so that no G is missed that was put there meanwhile.", rules("M3", "U2")},
}

// ipis explains what interrupts from other CPUs are for.
var ipis = [...]note{
	record.IPIKick:    {"A kick: it ends a halt, because there is work.", rules("M9")},
	record.IPIPreempt: {"The running G is to leave at once.", rules("A4")},
	record.IPIFlush:   {"Memory was given back: the CPU is to forget old translations.", rules("A4")},
	record.IPINMI:     {"One that cannot be refused: to show what it does, or to stop.", rules("V4")},
}

// states explains what an M does while it runs no goroutine.
var states = [...]note{
	trace.Scheduling: {"{M} is in the scheduler: between two goroutines, or on its way to sleep.", rules("M16")},
	trace.Running:    {"{M} runs a goroutine.", rules("G2")},
	trace.Spinning:   {"{M} spins: it holds a P without work and looks for some: global queue, other Ps, timers. That costs CPU time and saves the time of a wake-up, so few may do it.", rules("M2", "M3", "M7", "R10")},
	trace.Halted:     {"The CPU of {M} is halted: it sleeps and costs nothing, until an interrupt wakes it.", rules("M1", "M9", "T2", "A5")},
	trace.Calling:    {"{M} holds a system call, and has no P: others run with that. It needs one when its goroutine comes back.", rules("M4", "S1", "M5")},
}
