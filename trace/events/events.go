// Package events has the words for what package record records. Each event has one row here: all that shows it, the lines
// of text, the page, Perfetto's picture, is made from that. None of it is in an image. What an event means and when it is written
// stands at its constant (record/event.go), and in docs/trace.md, which is made from that.
package events

import (
	"sched9/record"
	"sched9/trace"
)

// Note explains something in plain words, and names the rules of docs/SPEC.md
// that it follows from. Words in braces are replaced by who shows it: {G} is the
// event's goroutine, and so on.
type Note struct {
	Text  string   `json:"text"`
	Rules []string `json:"rules"`
}

// Event is the row of an event. Line and List may be empty.
type Event struct {
	Note        // the page's sentence; trace/page/js/words.js knows its words and List's
	List string `json:"list,omitempty"` // its arguments in short, for the page's lists
	Line string `json:"-"`              // its arguments for a line of text (trace/text): parts between commas that come to nothing are left out

	Mark    string   `json:"-"` // Perfetto shows it by this name, if it is not "", on its P's track if it has one,
	OfM     bool     `json:"-"` // or on its M's in any case,
	Numbers []Number `json:"-"` // and with these
}

// Number is one that an event's arguments have.
type Number struct {
	Name string
	Of   func(trace.Event) int
}

// rules is short for a list of them.
func rules(ids ...string) []string { return ids }

