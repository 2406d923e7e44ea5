package lab

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sched9/tools/internal/capture"
	"sched9/trace"
)

// Run is a program's run, over which a test asserts.
type Run struct {
	// View is what the assertions look at, for a test that wants more than they
	// can say.
	View *trace.View

	t      testing.TB
	output *capture.Output // nil: there is only a recording
	asked  bool            // the test has said how the program must end
}

// Load returns the run recorded in file, as `sched9 run -trace` or a failed test left it. Such a
// run has no output.
func Load(t testing.TB, file string) *Run {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatalf("lab: %v", err)
	}
	defer f.Close()
	tr, err := trace.Read(f)
	if err != nil {
		t.Fatalf("lab: %s: %v", file, err)
	}
	return Of(t, tr)
}

// Of returns the run of a trace. Such a run has no output.
func Of(t testing.TB, tr *trace.Trace) *Run {
	return &Run{t: t, View: tr.View()}
}

// Exit demands that the program ended by itself, with a status.
func (r *Run) Exit(status int) {
	r.t.Helper()
	r.asked = true
	last := ""
	if r.output != nil {
		last = tail(r.output)
	}
	switch tr := r.View.Trace; {
	case !tr.Whole:
		r.t.Errorf("how the run ended is not known, the recording is cut off; status %d is wanted%s", status, last)
	case tr.Why != "" && tr.Status != status:
		r.t.Errorf("the program did not end by itself: %s; status %d is wanted%s", tr.Why, status, last)
	case tr.Status != status:
		r.t.Errorf("the program ended with status %d; %d is wanted%s", tr.Status, status, last)
	}
}

// Prints demands that the program printed, on either output, a line that matches
// each of the regular expressions.
func (r *Run) Prints(patterns ...string) {
	r.t.Helper()
	for _, p := range patterns {
		if line, ok := r.find(p); !ok {
			r.t.Errorf("no line that was printed matches %s%s", p, line)
		}
	}
}

// PrintsNo demands that no line that the program printed, on either output,
// matches any of the regular expressions.
func (r *Run) PrintsNo(patterns ...string) {
	r.t.Helper()
	for _, p := range patterns {
		if line, ok := r.find(p); ok {
			r.t.Errorf("a line that was printed matches %s: %s", p, line)
		}
	}
}

// find returns the first line that matches; if there is none, it returns the rest of a message
// about that. An invalid expression ends the test.
func (r *Run) find(pattern string) (line string, ok bool) {
	r.t.Helper()
	re, err := regexp.Compile(pattern)
	if err != nil {
		r.t.Fatalf("lab: %v", err)
	}
	if r.output == nil {
		r.t.Fatalf("lab: what the program printed is not in a recording")
	}
	all := r.output.Lines()
	if i := slices.IndexFunc(all, re.MatchString); i >= 0 {
		return all[i], true
	}
	return tail(r.output), false
}

// Output is what the program printed, on both outputs as it came, "" if there is
// only a recording.
func (r *Run) Output() string {
	if r.output == nil {
		return ""
	}
	return strings.ReplaceAll(r.output.Both(), "\r\n", "\n")
}

// tailLines is how much is shown of what a run printed that ended badly.
const tailLines = 20

// tail is the end of what the guest wrote, as an end of a message.
func tail(o *capture.Output) string {
	last, _ := capture.Tail(o.Both(), tailLines)
	if len(last) == 0 {
		return "; it printed nothing"
	}
	return "; it printed last:\n| " + strings.Join(last, "\n| ")
}
