package suite

import (
	"sched9/tools/internal/capture"
	"sched9/trace"
)

// console keeps what a guest leaves: what it writes, and a recording.
type console struct {
	capture.Output
	recording capture.Pieces // of the schedule
	trace     *trace.Trace   // what it says; nil before schedule
}

// tail returns the last n lines of text, with a first line that tells of what
// was left out.
func tail(text string, n int) []string {
	lines, before := capture.Tail(text, n)
	if before > 0 {
		lines = append([]string{"..."}, lines...)
	}
	return lines
}
