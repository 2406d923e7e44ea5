package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/rawguest"
	"sched9/tools/internal/report"
)

// some is a guest that Check accepts.
func some() Guest {
	return Guest{Name: "g", Arch: "amd64", SMP: 1, Mem: "64M", Machine: "q35", Accel: "tcg", Timeout: 30 * time.Second}
}

// large is an image that takes 72 MiB of memory.
func large(t *testing.T) []byte {
	t.Helper()
	img, err := rawguest.Image(make([]byte, 68<<20-8))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestCheck(t *testing.T) {
	if err := some().Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(*Guest)
		want   string
	}{
		{func(g *Guest) { g.Arch = "arm" }, `architecture "arm"`},
		{func(g *Guest) { g.SMP = 0 }, "0 vCPUs"},
		{func(g *Guest) { g.SMP = 65 }, "65 vCPUs"},
		{func(g *Guest) { g.Mem = "8M" }, "too small"},
		{func(g *Guest) { g.Machine = "isapc" }, `machine "isapc"`},
		{func(g *Guest) { g.Arch, g.Machine, g.SMP = "arm64", "raspi3b", 4 }, "a raspi3b has 1G of memory"},
		{func(g *Guest) {
			g.Arch, g.Machine, g.SMP, g.Mem, g.Root = "arm64", "raspi3b", 4, "1G", &qemu.Folder{Path: "/"}
		}, "a raspi3b has no disks, no folder"},
		{func(g *Guest) { g.Arch, g.Machine, g.SMP, g.Mem, g.Via = "arm64", "raspi3b", 4, "1G", ViaEFI }, "not a raspi3b; a virt boots by way of efi"},
		{func(g *Guest) { g.Accel = "hvf" }, `accelerator "hvf"`},
		{func(g *Guest) { g.Accel, g.ICount = "kvm", true }, "needs the accelerator tcg"},
		{func(g *Guest) { g.Timeout = 0 }, "time limit"},
		{func(g *Guest) { g.Slice = 9 * time.Microsecond }, "time slice of 9µs"},
		{func(g *Guest) { g.Slice = -time.Second }, "time slice of -1s"},
		{func(g *Guest) { g.Slice = 1001 * time.Millisecond }, "time slice of 1.001s"},
		{func(g *Guest) { g.Slice = 20*time.Microsecond + 1 }, "time slice of 20.001µs"},
		{func(g *Guest) { g.Env = []string{"=x"} }, "KEY=VALUE"},
		{func(g *Guest) { g.Args = []string{"a\x00"} }, "zero byte"},
		{func(g *Guest) { g.Image = []byte("none") }, "not an ELF file"},
		{func(g *Guest) { g.Image = large(t) }, "the image takes 72 MiB of memory and 12 beside it, and the machine has 64"},
		{func(g *Guest) { g.Args = make([]string, 16384) }, "16385 arguments and variables are too many, 16384 are"},
		{func(g *Guest) { g.Args = []string{strings.Repeat("x", 128<<10-2)} }, "take 131073 bytes, 131072 are"},
		{func(g *Guest) { g.Env = []string{"a=" + strings.Repeat("x", 128<<10)} }, "131072 are"},
	} {
		g := some()
		c.change(&g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestSlice: the kernel is told of a time slice that was asked for, and of no other.
func TestSlice(t *testing.T) {
	for _, c := range []struct {
		slice time.Duration
		want  string
	}{{0, ""}, {MinSlice, "sched9.slice=10 "}, {1500 * time.Microsecond, "sched9.slice=1500 "}, {MaxSlice, "sched9.slice=1000000 "}} {
		g := some()
		g.Slice = c.slice
		if err := g.Check(); err != nil {
			t.Error(err)
		}
		line, _, err := g.arguments()
		if err != nil {
			t.Error(err)
		}
		if c.want == "" && strings.Contains(line, "slice") || !strings.Contains(line, c.want) {
			t.Errorf("%v: %q", c.slice, line)
		}
	}
}

func TestJudge(t *testing.T) {
	why := errors.New("why")
	for _, c := range []struct {
		name   string
		res    qemu.Result
		report string
		status int
		why    string
	}{
		{"clean", qemu.Result{Reason: qemu.Exited, Status: 0x63}, "exit 0\n", 0, ""},
		{"unclean", qemu.Result{Reason: qemu.Exited, Status: 0x65}, "exit 7\n", 7, ""},
		{"kernel fault", qemu.Result{Reason: qemu.Exited, Status: 0x65}, "fault\nexit 126\n", StatusFault, "kernel"},
		{"the program exits with 126", qemu.Result{Reason: qemu.Exited, Status: 0x65}, "exit 126\n", 126, ""},
		{"statuses differ", qemu.Result{Reason: qemu.Exited, Status: 0x65}, "exit 0\n", StatusLost, "reports status 0"},
		{"statuses differ too", qemu.Result{Reason: qemu.Exited, Status: 0x63}, "exit 7\n", StatusLost, "reports status 7"},
		{"no report", qemu.Result{Reason: qemu.Exited, Status: 0x63}, "", StatusLost, "no report"},
		{"power off", qemu.Result{Reason: qemu.Exited, Status: 0}, "exit 0\n", StatusLost, "status 0x0"},
		{"output lost", qemu.Result{Reason: qemu.Exited, Status: 0x63, Lost: why}, "exit 0\n", StatusHost, "why"},
		{"output lost at the limit", qemu.Result{Reason: qemu.TimedOut, Status: 0x65, Err: errors.New("late"), Lost: why}, "", StatusTimeout, "late; why"},
		{"output lost when interrupted", qemu.Result{Reason: qemu.Cancelled, Lost: why}, "", StatusInterrupt, "interrupted; why"},
		{"time limit", qemu.Result{Reason: qemu.TimedOut, Status: 0x65, Err: why}, "exit 126\n", StatusTimeout, "why"},
		{"reset", qemu.Result{Reason: qemu.Reset, Err: why}, "", StatusLost, "why"},
		{"restarted", qemu.Result{Reason: qemu.Reset, Err: why}, "exit 0\n", 0, ""},
		{"reset after a failure", qemu.Result{Reason: qemu.Reset, Err: why}, "exit 7\n", StatusLost, "why"},
		{"reset by a fault", qemu.Result{Reason: qemu.Reset, Err: why}, "fault\nexit 126\n", StatusLost, "why"},
		{"killed", qemu.Result{Reason: qemu.Killed, Status: -1, Err: why}, "", StatusLost, "why"},
		{"panicked", qemu.Result{Reason: qemu.Panicked, Err: why}, "", StatusLost, "why"},
		{"failed", qemu.Result{Reason: qemu.Failed, Status: 1, Err: why}, "", StatusHost, "why"},
		{"Ctrl-\\", qemu.Result{Reason: qemu.Interrupted, Status: 0x65, Err: why}, "fault\nexit 126\n", StatusQuit, "Ctrl-"},
		{"cancelled", qemu.Result{Reason: qemu.Cancelled, Err: why}, "", StatusInterrupt, "interrupted"},
	} {
		o := judge(c.res, report.Parse(c.report))
		if o.Status != c.status || !strings.Contains(o.Why, c.why) || c.why == "" && o.Why != "" {
			t.Errorf("%s: status %d, %q; want %d, %q", c.name, o.Status, o.Why, c.status, c.why)
		}
	}
}

// TestRun boots machine code that does what the kernel's end does, or does not.
func TestRun(t *testing.T) {
	const clean, unclean = 0x31, 0x32
	for _, c := range []struct {
		name   string
		code   [][]byte
		change func(*Guest)
		status int
		why    string
	}{
		{"clean", [][]byte{rawguest.Say(rawguest.Report, "counter x 3\nexit 0\n"), rawguest.Exit(clean)}, nil, 0, ""},
		{"seven", [][]byte{rawguest.Say(rawguest.Report, "exit 7\n"), rawguest.Exit(unclean)}, nil, 7, ""},
		{"silent", [][]byte{rawguest.Exit(clean)}, nil, StatusLost, "no report"},
		{"liar", [][]byte{rawguest.Say(rawguest.Report, "exit 7\n"), rawguest.Exit(clean)}, nil, StatusLost, "reports status 7"},
		{"triple fault", [][]byte{rawguest.TripleFault}, nil, StatusLost, "triple-faulted"},
		{"killed", nil, func(g *Guest) { g.Started = func(vm *qemu.VM) { syscall.Kill(vm.PID(), syscall.SIGKILL) } }, StatusLost, "killed from outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := some()
			var stderr bytes.Buffer
			g.Stderr = &stderr
			if c.change != nil {
				c.change(&g)
			}
			var err error
			g.Image, err = rawguest.Image(append([][]byte{rawguest.Say(rawguest.Stderr, "here\n")}, c.code...)...)
			if err != nil {
				t.Fatal(err)
			}
			o, err := Run(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != c.status || !strings.Contains(o.Why, c.why) {
				t.Errorf("status %d, %q; want %d, %q", o.Status, o.Why, c.status, c.why)
			}
			if c.name != "killed" && stderr.String() != "here\n" {
				t.Errorf("the guest said %q", stderr.String())
			}
		})
	}
}

// TestRunHangs: the limit ends a guest that writes once and then hangs. The limit doubles until the
// guest has written: the host's speed is not under test.
func TestRunHangs(t *testing.T) {
	t.Parallel()
	img, err := rawguest.Image(rawguest.Say(rawguest.Stderr, "here\n"))
	if err != nil {
		t.Fatal(err)
	}
	for limit := time.Second; limit < 2*time.Minute; limit *= 2 {
		g := some()
		var stderr bytes.Buffer
		g.Image, g.Stderr, g.Timeout = img, &stderr, limit
		o, err := Run(t.Context(), g)
		if err != nil || o.Status != StatusTimeout || !strings.Contains(o.Why, "within "+limit.String()) {
			t.Fatalf("status %d, %q, %v", o.Status, o.Why, err)
		}
		if stderr.String() == fmt.Sprintf("here\nsched9: the time limit of %v has passed\n", limit) {
			return
		}
	}
	t.Error("the guest said nothing within a minute")
}

func TestRunCancelled(t *testing.T) {
	g := some()
	var err error
	if g.Image, err = rawguest.Image(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	g.Started = func(*qemu.VM) { cancel() }
	for range 2 { // in mid-run, and before it
		o, err := Run(ctx, g)
		if err != nil || o.Status != StatusInterrupt {
			t.Errorf("status %d, %v", o.Status, err)
		}
	}
}
