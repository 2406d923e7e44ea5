package suite

import (
	"fmt"
	"io"
	"strings"
)

// tailLines is how much of the console is shown of a run that failed.
const tailLines = 100

// shown are the counters that a run's line tells, if they are not 0.
var shown = []string{"ms", "runs", "steals", "preempts", "stops", "faults"}

// Print writes a result as `go test` would: a line, and for a failure what was
// wrong and the end of the console, all of it if verbose.
func Print(w io.Writer, r Result, verbose bool) {
	word := "ok  "
	switch {
	case r.Failed():
		word = "FAIL"
	case !r.Passed():
		word = "LOST"
	}
	fmt.Fprintf(w, "%s %-24s %6.2fs%s\n", word, r.Run.FullName(), r.Took.Seconds(), counters(r))
	for _, s := range r.Again {
		fmt.Fprintf(w, "     booted again: %s\n", s)
	}
	if r.Unjudged != "" {
		fmt.Fprintf(w, "     its schedule is not judged: %s\n", r.Unjudged)
	}
	for _, s := range r.Wrong {
		fmt.Fprintf(w, "     %s\n", strings.ReplaceAll(s, "\n", "\n     "))
	}
	lines := 0
	if r.Failed() {
		lines = tailLines
	}
	if verbose {
		lines = strings.Count(r.Console, "\n") + 1
	}
	if lines > 0 {
		for _, line := range tail(r.Console, lines) {
			fmt.Fprintf(w, "     | %s\n", line)
		}
	}
}

// counters are the most telling of a result's counters, each after two blanks.
func counters(r Result) string {
	var b strings.Builder
	for _, name := range shown {
		if v := r.Outcome.Report.Counters[name]; v != 0 {
			fmt.Fprintf(&b, "  %s=%d", name, v)
		}
	}
	return b.String()
}
