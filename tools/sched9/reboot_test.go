package main

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"sched9/kernel/cmdline"
	"sched9/qemu"
)

// TestReboot: reboot(2) ends a run with status 0, or says what it cannot do; the machine begins anew if that is asked for.
func TestReboot(t *testing.T) {
	t.Parallel()
	const asked = "reboot: keys: <nil>\nreboot: without a guard: invalid argument\nreboot: without the other: invalid argument\n"
	for _, machine := range []string{"q35", "pc", "microvm", "virt"} {
		arch := "amd64"
		if machine == "virt" {
			arch = "arm64"
		}
		img := filepath.Join(t.TempDir(), "image")
		if _, stderr, status := sched9(t, "build", "-arch", arch, "-o", img, "./testdata/reboot"); status != 0 {
			t.Fatalf("status %d\n%s", status, stderr)
		}
		for _, c := range []struct {
			what, more string
			reason     qemu.Reason
		}{
			{"restart", "", qemu.Reset},
			{"off", "", qemu.Exited},
			{"halt", "", qemu.Exited},
			{"sleep", "reboot: invalid argument\n", qemu.Exited},
		} {
			var out, errs, told bytes.Buffer
			vm, err := qemu.Start(t.Context(), qemu.Config{
				Arch: arch, Machine: machine, SMP: 2, Mem: "128M", Accel: "tcg", Kernel: img, Append: cmdline.Format(nil, nil, []string{"reboot", c.what}),
				Timeout: 5 * time.Minute, Stdout: &out, Stderr: &errs, Report: &told,
			})
			if err != nil {
				t.Fatal(err)
			}
			if res := vm.Wait(); res.Reason != c.reason || out.String() != asked+c.more || errs.Len() > 0 {
				t.Errorf("%s, %s: %v\n%s%s", machine, c.what, res.Reason, out.String(), errs.String())
			}
		}
		stdout, stderr, status := sched9(t, "run", "-arch", arch, "-machine", machine, "-timeout", "2m", "./testdata/reboot", "restart")
		if status != 0 || stdout != asked || stderr != "" {
			t.Errorf("%s: status %d\n%s%s", machine, status, stdout, stderr)
		}
	}
}
