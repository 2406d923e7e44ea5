// Package names is the table of the files in which a guest shows its scheduler: what each is called, what it holds, and the
// words that its ctl files take. The kernel makes the names of it, the runtime what is in the files, and a test the page
// docs/names.md.
//
// It knows neither the kernel nor the runtime.
package names

// A Kind is a line of Table: what a file shows. The kernel keeps it in the file's device number.
type Kind uint8

// The kinds.
const (
	None Kind = iota
	ProcStatus
	ProcStack
	ProcWait
	ProcArgs
	ProcCtl
	Trace
	SchedStatus
	SchedPolicy
	SchedGlobal
	SchedCtl
	PStatus
	PQueue
	PTimers
	PWired
	MStatus
	MCtl
	SchedNet
	Sysstat
	Time
	Kmesg
	Machine
	RealTime

	Kinds
)

// File is a line of the table.
type File struct {
	// Path is the file's name. A part GOID or N stands for each goroutine's number, or each P's or M's.
	Path string
	// Record are the fields of a record, which is a line, with a blank between; a field with blanks in it is quoted as Plan 9 quotes.
	Record string
	// Says explains them, in a line of a table.
	Says string
	// Words are what may be written to it; nil: nothing.
	Words []Word
}

// Word is a command: the word, what has to follow it ("" for nothing), and what it does.
type Word struct{ Name, Arg, Says string }

// Words of SchedCtl, MCtl and ProcCtl, by their places.
const (
	WordProcs = iota
	WordSlice
	WordPolicy
	WordTrace
	WordGC
	WordAudit
)

// Words of MCtl.
const (
	WordPreempt = iota
)

// Words of ProcCtl.
const (
	WordStop = iota
	WordStart
	WordPri
	WordWired
	WordTraced
	WordNote
)

