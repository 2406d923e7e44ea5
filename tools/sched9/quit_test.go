package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sched9/tools/internal/guest"
)

// quitter sends this process SIGQUIT when the guest says something.
type quitter struct{ once sync.Once }

// Write sends the signal.
func (q *quitter) Write(p []byte) (int, error) {
	q.once.Do(func() { syscall.Kill(os.Getpid(), syscall.SIGQUIT) })
	return len(p), nil
}

// shown is what a guest must show of testdata/hang when asked: the reason, the running processor
// with its registers, Ms and Ps, and goroutines with lines of the program. The first of these may
// still be on its way out of Println, whose line is the signal.
var shown = []string{
	`(?m)^sched9: what every processor and goroutine does, for which the host asks:$`,
	`(?m)^processor \d:\n  (rax|x0 ) [0-9a-f]{16} `,
	`(?m)^  M0: `,
	`(?m)^  P1: `,
	`(?m)^goroutine 1 \[(running|syscall), processor \d\]:\n(.+\n)*main\.main\(\)\n.*/hang/main\.go:(26|30) `,
	`(?m)^goroutine \d+ \[sync\.Mutex\.Lock, [\d.]+m?s\]:\n(.+\n)+main\.lockBoth\(.*\)\n.*/hang/main\.go:19 .*\ncreated by main\.main in goroutine 1\n.*/hang/main\.go:23 `,
	`(?m)^goroutine \d+ \[sync\.Mutex\.Lock, [\d.]+m?s\]:\n(.+\n)+main\.lockBoth\(.*\)\n.*/hang/main\.go:19 .*\ncreated by main\.main in goroutine 1\n.*/hang/main\.go:24 `,
	`(?m)^goroutine \d+ \[force gc \(idle\), [\d.]+m?s\]: runtime\.forcegchelper$`,
}

// shows reports what a hanging guest failed to show.
func shows(t *testing.T, text string) {
	for _, want := range shown {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if regexp.MustCompile("kernel fault|NMI|fault in the report").MatchString(text) {
		t.Errorf("it looks like a fault:\n%s", text)
	}
}

// TestQuitShowsState: a guest that hangs shows where it stands (V4). No other test runs beside it: the signal goes to this process, and from
// it to every guest that it runs.
func TestQuitShowsState(t *testing.T) {
	for _, machine := range []string{"amd64 q35", "arm64 virt", "arm64 virt,gic-version=2,virtualization=on"} {
		arch, name, _ := strings.Cut(machine, " ")
		t.Run(machine, func(t *testing.T) {
			var stderr bytes.Buffer
			args := []string{"run", "-accel", "tcg", "-smp", "2", "-arch", arch, "-machine", name, "./testdata/hang"}
			if status := execute(t.Context(), args, new(quitter), &stderr); status != guest.StatusQuit {
				t.Errorf("status %d", status)
			}
			shows(t, stderr.String())
			if !strings.HasPrefix(stderr.String(), "sched9: asked for by Ctrl-\\\n") || last(stderr.String()) != `sched9: ended by Ctrl-\` {
				t.Errorf("it does not say why:\n%s", stderr.String())
			}
		})
	}
}

// TestTimeLimitShowsState: so does one whose time is over.
func TestTimeLimitShowsState(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			_, stderr, status := sched9(t, "run", "-accel", "tcg", "-smp", "2", "-arch", arch, "-timeout", "4s", "./testdata/hang")
			if status != guest.StatusTimeout {
				t.Errorf("status %d", status)
			}
			shows(t, stderr)
			spins := `(?m)^goroutine 1 \[running, processor \d\]:\nmain\.spin\(\.\.\.\)\n.*/hang/main\.go:34\nmain\.main\(\)\n.*/hang/main\.go:30 `
			if !regexp.MustCompile(spins).MatchString(stderr) {
				t.Errorf("the loop is not in\n%s", stderr)
			}
			// The compiler has put spin into main. Each has its own line, of the processor as well.
			inlined := `(?m)^    [0-9a-f]{16} main\.spin .*/hang/main\.go:34\n    [0-9a-f]{16} main\.main .*/hang/main\.go:30\n    [0-9a-f]{16} runtime\.main `
			if !regexp.MustCompile(inlined).MatchString(stderr) {
				t.Errorf("the processor that loops is not in\n%s", stderr)
			}
			if !strings.HasPrefix(stderr, "sched9: the time limit of 4s has passed\n") || last(stderr) != "sched9: the guest did not end within 4s" {
				t.Errorf("it does not say why:\n%s", stderr)
			}
		})
	}
}

// TestFaultingShowsState: of a goroutine whose processor was stopped in a handler of the kernel's the dump shows where it
// was interrupted.
func TestFaultingShowsState(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			_, stderr, status := sched9(t, "run", "-accel", "tcg", "-smp", "1", "-arch", arch, "-timeout", "4s", "./testdata/hang", "fault")
			if status != guest.StatusTimeout {
				t.Errorf("status %d", status)
			}
			if !regexp.MustCompile(`(?m)^goroutine 1 \[(running|syscall), processor 0\]:\n(.+\n)*main\.main\(\)\n`).MatchString(stderr) {
				t.Errorf("main is not in\n%s", stderr)
			}
		})
	}
}
