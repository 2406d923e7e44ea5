package main

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/guest"
)

// freePort is an address that nothing listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// underGDB starts run, which waits for a debugger, and gives that the commands. It returns what the debugger said, the guest's output
// and what run said on standard error once it had told what to type. run has ended.
func underGDB(t *testing.T, run *exec.Cmd, commands ...string) (text []byte, out, rest string) {
	t.Helper()
	var stdout, end bytes.Buffer
	run.Stdout = &stdout
	stderr, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	var typed string
	for ok := false; !ok; { // before, it may say which sources it takes
		said, err := lines.ReadString('\n')
		if _, typed, ok = strings.Cut(strings.TrimSpace(said), "type: "); err != nil {
			t.Fatalf("%q, %v", said, err)
		}
	}
	words := append(strings.Fields(typed), "-batch")
	for _, c := range commands {
		words = append(words, "-ex", c)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	gdb := exec.CommandContext(ctx, words[0], words[1:]...)
	gdb.Env = append(os.Environ(), "HOME="+t.TempDir(), "DEBUGINFOD_URLS=")
	text, _ = gdb.CombinedOutput() // its status is that of the last command, which loses the connection
	if _, err := end.ReadFrom(lines); err != nil {
		t.Error(err)
	}
	run.Wait() // the caller looks at its status
	return text, stdout.String(), end.String()
}

// TestGDB stops a goroutine at a breakpoint, looks at it and at others, and lets the program end.
func TestGDB(t *testing.T) {
	if _, err := exec.LookPath("gdb-multiarch"); err != nil {
		t.Fatal("the debugger is tried with gdb, and there is none for both architectures: tools/setup.sh test")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			tmp := t.TempDir()
			// One vCPU, so that main waits while work runs. A debugger that never comes must not keep the test.
			run := process(t, tmp, "run", "-arch", arch, "-accel", "tcg", "-smp", "1", "-timeout", "5m", "-gdb", freePort(t), "./testdata/debugged")
			text, out, rest := underGDB(t, run,
				"break main.work", "continue", "print n", "info goroutines", "bt", "goroutine 1 bt", "info threads", "delete", "continue")
			debugged(t, text)
			if !run.ProcessState.Success() || out != "debugged: sum 1045\n" {
				t.Errorf("%v, %q, %s", run.ProcessState, out, rest)
			}
			left(t, tmp)
		})
	}
}

// debugged looks at what gdb said.
func debugged(t *testing.T, text []byte) {
	t.Helper()
	for _, want := range []string{
		`Breakpoint 1, main\.work \(n=1000`,
		`(?m)^\$1 = 1000$`,
		`(?m)^\s+1 waiting\s+runtime\.chansend$`, // into which the compiler puts gopark: kernel/goruntime/hot.txt
		`(?m)^\* [0-9]+ running\s+main\.main\.gowrap1$`,
		`in main\.main\.gowrap1 \(\)`,
		`(?s)in runtime\.chansend1 .* in main\.main \(\) at .*debugged/main\.go:`,
		`Thread 1\.1 \(CPU#0`,
	} {
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

// TestGDBRefuses: a program that cannot be debugged, or an address that cannot be used, is reported in a
// line and before a build.
func TestGDBRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	img := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-o", img, exitScenario); status != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		where, what, want string
	}{
		{"", "none", "not of the form :PORT"},
		{"1234", "none", "not of the form :PORT"},
		{"tcp::1234", "none", "not of the form :PORT"},
		{":", "none", "is no port"},
		{":0", "none", "is no port"},
		{":65536", "none", "is no port"},
		{":-1", "none", "is no port"},
		{":http", "none", "is no port"},
		{":1234,server=off", "none", "is no port"},
		{"x,server=off:1234", "none", "is no address"},
		{"example.com:1234", "none", "is no address"},
		{"[fe80::1%eth0]:1234", "none", "is no address"},
		{"192.0.2.1:1234", "none", "cannot wait"},
		{taken.Addr().String(), "none", "address already in use"},
		{freePort(t), img, "is an image"},
	} {
		_, stderr, status := sched9(t, "run", "-gdb", c.where, c.what)
		if status != statusUsage || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %q", c.where, status, stderr)
		}
	}
	if _, stderr, status := sched9(t, "run", "-gdb", freePort(t), "-ldflags=-w", exitScenario); status != statusFailed || !strings.Contains(stderr, "without DWARF") {
		t.Errorf("status %d, %q", status, stderr)
	}
	for where, want := range map[string]string{":1234": "127.0.0.1:1234", "localhost:7": "127.0.0.1:7", "[::1]:9": "[::1]:9", "0.0.0.0:65535": "0.0.0.0:65535"} {
		if got, err := guest.GDBAddress(where); got != want || err != nil {
			t.Errorf("%s: %s, %v", where, got, err)
		}
	}
}
