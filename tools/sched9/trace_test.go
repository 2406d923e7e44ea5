package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sched9/record"
	"sched9/tools/internal/guest"
	"sched9/trace"
)

// recordBoot boots a scenario and returns the name of its recording and what it
// says.
func recordBoot(t *testing.T, status int, args ...string) (string, *trace.Trace) {
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
func count(tr *trace.Trace, kind record.Event) (n int) {
	for _, e := range tr.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// TestTrace records a run and makes everything of it that there is.
func TestTrace(t *testing.T) {
	name, tr := recordBoot(t, 0, "-smp", "2", "../../scenarios/hello")
	if !tr.Whole || tr.TotalLost() != 0 || tr.SMP != 2 || tr.Program != "hello" || count(tr, record.EvEnd) != 1 {
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
	t.Parallel()
	for limit := 4 * time.Second; ; limit *= 2 { // how many ticks there are by then is the host's affair
		_, tr := recordBoot(t, guest.StatusTimeout, "-timeout", limit.String(), "../../tools/sched9/testdata/hang")
		if !tr.Whole || tr.Why == "" || limit > time.Minute {
			t.Fatalf("hang: %+v, %d events, %d ticks within %v", tr.End, len(tr.Events), count(tr, record.EvTick), limit)
		}
		if count(tr, record.EvEnd) > 0 && count(tr, record.EvTick) >= 100 {
			break
		}
	}
	name, tr := recordBoot(t, guest.StatusFault, "../../scenarios/rawsyscall", "fault")
	if !tr.Whole || count(tr, record.EvFault) == 0 {
		t.Errorf("fault: %+v, %d events", tr.End, len(tr.Events))
	}
	out, stderr, status := sched9(t, "ps", "-trace", name)
	if status != 0 || !strings.HasPrefix(out, "GOID ") || !strings.Contains(out, "\n1     run ") || strings.Contains(out, "\n0 ") {
		t.Errorf("ps: status %d\n%s%s", status, out, stderr)
	}
	out, stderr, status = sched9(t, "9p", "cat", "-trace", name, "/proc/2/stack", "/proc/2/args", "/sched/status")
	if status != 0 || !strings.HasPrefix(out, "runtime.") || !strings.Contains(out, ".go:") || !strings.Contains(out, "\nms ") {
		t.Errorf("cat: status %d\n%s%s", status, out, stderr)
	}
	out, stderr, status = sched9(t, "9p", "ls", "-trace", name, "/", "/proc/2/status")
	if status != 0 || out != "dev/\nproc/\nsched/\n/proc/2/status\n" {
		t.Errorf("ls: status %d\n%s%s", status, out, stderr)
	}
	for _, file := range []string{"/proc/2/ctl", "/proc/9999999/status", "/sched/p", "/tmp"} {
		if _, stderr, status := sched9(t, "9p", "cat", "-trace", name, file); status != 1 || !strings.Contains(stderr, file+": a recording does not tell of it") {
			t.Errorf("cat %s: status %d, %s", file, status, stderr)
		}
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
		{[]string{"trace", other}, "no recording of sched9's"},
		{[]string{"trace", os.DevNull}, "is empty"},
		{[]string{"trace", t.TempDir()}, "is a directory"},
		{[]string{"top", "-follow", other}, "no recording of sched9's"},
		{[]string{"ps", "-trace", other}, "no recording of sched9's"},
		{[]string{"9p", "ls", "-trace", filepath.Join(t.TempDir(), "absent")}, "no such file"},
		{[]string{"ps", "-trace", other, "-9p", ":1"}, "one of them"},
		{[]string{"ps", "-at", "1ms"}, "-at is a moment of a recording"},
		{[]string{"run", "-trace", filepath.Join(t.TempDir(), "no", "dir"), exitScenario}, "no such file"},
		{[]string{"run", "-depth", "99", exitScenario}, "0 to 12"},
		{[]string{"run", "-slice", "0", exitScenario}, "from 10µs to 1s"},
		{[]string{"run", "-slice", "-1ms", exitScenario}, "from 10µs to 1s"},
		{[]string{"test", "-smp", "0"}, "0 vCPUs"},
	} {
		_, stderr, status := sched9(t, c.args...)
		if status == 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %q", c.args, status, stderr)
		}
	}
}

// TestNoRecording: a file that is not a recording gives the same status as a missing one, with another message.
func TestNoRecording(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("something else, and longer than the words that a recording begins with"), 0o644); err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, name := range []string{other, other + "-absent", os.DevNull, t.TempDir()} {
		_, stderr, status := sched9(t, "trace", name)
		if status != statusUsage {
			t.Errorf("%s: status %d, %q", name, status, stderr)
		}
		said[strings.ReplaceAll(stderr, name, "X")] = true
	}
	if len(said) != 4 {
		t.Errorf("not told apart: %v", said)
	}
}

// TestRecordingInUse: what one run is recorded into is not another's to overwrite, until it has ended.
func TestRecordingInUse(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.s9")
	f, err := createRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("the first run's"); err != nil {
		t.Fatal(err)
	}
	if g, err := createRecording(name); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("%v, %v", g, err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "the first run's" {
		t.Errorf("%q, %v", got, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = createRecording(name); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 { // who wants nothing kept is not alone
		f, err := createRecording(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
}

// TestTraceUnjudged: a recording that the host could not read whole proves nothing, and is neither good nor bad.
func TestTraceUnjudged(t *testing.T) {
	name, _ := recordBoot(t, 0, "../../scenarios/hello")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := bytes.IndexByte(data, '\n') + 1; ; at += 5 + int(binary.LittleEndian.Uint32(data[at+1:])) {
		if data[at] == 'r' {
			binary.LittleEndian.PutUint64(data[at+5+8:], 17) // lost before these
			break
		}
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, stderr, status := sched9(t, "trace", "-check", name)
	if status != guest.StatusHost || out != "" || !strings.Contains(stderr, "not judged: 17 records were lost") {
		t.Errorf("status %d, %q, %q", status, out, stderr)
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

// TestTraceVerdict: the verdict tells apart what goroutines wait for, even mutexes whose waiters
// the runtime keeps in one list; the summary says where each stood.
func TestTraceVerdict(t *testing.T) {
	name, tr := recordBoot(t, 2, "-smp", "2", "./testdata/locked")
	waiting := map[uint64][]uint64{}
	for _, e := range tr.Events {
		if e.Kind == record.EvBlock && tr.Reason(e) == "sync.Mutex.Lock" {
			waiting[e.Object()] = append(waiting[e.Object()], e.G)
		}
	}
	same := 0
	for _, gs := range waiting {
		if len(gs) > 1 {
			same++
		}
	}
	if len(waiting) != 300 || same != 1 || len(waiting[0]) > 0 {
		t.Errorf("301 goroutines wait for %d things, for %d of them more than one; of %d it is not known", len(waiting), same, len(waiting[0]))
	}
	out, _, _ := sched9(t, "trace", name)
	for _, want := range []string{"Deadlock: all 302 goroutines of the program wait", "waiting (sync.Mutex.Lock) for ", "wait for 300 different locks"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}