// Table is the table.
var Table = [Kinds]File{
	ProcStatus: {
		Path:   "/proc/GOID/status",
		Record: "goid state m p run ready call wait turns pri reason func wired",
		Says: "state is one of ready, run, call, wait, stopped, dead; m and p where it runs, or - and where it ran last; then the time in nanoseconds " +
			"that it has run, was ready to run, was in system calls, and has waited, which together are its age; how often it was dispatched; its priority of now, or - where the policy has none; why it waits, or -; its function: of go f(x) it is f; the P that it is wired to, or -",
	},
	ProcStack: {
		Path:   "/proc/GOID/stack",
		Record: "func file:line",
		Says:   "its calls, the innermost first",
	},
	ProcWait: {
		Path:   "/proc/GOID/wait",
		Record: "reason ns [chan address len cap ...]",
		Says:   "why it waits and for how long, and each channel that it waits for, with its length and capacity; empty if it does not wait",
	},
	ProcArgs: {
		Path:   "/proc/GOID/args",
		Record: "func file:line parent",
		Says:   "the function of its go statement, where that stands, and the goroutine that executed it",
	},
	ProcCtl: {
		Path:   "/proc/GOID/ctl",
		Record: "word [argument]",
		Says:   "the words that it takes",
		Words: []Word{
			WordStop:   {"stop", "", "the goroutine runs no more until start: it is parked when it is next to be dispatched"},
			WordStart:  {"start", "", "it goes on"},
			WordPri:    {"pri", "N", "its priority, where the policy has such: mlfq has 0 to 3, a level that it is put on and does not rise above; 0 is every goroutine's at first"},
			WordWired:  {"wired", "N|any", "it runs on P N alone, which is below GOMAXPROCS; any: where there is room, as all others. The P runs others too. Where LockOSThread ties it, or P N goes with a smaller GOMAXPROCS, it runs elsewhere for that time"},
			WordTraced: {"trace", "0|1", "/proc/trace tells of it, also if it does not tell of all; 64 at a time"},
			WordNote:   {"note", "TEXT", "it panics with TEXT where it computes; one that waits cannot"},
		},
	},
	Trace: {
		Path:   "/proc/trace",
		Record: "ns m p goid event what where",
		Says: "no snapshot: each event of the goroutines that are traced, from the open on, in the order of time since boot (docs/trace.md has the events; what is its argument, or why it waits, " +
			"where the function that it left, or -). A read waits for the next; the file ends when nothing is traced any more. Lost tells how many records a slow reader missed",
	},
	SchedStatus: {
		Path:   "/sched/status",
		Record: "name value",
		Says:   "gomaxprocs, idle Ps, Ms, those that spin and sleep, the global queue's length, goroutines, stops of the world, audits, collections, the slice in nanoseconds",
	},
	SchedPolicy: {
		Path:   "/sched/policy",
		Record: "name [*]",
		Says:   "the policies; * is behind the one in force",
	},
	SchedGlobal: {
		Path:   "/sched/global",
		Record: "goid",
		Says:   "the global queue, the first to be taken first",
	},
	SchedCtl: {
		Path:   "/sched/ctl",
		Record: "word [argument]",
		Says:   "the words that it takes",
		Words: []Word{
			WordProcs:  {"gomaxprocs", "N", "as runtime.GOMAXPROCS(N); N is from 1 to the number of vCPUs"},
			WordSlice:  {"slice", "D", "the time slice, from 10us to 10s, as 500us, 10ms, 1s"},
			WordPolicy: {"policy", "NAME", "another policy, one of M:N, pool and mlfq; what is queued goes where that one looks for it. 1:1 and N:1 have other Ms, and are chosen before the run: sched9 run -policy"},
			WordTrace:  {"trace", "on|off", "/proc/trace tells of all goroutines, or only of those that are traced by themselves"},
			WordGC:     {"gc", "", "as runtime.GC"},
			WordAudit:  {"audit", "", "stops the world and walks every structure; a broken rule ends the program"},
		},
	},
	PStatus: {
		Path:   "/sched/p/N/status",
		Record: "id state m schedtick queue timers",
		Says:   "state is one of run, call, idle, stopped, off; m its M, or -; dispatches that began a slice; the lengths of its queue and of its timers' heap",
	},
	PQueue: {
		Path:   "/sched/p/N/queue",
		Record: "goid [next]",
		Says:   "its queue from the front; next is behind the one in runnext",
	},
	PTimers: {
		Path:   "/sched/p/N/timers",
		Record: "ns",
		Says:   "in how many nanoseconds its next timer is due, 0: now; empty if it has none",
	},
	PWired: {
		Path:   "/sched/p/N/wired",
		Record: "goid",
		Says:   "the goroutines that are wired to it",
	},
	MStatus: {
		Path:   "/sched/m/N/status",
		Record: "id state p goid name=value ...",
		Says:   "state is one of run, spin, sleep, off; p its P and goid its goroutine, or -; its counters (scenarios/README.md)",
	},
	MCtl: {
		Path:   "/sched/m/N/ctl",
		Record: "word [argument]",
		Says:   "the words that it takes",
		Words: []Word{
			WordPreempt: {"preempt", "", "the goroutine that runs there leaves where it next can, as at the end of its slice, and the M looks for another"},
		},
	},
	SchedNet: {
		Path:   "/sched/net",
		Record: "name value",
		Says:   "frames that the network card has received and sent, and buffers of its that made no sense; then what overload dropped (net.md): frames to send, how often the card was found full, connections that were not accepted, packets for sockets that were not read",
	},
	Sysstat: {
		Path:   "/dev/sysstat",
		Record: "m switches ticks wakes steals parks polls load",
		Says:   "a record for each M, as in Plan 9's cons(3) for each processor: dispatches, timer interrupts, the wakes that it sent, its steals, its sleeps, how often it asked devices; the length of its P's queue",
	},
	Kmesg: {
		Path:   "/dev/kmesg",
		Record: "text",
		Says:   "the last 16 KiB of what the kernel and the runtime have said, such as the lines of GODEBUG=schedtrace and gctrace; the first line is of the boot",
	},
	Machine: {
		Path:   "/dev/machine",
		Record: "name value ...",
		Says:   "what the kernel knows of the machine: processor, interrupt controllers, each processor's number in them, the clock's rate and who told it, where ACPI's tables are, ranges of memory, devices of the console",
	},
	RealTime: {
		Path:   "/dev/rtc",
		Record: "seconds",
		Says:   "as in Plan 9's rtc(3): since 1970, as the machine's real-time clock has it now; empty if there is none",
	},
	Time: {
		Path:   "/dev/time",
		Record: "seconds nanoseconds ticks hz",
		Says:   "as in cons(3): since 1970, in two units, then since boot and that unit's frequency",
	},
}

// MaxCommand is how many bytes a ctl file takes at a time.
const MaxCommand = 1024

// Elem returns the part of path behind its first slash, without that, and what follows it.
func Elem(path string) (elem, rest string) {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			return path[1:i], path[i:]
		}
	}
	return path[1:], ""
}

// Base returns the last part of path.
func Base(path string) string {
	for rest := path; rest != ""; {
		path, rest = Elem(rest)
	}
	return path
}

// Below reports whether path lies in directory dir, or below it.
func Below(path, dir string) bool {
	return len(path) > len(dir) && path[:len(dir)] == dir && path[len(dir)] == '/'
}
