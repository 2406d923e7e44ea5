package page

import (
	"sched9/trace"
	"sched9/trace/events"
)

// words are what may stand in braces: the page knows each (js/words.js).
var words = []string{
	"G", "M", "P", "by", "toM", "argP", "auxP", "victim", "count", "number", "index", "entry", "parked", "reason", "place", "inherit",
	"look", "pass", "ipi", "until", "span", "phase", "policy", "stop", "from", "to", "tick", "spinning", "asked",
	"slice", "takenP", "takenM", "times", "untied", "lost", "parks",
	"waits", "found", "inherits", "ties", "without", "waitsFor", "spins", "step", "why", "ipiName", "drop",
}

// note is short for one.
func note(text string, rules ...string) events.Note { return events.Note{Text: text, Rules: rules} }

// finer explains what more is known of a run or a moment than its event says.
var finer = map[string]events.Note{
	// How it was found.
	"inherit":   note(" It goes on in the time slice of the one that made it ready, so a ping-pong pair cannot starve the ring.", "R11"),
	"tick61":    note("It came from the global queue on the 61st tick, before the P's own queue, so that no G there starves.", "R8"),
	"dry":       note("It came from the global queue, because the P's own queue was empty.", "R7", "R9"),
	"stolen":    note("It was stolen from {victim}: a thief takes half of the ring, rounded up, and got {count}.", "R10", "R3"),
	"stoleNext": note("It was stolen from the runnext of {victim}: its ring was empty, and the runnext was left alone for a moment first.", "R10", "R5"),
	"calledOff": note("It never left: the wait was called off.", "G4"),
	"switched":  note("The coroutine that ran before switched to it, past all queues. If that was tied to the M, this one is now.", "G3", "M6"),
	"cameBack":  note("It came back from a system call, in which its P was taken, and its M took another.", "M4", "S1"),
	// Why it lost its P.
	"callTaken": note("It is in a system call that lasts, and {M} took {takenP} away, which it does not need there. When it is back it needs another.", "S1", "M4"),
	"callGiven": note("It is in a system call that lasts, and its M gave {P} away for others to use. When it is back it needs another.", "M5", "M4"),
	"lostP":     note(" The P was taken away during the call: the goroutine needs another, and waits for one if none is idle.", "M4", "S1"),
	"tiedTo":    note("Only that M runs it. While it waits that M runs nothing else, unless all others are held up.", "M6", "M13"),
	// Why it was preempted.
	"slice":   note("Its slice of {slice} was used up.", "S2", "U5"),
	"timer":   note("A timer of its P was due, or a device had an event.", "T1", "S3"),
	"ipi":     note("Another M asked for it, by an interrupt.", "A4"),
	"stopped": note("The world was to be stopped.", "P4", "A4"),
	"inject":  note("The interrupt struck it at a point where the compiler knows all pointers and made it call the preempt path there.", "A2"),
	"guard":   note("It left at a call, where it met its stack guard, which is poisoned for this.", "A1"),
	// Ticks.
	"tickQuiet": note("The running G may go on.", "A2"),
	"tickSlice": note("The running G must leave: its slice of {slice} is used up.", "S2", "U5"),
	"tickTimer": note("The running G must leave: a timer of its P is due, a device has an event, or sysmon's periodic work is due.", "T1", "S3", "S5"),
	"tickCall":  note("{G} is in a system call. If that lasts, another M should take its P.", "S1", "M4"),
	// Wake-ups.
	"wakeNew":    note("{by} made {G} with a go statement.", "U1", "R11"),
	"wake":       note("{by} made {G} ready.", "G3", "R11"),
	"wakeNobody": note("A timer, an interrupt or the scheduler made {G} ready; no goroutine ran on {M} then.", "T1", "N1"),
	"waited":     note("Being ready is not running: it waits in a queue for a P. Every runnable G runs in the end.", "U2", "G3"),
	// The world.
	"stw":   note("The world is being stopped: every P stops at its next safe point, by a call's guard or by an interrupt.", "P4", "A4"),
	"held":  note("The world stands still: no goroutine runs.", "P4"),
	"mark":  note("The collector marks what is still in use, beside the program: its workers take a share of the Ps.", "S5"),
	"term":  note("The collector ends marking. The world is stopped for it.", "S5", "P4"),
	"queue": note("How many Gs wait in the ring and the runnext of this P. More than 256 do not fit the ring: then half goes to the global queue.", "R1", "R5", "R6"),
	"globq": note("How many Gs wait in the global queue, which belongs to no P. A P looks there when its own queue is empty, and every 61st time before that.", "R7", "R8", "R9"),
	"noP":   note("No M has this P, or its M is between two goroutines.", "P2"),
}

// states explains what an M does while it runs no goroutine.
var states = [...]events.Note{
	trace.Scheduling: note("{M} is in the scheduler: between two goroutines, or on its way to sleep.", "M16"),
	trace.Running:    note("{M} runs a goroutine.", "G2"),
	trace.Spinning:   note("{M} spins: it holds a P without work and looks for some: global queue, other Ps, timers. That costs CPU time and saves the time of a wake-up, so few may do it.", "M2", "M3", "M7", "R10"),
	trace.Halted:     note("The CPU of {M} is halted: it sleeps and costs nothing, until an interrupt wakes it.", "M1", "M9", "T2", "A5"),
	trace.Calling:    note("{M} holds a system call, and has no P: others run with that. It needs one when its goroutine comes back.", "M4", "S1", "M5"),
}
