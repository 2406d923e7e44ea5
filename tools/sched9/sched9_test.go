package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sched9/boot"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/rawguest"
)

// exitScenario is a program that ends as its argument says.
const exitScenario = "../../scenarios/exit"

// sched9 runs the command and returns what it wrote and its status.
func sched9(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	status = execute(t.Context(), args, &out, &err)
	return out.String(), err.String(), status
}

// raw writes an image of machine code and returns its name.
func raw(t *testing.T, code ...[]byte) string {
	t.Helper()
	img, err := rawguest.Image(code...)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(name, img, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// last is the last line of text.
func last(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// TestRunStatus boots a program that ends in many ways.
func TestRunStatus(t *testing.T) {
	for _, c := range []struct {
		how    string
		status int
		stderr string
	}{
		{"0", 0, ""},
		{"7", 7, ""},
		{"panic", 2, "panic: exit: boom"},
		{"deadlock", 2, "all goroutines are asleep - deadlock!"},
	} {
		stdout, stderr, status := sched9(t, "run", "-accel", "tcg", exitScenario, c.how)
		if status != c.status || !strings.Contains(stderr, c.stderr) || !strings.HasPrefix(stdout, "exit: ending") || strings.Contains(stderr, "sched9:") {
			t.Errorf("%s: status %d\n%s%s", c.how, status, stdout, stderr)
		}
	}
}

// TestRunReserved: a program may exit with a status that says something else of other runs.
func TestRunReserved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-o", name, exitScenario); status != 0 {
		t.Fatal(stderr)
	}
	for n, note := range map[int]bool{123: false, 124: true, 125: true, 126: true, 127: true, 128: false, 130: true, 141: true, 255: false} {
		want := ""
		if note {
			want = fmt.Sprintf("the program exited with status %d\n", n)
		}
		if _, stderr, status := sched9(t, "run", "-accel", "tcg", name, strconv.Itoa(n)); status != n || stderr != want {
			t.Errorf("%d: status %d, %q", n, status, stderr)
		}
	}
}

// TestRunGuest: arguments and environment arrive as they are, the outputs stay
// apart, and the counters come at the end.
func TestRunGuest(t *testing.T) {
	stdout, stderr, status := sched9(t, "run", "-accel=tcg", "-smp", "2", "-machine", "microvm", "-mem", "256M",
		"-env", "GREETING=a=b c", "-env", "EMPTY=", "-counters", "-v", "../../scenarios/hello", "-smp", "", "--", "ü")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	for _, want := range []string{"cpus=2", `args=["-smp" "" "--" "ü"]`, `GREETING="a=b c" set=true`, `EMPTY="" set=true`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	for _, want := range []string{"hello: this line went to standard error", "\nruns ", "\nms ", "accelerator tcg"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
	if strings.Contains(stdout, "standard error") {
		t.Errorf("standard error is in\n%s", stdout)
	}
}

// TestBuildAndRun boots images of both formats.
func TestBuildAndRun(t *testing.T) {
	for _, format := range []boot.Format{boot.PVH, boot.Multiboot} {
		name := filepath.Join(t.TempDir(), "an image")
		if _, stderr, status := sched9(t, "build", "-format", format.String(), "-o", name, exitScenario); status != 0 || stderr != "" {
			t.Fatalf("%v: build: %d, %s", format, status, stderr)
		}
		if _, stderr, status := sched9(t, "run", "-accel", "tcg", name, "7"); status != 7 {
			t.Errorf("%v: status %d, %s", format, status, stderr)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 3, 100, len(data) / 2, len(data) - 1} {
			if err := os.WriteFile(name, data[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			_, stderr, status := sched9(t, "run", "-accel", "tcg", name)
			if status != statusFailed || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "no image that can be booted") {
				t.Errorf("%v, %d bytes: status %d, %s", format, n, status, stderr)
			}
		}
	}
}

// TestRunLost: a guest that does not end by itself is reported in one line.
func TestRunLost(t *testing.T) {
	t.Parallel()
	say := rawguest.Say(rawguest.Stderr, "no end of line")
	hangs := raw(t, say)
	for limit := time.Second; ; limit *= 2 { // the host's speed is not under test
		want := fmt.Sprintf("no end of line\nsched9: the time limit of %v has passed\nsched9: the guest did not end within %v\n", limit, limit)
		_, stderr, status := sched9(t, "run", "-accel", "tcg", "-timeout", limit.String(), hangs)
		if status == guest.StatusTimeout && stderr == want {
			break
		}
		if limit > time.Minute || !strings.HasSuffix(want, stderr) {
			t.Fatalf("hangs with interrupts off: status %d, %q", status, stderr)
		}
	}
	for _, c := range []struct {
		name   string
		image  string
		status int
		want   string
	}{
		{"triple fault", raw(t, say, rawguest.TripleFault), guest.StatusLost, "sched9: the guest reset the machine or triple-faulted"},
		{"ends without a word", raw(t, say, rawguest.Exit(0x31)), guest.StatusLost, "sched9: the guest is lost: it left no report"},
		{"kernel fault", raw(t, say, rawguest.Say(rawguest.Report, "fault\nexit 126\n"), rawguest.Exit(0x32)), guest.StatusFault, "sched9: the guest's kernel ended the run (status 126)"},
	} {
		_, stderr, status := sched9(t, "run", "-accel", "tcg", c.image)
		if status != c.status || stderr != "no end of line\n"+c.want+"\n" {
			t.Errorf("%s: status %d, %q", c.name, status, stderr)
		}
	}
}

// cancelling cancels when it is written to.
type cancelling context.CancelFunc

// Write cancels.
func (c cancelling) Write(p []byte) (int, error) {
	c()
	return len(p), nil
}

// TestRunInterrupted: a run that is cancelled, as by the second Ctrl-C.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	image := raw(t, rawguest.Say(rawguest.Stderr, "x"))
	var stderr bytes.Buffer
	status := execute(ctx, []string{"run", "-accel", "tcg", image}, io.Discard, io.MultiWriter(cancelling(cancel), &stderr))
	if status != guest.StatusInterrupt || last(stderr.String()) != "sched9: interrupted" {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

// TestInput: every wrong command line gets one clear line and its status.
func TestInput(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module example.com/x\n\ngo 1.26\n",
		"lib/lib.go":         "package lib\n",
		"bad/bad.go":         "package main\n\nfunc main() { nothing() }\n",
		"s/one/expect.toml":  "about = 'x'\nabsurd = 1\n[[run]]\nname = 'r'\nsmp = 1\ntimeout = '1s'\n",
		"s2/one/expect.toml": "about = 'x'\n[[run]]\nname = 'r'\nsmp = 1\ntimeout = '1s'\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"run", statusUsage, "which program"},
		{"run -mem 8M ./lib", statusUsage, "the least is"},
		{"run -mem lots ./lib", statusUsage, `"lots" is not a number`},
		{"run -smp 65 ./lib", statusUsage, "65 vCPUs asked for, 1 to 64 are possible"},
		{"run -smp 0 ./lib", statusUsage, "0 vCPUs asked for"},
		{"run -smp four ./lib", statusUsage, `invalid argument "four" for "-smp" flag`},
		{"run -via floppy ./lib", statusUsage, `no way to boot is called "floppy"; there are grub, uefi, efi, bochs`},
		{"run -via grub -machine microvm ./lib", statusUsage, "boot a q35 and a pc, not a microvm"},
		{"run -via uefi -arch arm64 ./lib", statusUsage, "boot a q35 and a pc, not a virt"},
		{"run -smp", statusUsage, "flag needs an argument: -smp"},
		{"run -machine isapc ./lib", statusUsage, `machine "isapc" is not one of q35, pc, microvm`},
		{"run -accel hvf ./lib", statusUsage, `accelerator "hvf" is not one of`},
		{"run -accel kvm -icount ./lib", statusUsage, "needs the accelerator tcg"},
		{"run -arch riscv64 ./lib", statusUsage, `architecture "riscv64" is not supported`},
		{"run -env X ./lib", statusUsage, "KEY=VALUE"},
		{"run -timeout 0s ./lib", statusUsage, "time limit"},
		{"run -nonsense ./lib", statusUsage, "unknown flag: -nonsense"},
		{"run ./nowhere", statusUsage, "there is no directory ./nowhere"},
		{"run nofile.go", statusUsage, "there is no file nofile.go"},
		{"run ./lib", statusFailed, "it is package lib, not main"},
		{"run ./bad", statusFailed, "./bad does not compile"},
		{"build ./bad", statusUsage, "-o IMAGE"},
		{"build -o x ./bad y", statusUsage, `unexpected argument "y"`},
		{"build -o x -format elf ./bad", statusUsage, `format "elf"`},
		{"build -o x -arch arm64 -format iso ./bad", statusUsage, `format "iso" is not one of linux`},
		{"build -o x -arch sparc ./bad", statusUsage, `architecture "sparc"`},
		{"build -o x ./bad", statusFailed, "./bad does not compile"},
		{"test", statusUsage, "there are no scenarios in scenarios"},
		{"test -C s", statusUsage, `unknown key "absurd"`},
		{"test -C s2 -run nothing", statusUsage, "no run matches nothing"},
		{"test -C s2 -run [", statusUsage, "missing closing ]"},
		{"test -C s2 -j 0", statusUsage, "0 runs at once"},
		{"test -C s2 one", statusUsage, `unexpected argument "one"`},
		{"soak -C s2", guest.StatusHost, "no run is marked"},
		{"soak -C s2 -boots 0", statusUsage, "0 boots"},
		{"soak -C s2 -for 1m -boots 0", statusUsage, "0 boots"},
		{"soak -C s2 -for -1s", statusUsage, "no soak takes -1s"},
		{"soak -C s2 -first 0", statusUsage, "boots count from 1"},
		{"soak -C s2 -failures -1", statusUsage, "-1 failures"},
		{"bench -smp 65", statusUsage, "65 vCPUs"},
		{"bench -boots 0", statusUsage, "0 boots"},
		{"bench -listing f", statusUsage, "-profile OP"},
		{"bench ./lib y", statusUsage, `unexpected argument "y"`},
		{"doctor x", statusUsage, `unexpected argument "x"`},
		{"frobnicate", statusUsage, `there is no command "frobnicate"`},
	} {
		_, stderr, status := sched9(t, strings.Fields(c.args)...)
		line := last(stderr)
		if status != c.status || !strings.HasPrefix(line, "sched9: ") || !strings.Contains(line, c.want) {
			t.Errorf("%s: status %d, %q; want %d, %q", c.args, status, stderr, c.status, c.want)
		}
		if n := strings.Count(stderr, "\n"); n != 1 && !strings.HasSuffix(c.args, "./bad") {
			t.Errorf("%s: %d lines: %q", c.args, n, stderr)
		}
	}
}

// TestNoQEMU is a machine without QEMU: it is said before anything is built.
func TestNoQEMU(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, args := range [][]string{{"run", exitScenario}, {"test", "-C", "../../scenarios"}, {"soak", "-C", "../../scenarios"}} {
		_, stderr, status := sched9(t, args...)
		if status != guest.StatusHost || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "install") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
	stdout, _, status := sched9(t, "doctor")
	if status != statusFailed || !strings.Contains(stdout, "MISSING  QEMU") {
		t.Errorf("doctor: status %d, %s", status, stdout)
	}
}

// TestTest makes some runs of the repository's scenarios.
func TestTest(t *testing.T) {
	junit := filepath.Join(t.TempDir(), "junit.xml")
	stdout, stderr, status := sched9(t, "test", "-C", "../../scenarios", "-run", "^exit/(7|return)$", "-junit", junit)
	if status != 0 || last(stdout) != "2 passed, 0 failed" || !strings.HasPrefix(stdout, "ok   exit/return ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if report, err := os.ReadFile(junit); err != nil || !strings.Contains(string(report), `<testcase name="7"`) {
		t.Errorf("the JUnit report: %v\n%s", err, report)
	}
	stdout, _, status = sched9(t, "test", "-C", "../../scenarios", "-run", "^exit/7$", "-json")
	if status != 0 || !strings.Contains(stdout, `"Action":"pass","Package":"exit","Test":"7"`) {
		t.Errorf("-json: status %d\n%s", status, stdout)
	}
	stdout, _, status = sched9(t, "test", "-C", "../../scenarios", "-run", "^exit/7", "-list")
	if status != 0 || !strings.HasSuffix(stdout, "\nexit/7\nexit/7-4cpu\n") || !strings.HasPrefix(stdout, "# exit: ") {
		t.Errorf("-list: status %d\n%s", status, stdout)
	}
}

// TestBench measures once; the figures are not judged.
func TestBench(t *testing.T) {
	stdout, stderr, status := sched9(t, "bench", "-boots", "1", "-smp", "2", "../../scenarios/hello")
	if status != 0 || strings.Count(stdout, "first line after") != 4 || !strings.Contains(stdout, "q35,firmware=seabios") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if _, stderr, status := sched9(t, "bench", "-boots", "1", "../../scenarios/nowhere"); status != statusUsage {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestHelp shows flags with one dash, as they are typed.
func TestHelp(t *testing.T) {
	stdout, _, status := sched9(t, "run", "-h")
	if status != 0 || !strings.Contains(stdout, "-smp N") || strings.Contains(stdout, "--") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	if _, stderr, status := sched9(t); status != statusUsage || !strings.Contains(stderr, "Commands:") {
		t.Errorf("without a command: status %d\n%s", status, stderr)
	}
}
