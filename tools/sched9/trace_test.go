package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sched9/sched"
	"sched9/tools/internal/guest"
	"sched9/trace"
)

// record boots a scenario and returns the name of its recording and what it
// says.
func record(t *testing.T, status int, args ...string) (string, *trace.Trace) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "run.s9")
	_, stderr, got := sched9(t, append([]string{"run", "-accel", "tcg", "-trace", name}, args...)...)
	if got != status {
		t.Fatalf("status %d\n%s", got, stderr)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return name, tr
}

// count counts the events of a kind.
func count(tr *trace.Trace, kind sched.Event) (n int) {
	for _, e := range tr.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// TestTrace records a run and makes everything of it that there is.
func TestTrace(t *testing.T) {
	name, tr := record(t, 0, "-smp", "2", "../../scenarios/hello")
	if !tr.Whole || tr.TotalLost() != 0 || tr.SMP != 2 || tr.Program != "hello" || count(tr, sched.EvEnd) != 1 {
		t.Fatalf("%+v, %d lost", tr.Meta, tr.TotalLost())
	}
	if g := tr.View().G(1); g == nil || g.Entry != "runtime.main" || !strings.HasPrefix(tr.Version, "go1.") {
		t.Errorf("goroutine 1 is %+v, of %q", g, tr.Version)
	}
	out, stderr, status := sched9(t, "trace", name)
	if status != 0 || !strings.Contains(out, "runtime.main") {
		t.Errorf("summary: status %d\n%s%s", status, out, stderr)
	}
	out, _, status = sched9(t, "trace", "-check", "-events", name)
	if status != 0 || !strings.Contains(out, "rules") || !strings.Contains(out, "PutNext") {
		t.Errorf("check: status %d\n%s", status, out)
	}
	dir := t.TempDir()
	args := []string{"trace"}
	for _, kind := range kinds {
		args = append(args, "-o", filepath.Join(dir, "out"+kind))
	}
	if _, stderr, status := sched9(t, append(args, name)...); status != 0 {
		t.Fatalf("outputs: status %d\n%s", status, stderr)
	}
	for _, kind := range kinds {
		if st, err := os.Stat(filepath.Join(dir, "out"+kind)); err != nil || st.Size() < 1000 {
			t.Errorf("%s: %v, %v", kind, st, err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "trace", "-d=parsed", filepath.Join(dir, "out.trace"))
	if text, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(text, []byte("StateTransition")) {
		t.Errorf("go tool trace: %v\n%.2000s", err, text)
	}
}

// TestTraceOfDeath: what a guest did is known also if it hangs or crashes.
func TestTraceOfDeath(t *testing.T) {
	_, tr := record(t, guest.StatusTimeout, "-timeout", "6s", "../../tools/sched9/testdata/hang")
	if !tr.Whole || tr.Why == "" || count(tr, sched.EvFault) == 0 || count(tr, sched.EvTick) < 100 {
		t.Errorf("hang: %+v, %d events, %d ticks", tr.End, len(tr.Events), count(tr, sched.EvTick))
	}
	_, tr = record(t, guest.StatusFault, "../../scenarios/rawsyscall", "fault")
	if !tr.Whole || count(tr, sched.EvFault) == 0 {
		t.Errorf("fault: %+v, %d events", tr.End, len(tr.Events))
	}
}

// TestTraceRefuses: what cannot be shown is said in a line.
func TestTraceRefuses(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"trace"}, "which recording"},
		{[]string{"trace", "a", "b"}, "which recording"},
		{[]string{"trace", "-o", "x.pdf", other}, "none of .html"},
		{[]string{"trace", filepath.Join(t.TempDir(), "absent")}, "no such file"},
		{[]string{"trace", other}, "no recording"},
		{[]string{"run", "-trace", filepath.Join(t.TempDir(), "no", "dir"), exitScenario}, "no such file"},
		{[]string{"run", "-depth", "99", exitScenario}, "0 to 12"},
		{[]string{"test", "-smp", "0"}, "0 vCPUs"},
	} {
		_, stderr, status := sched9(t, c.args...)
		if status == 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %q", c.args, status, stderr)
		}
	}
}

// TestNoRecorder: an image without a recorder runs, and says so if it is to be
// recorded.
func TestNoRecorder(t *testing.T) {
	img := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-norecorder", "-o", img, "../../scenarios/hello"); status != 0 {
		t.Fatalf("build: %d, %s", status, stderr)
	}
	_, stderr, status := sched9(t, "run", "-accel", "tcg", "-trace", filepath.Join(t.TempDir(), "r"), img)
	if status != 0 || !strings.Contains(stderr, "did not say where its recorder is") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