// Table has each event.
var Table = [record.NumEvents]Event{
	record.EvNone: {Note: Note{"An event of a kind that this version of the page does not know.", nil}},

	record.EvBoot: {Note: Note{"{M}: its CPU is up. An M is a vCPU; the first one boots the machine, each other is started when there is work for it.", rules("M8")},
		Line: "the CPU arrives"},
	record.EvEnd: {Note: Note{"The run ends with status {number}.", rules("U6", "V4")},
		Line: "status {number}", List: "{number}"},
	record.EvFault: {Note: Note{"The kernel cannot go on. It shows every M, P and G, and stops.", rules("V4")},
		Line: "{at}"},

	record.EvCreate: {Note: Note{"{by} made {G} with a go statement, to run {entry}.{parked}", rules("U1", "R11")},
		Line: "{parked}, {by}, {site}", List: "{entry}{waits}"},
	record.EvStart: {Note: Note{"{G} begins to run on {M} with {P}. {place}{inherit}", rules("G2", "U3", "P1")},
		Line: "{place}, {inherit}", List: "{found}{inherits}"},
	record.EvYield: {Note: Note{"{G} left the CPU by itself and stays runnable, as after runtime.Gosched: it goes to the end of the line.", rules("U4")},
		Line: "{site}"},
	record.EvPreempt: {Note: Note{"{G} was preempted: it was made to leave the CPU and stays runnable.", rules("A1", "A2")},
		Line: "{site}", Mark: "preempted"},
	record.EvBlock: {Note: Note{"{G} waits: {reason}. It needs no CPU until it is made ready, and {M} looks for the next G.", rules("G4")},
		Line: "{reason}, {object}, {site}", List: "{reason}"},
	record.EvUnblock: {Note: Note{"{by} made {G} ready: it may run again.", rules("G3", "R11")},
		Line: "{by}, {site}"},
	record.EvExit: {Note: Note{"{G} ended: its function returned. {M} looks for the next G.", rules("G1")}},
	record.EvHold: {Note: Note{"{G} counts as waiting ({reason}), so that others may look at its stack, but it keeps {M}.", rules("G6")},
		Line: "{reason}", List: "{reason}"},
	record.EvUnhold: {Note: Note{"{G} counts as running again. It never left {M}.", rules("G2", "G6")}},
	record.EvStatus: {Note: Note{"{G} changes its state from {from} to {to}.", rules("G1")},
		Line: "from {from} to {to}", List: "{from} to {to}"},
	record.EvSyscallEnter: {Note: Note{"{G} enters a system call. The P stays with {M}, unless the call lasts and others want it.", rules("M4")},
		Line: "{site}"},
	record.EvSyscallExit: {Note: Note{"{G} comes back from its system call.{lost}", rules("M4")},
		Line: "{lost}, {site}", List: "{without}"},
	record.EvLock: {Note: Note{"{G} is tied to {M}, {times}: only this M runs it, and while it waits this M runs nothing else.", rules("M6", "M12", "M13")},
		Line: "tied to this M {times}", List: "{ties}"},
	record.EvUnlock: {Note: Note{"{G} is tied to its M once less. {untied}", rules("M6", "M12")},
		Line: "{untied}", List: "{ties}"},
	record.EvWithhold: {Note: Note{"{G} was found but may not run now: for a moment the collector lets none but the runtime's own goroutines run. {place}", rules("P4")},
		Line: "{place}, may not run now"},
	record.EvPass: {Note: Note{"{G} was found by {M} and is tied to {toM}, which gets it, and a P if it sleeps. {place}", rules("M6", "M13")},
		Line: "{place}, is tied to {toM}", List: "to {toM}", Mark: "passed to its M", Numbers: []Number{{"to_M", trace.Event.Number}}},
	record.EvWire: {Note: Note{"{G} is wired to a P, and runs on that one alone from now on, or to none again: P {number}, counted from 1, 0 for none.", rules("P7")},
		Line: "P {number}, counted from 1, 0 for none", List: "{number}", Mark: "wired", Numbers: []Number{{"P_plus_1", trace.Event.Number}}},
	record.EvPassP: {Note: Note{"{G} was found by {M} and is wired to {argP}, which gets it. {place}", rules("P7")},
		Line: "{place}, is wired to {argP}", List: "to {argP}", Mark: "passed to its P", Numbers: []Number{{"to_P", trace.Event.Number}}},

	record.EvPutNext: {Note: Note{"{G} goes to the runnext of {P}: it is the next to run there. A G that was in runnext goes to the ring.", rules("R5", "R11")}},
	record.EvPutRing: {Note: Note{"{G} goes to the end of the ring of {P}, slot {index}.", rules("R1", "R2", "R4")},
		Line: "index {number}", List: "slot {index}"},
	record.EvPutGlobal: {Note: Note{"{G} goes to the end of the global queue.", rules("R7")}},
	record.EvOverflow: {Note: Note{"The ring of {P} was full: half of it, {count} Gs, and {G} go to the global queue in one locked step.", rules("R6", "R1")},
		Line: "{count} from ring index {low} on, and then this one, to the global queue", List: "{count}"},
	record.EvGetGlobal: {Note: Note{"{M} takes {count} from the global queue, a fair share: {G} to run, the others into the ring of {P}.", rules("R9", "R7")},
		Line: "{more}", List: "{count}"},
	record.EvTake: {Note: Note{"{G} is taken out of the queue of {auxP}, and not to run: its slice is used up, so that runnext loses its right of way, or the P gives up all its Gs.", rules("R11", "P5")},
		Line: "from {auxP}, {place}", List: "from {auxP}"},
	record.EvSteal: {Note: Note{"{M} steals {count} from {victim}: half of its ring, rounded up, or the runnext if the ring is empty.", rules("R10", "R3", "R5")},
		Line: "{moved}", List: "{count} from {victim}", Mark: "steal", Numbers: []Number{{"from_P", trace.Event.Victim}, {"Gs", trace.Event.Count}}},

	record.EvAcquire: {Note: Note{"{M} takes {P}. Only an M that has a P may run goroutines.", rules("P1", "U3")}},
	record.EvRelease: {Note: Note{"{M} gives {P} up.", rules("P1", "M1")}},
	record.EvIdleP: {Note: Note{"{argP} goes on the idle list: it has no M and no Gs.", rules("P2", "P6")},
		Line: "{argP}", List: "{argP}"},
	record.EvBusyP: {Note: Note{"{argP} leaves the idle list: an M will have it.", rules("P2", "P6")},
		Line: "{argP}", List: "{argP}"},
	record.EvStopP: {Note: Note{"{argP} is stopped with the world.", rules("P4")},
		Line: "{argP}", List: "{argP}"},
	record.EvRetake: {Note: Note{"{M} takes {takenP} from {takenM}, whose goroutine is in a system call: because that lasts and others can use the P, or because the world is to stop.", rules("S1", "M4", "P4")},
		Line: "{takenP} from {takenM}, which is in a system call", List: "{takenP} from {takenM}", Mark: "P taken from a system call", Numbers: []Number{{"P", trace.Event.Taken}, {"from_M", trace.Event.From}}},
	record.EvHandoff: {Note: Note{"{argP} has no owner and is handed on: to an M if there is work for it, otherwise to the idle list.", rules("M13", "S1")},
		Line: "{argP}", List: "{argP}"},
	record.EvProcs: {Note: Note{"There are {number} Ps now.", rules("U7", "P5")},
		Line: "{number} Ps", List: "{number}"},

	record.EvSpin: {Note: Note{"{M} spins: it has {P}, no work, and looks for some. Ms that spin: {number}.", rules("M2", "M3", "M7")},
		Line: "{number} spinning now", List: "{number}"},
	record.EvUnspin: {Note: Note{"{M} stops spinning: it found work, or goes to sleep. Ms that spin: {number}.", rules("M3", "M7")},
		Line: "{number} spinning now", List: "{number}"},
	record.EvSummon: {Note: Note{"{M} wants one more M to look for work. It is counted before it wakes, so that no second one is woken.", rules("M7")},
		Line: "{number} spinning now", List: "{number}"},
	record.EvUnsummon: {Note: Note{"There is no idle P or no M for it, so no M is woken: the count is taken back.", rules("M7")},
		Line: "{number} spinning now", List: "{number}"},
	record.EvPark: {Note: Note{"{M} has no P and {parks}.", rules("M1", "M9")},
		Line: "{parks}", List: "{waitsFor}"},
	record.EvUnpark: {Note: Note{"{M} was parked and has a P again: {P}.", rules("M9")}},
	record.EvWakeM: {Note: Note{"{M} gives {auxP} to {toM}, which sleeps, and wakes it{spinning}.", rules("M8", "M9")},
		Line: "{toM} gets {auxP}, {spinning}", List: "{toM} with {auxP}{spins}"},
	record.EvStartM: {Note: Note{"{M} starts the CPU of {toM}, for the first time, to run {auxP}.", rules("M8", "M14")},
		Line: "{toM} gets {auxP}, {spinning}", List: "{toM} with {auxP}{spins}"},
	record.EvTimerSleep: {Note: Note{"{M} sleeps as the timer M: no longer than until the next timer is due, {until}.", rules("T2", "N2")},
		Line: "until {moment}", List: "{until}"},
	record.EvTimerWake: {Note: Note{"{M} is the timer M no longer: a timer is due, or every P has an M that looks at its timers.", rules("T2", "N2")}},
	record.EvKick: {Note: Note{"{M} ends the sleep of {toM}: there is something for it to look at.", rules("T2", "N2", "S1")},
		Line: "{toM}", List: "{toM}"},
	record.EvSysmon: {Note: Note{"{M}, which sleeps otherwise, does what sysmon would do: it looks at the Ps of Ms that are in system calls. While no M sleeps, one that runs looks at the Ps on which goroutines are queued behind a system call.", rules("S1", "N2")},
		Line: "sysmon's{sysmon}"},
	record.EvPoll: {Note: Note{"{M} asks the devices for events. Goroutines that waited for them and may run now: {number}.", rules("N1", "N2", "S3")},
		Line: "{told}", List: "{number}"},
	record.EvExitM: {Note: Note{"{M} ends with the goroutine that was tied to it. Its P is handed on, its CPU is reset and comes back as another M.", rules("M11")},
		Line: "its goroutine has ended", Mark: "M ends", OfM: true},
	record.EvNeedM: {Note: Note{"A CPU that runs foreign code calls back: it is {M} while {G} does the call.", rules("M15")},
		Line: "foreign code calls"},
	record.EvDropM: {Note: Note{"The call that foreign code made is done: {M} is none any more, and its CPU goes on with that code.", rules("M15", "M5")},
		Line: "foreign code goes on"},
	record.EvLook: {Note: Note{"{M} looks for work. {look}", rules("U2")},
		Line: "{look}", List: "{step}"},
	record.EvHalt: {Note: Note{"The CPU of {M} halts, {until}. An interrupt ends it.", rules("M9", "A5")},
		Line: "until {moment}", List: "{until}"},
	record.EvHaltEnd: {Note: Note{"The CPU of {M} goes on: it was interrupted.", rules("M9")}},
	record.EvTick: {Note: Note{"The timer interrupt strikes {M}. {tick}", rules("S2", "A2")},
		Line: "{tick}, {at}", List: "{why}"},
	record.EvSendIPI: {Note: Note{"{M} interrupts {toM}. {ipi}", rules("A4", "M9")},
		Line: "{ipi} {toM}", List: "to {toM}: {ipiName}", Mark: "IPI sent: {ipi}", OfM: true, Numbers: []Number{{"to_M", trace.Event.Number}}},
	record.EvTakeIPI: {Note: Note{"{M} is interrupted by another. {ipi}", rules("A4", "M9")},
		Line: "{ipi}", List: "{ipiName}", Mark: "IPI taken: {ipi}", OfM: true},
	record.EvInject: {Note: Note{"The interrupt struck {G} where the compiler knows all pointers: it is made to call the preempt path right there.", rules("A2", "A3")},
		Line: "{at}"},

	record.EvStop: {Note: Note{"{by} wants the world stopped: {stop}. Every P is asked to stop.", rules("P4", "A4")},
		Line: "{stop}", List: "{stop}"},
	record.EvStopped: {Note: Note{"The world stands still: no goroutine runs on any P.", rules("P4")}},
	record.EvGo:      {Note: Note{"The world goes on.", rules("P4")}},
	record.EvPhase: {Note: Note{"The collector enters a phase: {phase}.", rules("S5")},
		Line: "{phase}", List: "{phase}"},
	record.EvSetTimer: {Note: Note{"A timer was set, for {until}. A timer M that would sleep longer must be woken.", rules("T2")},
		Line: "until {moment}", List: "{until}"},
	record.EvTimer: {Note: Note{"A timer fires, {span} late.", rules("T1")},
		Line: "late by {span}", List: "{span} late"},
	record.EvSlice: {Note: Note{"The world stands still, and a time slice lasts {span} from now on.", rules("S2")},
		Line: "{span}", List: "{span}", Mark: "slice", OfM: true},
	record.EvPolicy: {Note: Note{"The world stands still, and the scheduler follows the policy {policy} from now on.", rules("P4")},
		Line: "{policy}", List: "{policy}", Mark: "policy", OfM: true},

	record.EvDrop: {Note: Note{"The network drops packets, {number} this time, where there is too much of them ({drop}), so that no goroutine waits for them.", rules("U2")},
		Line: "{number} at {drop}", List: "{number} at {drop}", Mark: "packets dropped", OfM: true, Numbers: []Number{{"packets", trace.Event.Number}}},
}

