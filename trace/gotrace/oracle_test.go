package gotrace_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	xtrace "golang.org/x/exp/trace"

	"sched9/trace"
	"sched9/trace/gotrace"
)

// write is t as a Go execution trace.
func write(t *trace.Trace) ([]byte, error) {
	var b bytes.Buffer
	err := gotrace.Write(&b, t)
	return b.Bytes(), err
}

// strict reads a Go execution trace with the reader that refuses what cannot
// have been.
func strict(data []byte) (evs []xtrace.Event, err error) {
	r, err := xtrace.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			return evs, nil
		}
		if err != nil {
			return evs, err
		}
		evs = append(evs, e)
	}
}

// tool has go tool trace read it. It reads by the same rules as strict, and takes
// its time, so a few tests have it do so for all.
func tool(t *testing.T, data []byte) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "tool", "trace", "-d=parsed", file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go tool trace: %w: %s", err, stderr.String())
	}
	return nil
}

// accepted writes t and fails if a reader refuses it.
func accepted(t *testing.T, tr *trace.Trace) []xtrace.Event {
	t.Helper()
	data, err := write(tr)
	if err != nil {
		t.Fatal(err)
	}
	evs, err := strict(data)
	if err != nil {
		t.Fatal(err)
	}
	return evs
}

// lines are what evs say, one line each, Sync events left out:
//
//	12 M1 P1 G1: G2 NotExist>Runnable of main.main by main.init
//
// where "of" is the innermost function of the goroutine that the line is about,
// and "by" of the one that did it.
func lines(evs []xtrace.Event) string {
	var b strings.Builder
	for _, e := range evs {
		if e.Kind() == xtrace.EventSync {
			continue
		}
		fmt.Fprintf(&b, "%d M%d P%d G%d: %s\n", e.Time(), e.Thread(), e.Proc(), e.Goroutine(), what(e))
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(b.String(), "M-1", "-"), "P-1", "-"), "G-1", "-")
}

// what is the part of a line behind the colon.
func what(e xtrace.Event) string {
	switch e.Kind() {
	case xtrace.EventStateTransition:
		st := e.StateTransition()
		var s string
		if st.Resource.Kind == xtrace.ResourceProc {
			from, to := st.Proc()
			s = fmt.Sprintf("P%d %v>%v", st.Resource.Proc(), from, to)
		} else {
			from, to := st.Goroutine()
			s = fmt.Sprintf("G%d %v>%v", st.Resource.Goroutine(), from, to)
		}
		if st.Reason != "" {
			s += " (" + st.Reason + ")"
		}
		if f := top(st.Stack); f != "" {
			s += " of " + f
		}
		if f := top(e.Stack()); f != "" && st.Stack != e.Stack() {
			s += " by " + f
		}
		return s
	case xtrace.EventRangeBegin, xtrace.EventRangeEnd, xtrace.EventRangeActive:
		return strings.TrimPrefix(e.Kind().String(), "Range") + " " + e.Range().Name
	case xtrace.EventMetric:
		return fmt.Sprint(e.Metric().Name, " ", e.Metric().Value.Uint64())
	case xtrace.EventLabel:
		return "label " + e.Label().Label
	}
	return e.String()
}

// top is the innermost function of a stack.
func top(s xtrace.Stack) string {
	for f := range s.Frames() {
		return f.Func
	}
	return ""
}

// same fails if got is not want, in which white space at the beginning of lines
// does not count.
func same(t *testing.T, got, want string) {
	t.Helper()
	trim := func(s string) string {
		var out []string
		for l := range strings.Lines(s) {
			if l = strings.TrimSpace(l); l != "" {
				out = append(out, l)
			}
		}
		return strings.Join(out, "\n")
	}
	if got, want := trim(got), trim(want); got != want {
		t.Errorf("it says\n%s\nnot\n%s", got, want)
	}
}
