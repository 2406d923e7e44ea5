package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// marked looks at the page in dir that a hunt has told of: its marks are what the cause tells, at moments of the recording, in order, one of them a preemption.
func marked(t *testing.T, dir, told string) {
	t.Helper()
	name := regexp.MustCompile(`(?m)^  page: (\S+/hunt-[0-9a-f]{4}\.html)$`).FindStringSubmatch(told)
	if name == nil || filepath.Dir(name[1]) != dir {
		t.Fatalf("no page in\n%s", told)
	}
	html, err := os.ReadFile(name[1])
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(html), `id="about">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var about struct {
		Length int64
		Marks  []struct {
			At            int64
			Before, After int
			Left, Right   string
			Forced        bool
		}
	}
	if err := json.Unmarshal([]byte(text), &about); err != nil {
		t.Fatal(err)
	}
	forced, last := 0, int64(0)
	for _, m := range about.Marks {
		if m.At < last || m.At > about.Length || m.Before < 0 || m.After < 0 || m.Before == m.After || !strings.Contains(told, "    "+m.Left+" ") || !strings.Contains(told, " "+m.Right+"\n") {
			t.Errorf("the page has the mark %+v, and is %d ns long; the hunt says\n%s", m, about.Length, told)
		}
		if last = m.At; m.Forced {
			forced++
		}
	}
	if forced != 1 || len(about.Marks) < 2 {
		t.Errorf("%d of %d marks are of a preemption", forced, len(about.Marks))
	}
}

// TestHuntPageOf: -replay makes a page if it is asked for, and a directory that there is not is wrong use.
func TestHuntPageOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, stderr, status := sched9(t, "hunt", "-replay", "1", "-page", dir, hunted, "unread")
	pages, err := filepath.Glob(filepath.Join(dir, "hunt-*.html"))
	if status != 1 || err != nil || len(pages) != 1 || !strings.Contains(stderr, "sched9: page: "+pages[0]+"\n") {
		t.Errorf("status %d, pages %q\n%s", status, pages, stderr)
	}
	if _, stderr, status := sched9(t, "hunt", "-page", filepath.Join(dir, "none"), hunted, "unread"); status != statusUsage || !strings.Contains(stderr, "is no directory") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// TestHuntGDB: a debugger stops a replay at a breakpoint, and the schedule is the same.
func TestHuntGDB(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gdb-multiarch"); err != nil {
		t.Fatal("the debugger is tried with gdb, and there is none for both architectures: tools/setup.sh test")
	}
	if _, stderr, status := sched9(t, "hunt", "-gdb", freePort(t), hunted, "lost"); status != statusUsage || !strings.Contains(stderr, "-replay") {
		t.Errorf("without a schedule: status %d, %q", status, stderr)
	}
	replay := []string{"hunt", "-timeout", "5m", "-replay", "7"}
	output, told, status := sched9(t, append(replay, hunted, "lost")...)
	run := process(t, t.TempDir(), append(replay, "-gdb", freePort(t), hunted, "lost")...)
	text, out, rest := underGDB(t, run, "break main.(*counter).set", "continue", "bt", "delete", "continue")
	if !regexp.MustCompile(`Breakpoint 1, main\.\(\*counter\)\.set`).Match(text) {
		t.Errorf("no breakpoint in\n%s", text)
	}
	if got := run.ProcessState.ExitCode(); got != status || out != output || !strings.HasSuffix(told, rest) || !strings.Contains(rest, ", schedule ") {
		t.Errorf("status %d\n%s%s\nwithout the debugger %d\n%s%s", got, out, rest, status, output, told)
	}
}