// Drop is the name of where the network drops packets.
func Drop(n uint64) string {
	if n == 0 || n >= uint64(record.NumDrops) {
		return "unknown"
	}
	return record.DropNames[n]
}

// Place is a row for where a G was found.
type Place struct {
	Note
	List  string `json:"list"` // in the page's lists
	Line  string `json:"-"`    // in a line of text
	Queue string `json:"-"`    // in the summary
	Track string `json:"-"`    // in Perfetto's picture
}

// Places has each place.
var Places = [...]Place{
	record.FromNowhere:    {Note{"It was at hand: it has been in no queue.", rules("G3")}, "at hand", "at hand", "at hand", "at hand"},
	record.FromNext:       {Note{"It was found in runnext: {asked} made it ready, and it goes before all others.", rules("R5", "R11")}, "runnext", "runnext", "runnext", "runnext"},
	record.FromRing:       {Note{"It was found at the head of the P's own ring.", rules("R3")}, "ring", "ring index {index}", "ring", "local queue"},
	record.FromGlobal:     {Note{"It was found in the global queue.", rules("R7", "R9")}, "global", "the global queue", "global queue", "global queue"},
	record.FromSteal:      {Note{"It was stolen: a thief takes half.", rules("R10")}, "stolen", "stolen, ring index {index}", "stolen", "stolen"},
	record.FromWorker:     {Note{"It is a worker of the collector's, which goes before all others.", rules("S5")}, "worker", "a worker", "worker", "collector's worker"},
	record.FromIdleWorker: {Note{"It is a worker of the collector's, for a P that has nothing else to do.", rules("S5")}, "idle worker", "a worker for an idle P", "idle worker", "collector's worker, idle P"},
	record.FromPass:       {Note{"It is tied to this M, or wired to this P. Another M found it and passed it on.", rules("M6", "M13", "P7")}, "passed on", "passed to its M or P", "passed to its M or P", "passed to the M it is tied to, or the P it is wired to"},
}

