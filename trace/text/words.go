package text

import (
	"fmt"
	"strings"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/events"
)

// Place says where a G was found.
func Place(p record.Place) string {
	return strings.Replace(events.At(p).Line, "{index}", fmt.Sprint(p.Index()), 1)
}

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
