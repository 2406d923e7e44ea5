package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/report"
)

var (
	clockBoots = flag.Int("clock.boots", 2, "`boots` of TestClock for each type of machine")
	clockLoad  = flag.Int("clock.load", 0, "busy `loops` on the host beside them")
	clockSleep = flag.Duration("clock.sleep", 300*time.Millisecond, "how `long` each runs")
)

// clockPPM is by how many millionths a guest's clock may be wrong.
const clockPPM = 10_000

// sleeper builds an image of the program that sleeps.
func sleeper(t *testing.T) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sleep")
	if _, stderr, status := sched9(t, "build", "-o", name, "./testdata/sleep"); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	img, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// busy keeps n processors of the host busy until the test ends.
func busy(t *testing.T, n int) {
	var stop atomic.Bool
	t.Cleanup(func() { stop.Store(true) })
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
	for range n {
		go func() {
			for !stop.Load() {
			}
		}()
	}
}

// TestClock compares the clocks of guests with ACPI's timer, which QEMU makes of the host's clock,
// from boot to end. Every other guest is held by SIGSTOP for most of the time until it prints: a
// busy host does the like to it, and a quota on its processor.
//
//	go test ./tools/sched9 -run TestClock -clock.boots 50 -clock.load 8 -clock.sleep 2s
func TestClock(t *testing.T) {
	img := sleeper(t)
	busy(t, *clockLoad)
	var worst uint64
	for _, machine := range []string{"q35", "pc"} {
		for n := range *clockBoots {
			var out, errs bytes.Buffer
			g := guest.Guest{
				Name: "sleep", Args: []string{clockSleep.String()}, Image: img, Arch: "amd64", Machine: machine, SMP: 1, Mem: "64M",
				Accel: "tcg", Timeout: 2*time.Minute + *clockSleep, Stdout: &out, Stderr: &errs,
			}
			begun := make(chan struct{})
			if n%2 == 1 {
				out := &writer{to: &out, first: func() { close(begun) }}
				g.Stdout = out
				g.Started = func(vm *qemu.VM) { go hold(vm, begun) }
			}
			o, err := guest.Run(t.Context(), g)
			ppm, ok := o.Report.Counters["clock_wrong_ppm"]
			if err != nil || o.Status != 0 || out.String() != "begin\nend\n" || !ok {
				t.Fatalf("%s: status %d, %s, %v\n%s%s", machine, o.Status, o.Why, err, out.String(), errs.String())
			}
			if ppm > clockPPM {
				t.Errorf("%s, boot %d: the clock is wrong by %d millionths", machine, n+1, ppm)
			}
			worst = max(worst, ppm)
		}
	}
	t.Logf("%d boots beside %d busy loops: the worst clock is wrong by %d millionths", 2**clockBoots, *clockLoad, worst)
}

// hold stops QEMU 62 ms of every 70 or so, until the guest prints or ends. The pauses are the test: nothing waits for them, and
// they may last longer.
func hold(vm *qemu.VM, begun <-chan struct{}) {
	// pause reports whether there is anything left to hold after it.
	pause := func(d time.Duration) bool {
		select {
		case <-begun:
			return false
		case <-vm.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	for {
		// Only this process, its parent, reaps QEMU, so the number is not reused before Done.
		syscall.Kill(vm.PID(), syscall.SIGSTOP)
		on := pause(62 * time.Millisecond)
		syscall.Kill(vm.PID(), syscall.SIGCONT)
		if !on || !pause(time.Duration(6+rand.IntN(4))*time.Millisecond) {
			return
		}
	}
}

// writer calls first before it writes for the first time.
type writer struct {
	to    *bytes.Buffer
	first func()
}

// Write writes p.
func (w *writer) Write(p []byte) (int, error) {
	if w.first != nil {
		w.first()
		w.first = nil
	}
	return w.to.Write(p)
}

// TestClockTimers: ACPI's timer does where there is no interval timer, and the interval timer where there
// is no ACPI; without either the guest says so.
func TestClockTimers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(name, sleeper(t), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ machine, option, want string }{
		{"q35", "pit=off", ""},
		{"pc", "acpi=off", ""},
		{"microvm", "pit=off", "this machine has no timer to measure its clock by"},
	} {
		var out, errs, told bytes.Buffer
		vm, err := qemu.Start(t.Context(), qemu.Config{
			Machine: c.machine, SMP: 1, Mem: "64M", Accel: "tcg", Kernel: name, Append: "-- sleep 50ms", Timeout: time.Minute,
			Stdout: &out, Stderr: &errs, Report: &told, Extra: []string{"-machine", c.option},
		})
		if err != nil {
			t.Fatal(err)
		}
		res := vm.Wait()
		rep := report.Parse(told.String())
		if _, compared := rep.Counters["clock_wrong_ppm"]; rep.Ended && compared != (c.option == "pit=off" && c.want == "") {
			t.Errorf("%s: the clock was compared: %v", c.option, compared)
		}
		if end := fmt.Sprintf("%v, status %d", res.Reason, rep.Status); res.Reason != qemu.Exited || (rep.Status == 0) != (c.want == "") || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s, %s: %s\n%s%s", c.machine, c.option, end, out.String(), errs.String())
		}
	}
}