// At is p's row; one without words, if p is none that there is.
func At(p record.Place) Place {
	if k := p.Kind(); int(k) < len(Places) {
		return Places[k]
	}
	return Place{List: "unknown", Line: "unknown", Queue: "unknown", Track: "unknown"}
}

// Looks has each step of the search for work.
var Looks = [...]Event{
	record.LookGlobal:  {Note: Note{"Its own queue was empty: it looks at the global one.", rules("R7", "R9")}, List: "global", Line: "in the global queue"},
	record.LookSteal:   {Note: Note{"It tries to steal from all Ps in random order, pass {pass} of four; timers and runnexts only in the last.", rules("R10")}, List: "steal, pass {pass}", Line: "in the other Ps' queues, pass {pass}"},
	record.LookIdle:    {Note: Note{"Nothing to steal: it asks the collector for idle work.", rules("S5")}, List: "idle work", Line: "for the runtime's idle work"},
	record.LookLocked:  {Note: Note{"It looks at the global queue once more, under the lock, before it gives its P up.", rules("R7")}, List: "global, locked", Line: "in the global queue, under the lock"},
	record.LookRecheck: {Note: Note{"It has stopped spinning and gave its P up; now it looks at all queues once more, so that no G is missed that was put there in the meantime.", rules("M3", "U2")}, List: "everything again", Line: "everywhere, having stopped to spin"},
	record.LookDevices: {Note: Note{"Its own queue was empty, and devices have something to tell: it asks them before it looks at the global queue.", rules("N4")}, List: "devices", Line: "at what devices have told"},
}

// IPIs has what interrupts from other CPUs are for.
var IPIs = [...]Event{
	record.IPIKick:    {Note: Note{"A kick: it ends a halt, because there is work.", rules("M9")}, List: "kick"},
	record.IPIPreempt: {Note: Note{"The running G must leave at once.", rules("A4")}, List: "preempt"},
	record.IPIFlush:   {Note: Note{"Memory was given back: the CPU is to forget old translations.", rules("A4")}, List: "flush"},
	record.IPINMI:     {Note: Note{"One that cannot be refused: to show what it does, or to stop.", rules("V4")}, List: "NMI"},
}

// IPI is the name of what an interrupt is for.
func IPI(n uint64) string {
	if n == 0 || n >= uint64(len(IPIs)) {
		return "unknown"
	}
	return IPIs[n].List
}
