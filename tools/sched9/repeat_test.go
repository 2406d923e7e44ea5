//go:build full

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sched9/qemu"
	"sched9/tools/internal/guest"
)

// TestSleepsRepeat: under -icount all sleeps end at the same nanoseconds in every boot, though the thread that runs the vCPUs gets no more of
// the host than others leave, so that it is often held between its halt and QEMU's account of it (docs/turns.md).
func TestSleepsRepeat(t *testing.T) {
	const boots = 25
	for _, arch := range []string{"amd64", "arm64"} {
		name := filepath.Join(t.TempDir(), "sleeps")
		if _, stderr, status := sched9(t, "build", "-arch", arch, "-o", name, "./testdata/sleeps"); status != 0 {
			t.Fatalf("status %d\n%s", status, stderr)
		}
		img, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		busy(t, 4)
		first := ""
		for n := range boots {
			var out, errs bytes.Buffer
			idle := make(chan error, 1)
			o, err := guest.Run(t.Context(), guest.Guest{
				Name: "sleeps", Image: img, Arch: arch, SMP: 4, Mem: "64M", Accel: "tcg", ICount: true, Timeout: 5 * time.Minute, Stdout: &out, Stderr: &errs,
				Started: func(vm *qemu.VM) { idle <- leftovers(vm) },
			})
			if err != nil || o.Status != 0 || out.Len() == 0 {
				t.Fatalf("%s: status %d, %s, %v\n%s%s", arch, o.Status, o.Why, err, &out, &errs)
			}
			if err := <-idle; err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				first = out.String()
			} else if out.String() != first {
				t.Errorf("%s, boot %d: %s, not %s", arch, n+1, &out, first)
			}
		}
	}
}

// leftovers lets the thread that runs vm's CPUs run only when nobody else on the host wants to.
func leftovers(vm *qemu.VM) error {
	cpus, err := vm.CPUs()
	if err != nil {
		return err
	}
	return unix.SchedSetAttr(cpus[0].ThreadID, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
}
