package text

import (
	"fmt"
	"strings"

	"sched9/record"
	"sched9/trace"
)

// Place says where a G was found.
func Place(p record.Place) string {
	switch p.Kind() {
	case record.FromNowhere:
		return "at hand" // a wait that was called off, a coroutine, the way back from a system call
	case record.FromNext:
		return "runnext"
	case record.FromRing:
		return fmt.Sprintf("ring index %d", p.Index())
	case record.FromGlobal:
		return "the global queue"
	case record.FromSteal:
		return fmt.Sprintf("stolen, ring index %d", p.Index())
	case record.FromWorker:
		return "a worker"
	case record.FromIdleWorker:
		return "a worker for an idle P"
	case record.FromPass:
		return "passed to its M"
	}
	return fmt.Sprintf("place %d", p.Kind())
}

// look says where an M looks for work.
func look(arg uint64) string {
	switch l := record.Look(arg & (1<<record.TryShift - 1)); l {
	case record.LookGlobal:
		return "in the global queue"
	case record.LookSteal:
		return fmt.Sprintf("in the other Ps' queues, pass %d", arg>>record.TryShift+1)
	case record.LookIdle:
		return "for the runtime's idle work"
	case record.LookLocked:
		return "in the global queue, under the lock"
	case record.LookRecheck:
		return "everywhere, having stopped to spin"
	default:
		return fmt.Sprintf("step %d", l)
	}
}

// ipis are what interrupts between CPUs are for, by their numbers.
var ipis = [...]string{"nothing", "kick", "preempt", "flush", "NMI"}

// ipi is the word for one.
func ipi(n uint64) string { return pick(ipis[:], n) }

// phases are the collector's.
var phases = [...]string{"the collector is off", "mark", "mark termination"}

// statuses are a G's, as the runtime numbers them.
var statuses = [...]string{"idle", "runnable", "running", "syscall", "waiting", "5", "dead", "7", "copystack", "preempted", "leaked", "dead, extra M"}

// status is the word for one, which may have the scan bit.
func status(s uint64) string {
	const scan = 0x1000
	if s&scan != 0 {
		return pick(statuses[:], s&^scan) + " and scanned"
	}
	return pick(statuses[:], s)
}

// pick is list[i], or the number itself.
func pick(list []string, i uint64) string {
	if i < uint64(len(list)) {
		return list[i]
	}
	return fmt.Sprint(i)
}

// Site is where a goroutine was when it left a stack: the first of its frames
// that is not the runtime's, or the innermost. It is "" if nothing is
// known.
func Site(t *trace.Trace, stack int32) string {
	return Innermost(t.Frames(stack))
}

// Innermost is the first of some frames that is not the runtime's, or the first of all. It is "" if there is none.
func Innermost(fs []trace.Frame) string {
	for _, f := range fs {
		if f.Func != "" && !IsRuntime(f.Func) {
			return Where(f)
		}
	}
	if len(fs) == 0 {
		return ""
	}
	return Where(fs[0])
}

// IsRuntime reports whether a function is of the Go runtime, or so close
// to it that its caller is what one wants to know.
func IsRuntime(name string) bool {
	for _, p := range []string{"runtime.", "internal/", "sync."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return name == "time.Sleep"
}
