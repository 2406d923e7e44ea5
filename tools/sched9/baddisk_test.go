package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sched9/kernel/cmdline"
	"sched9/qemu"
	"sched9/tools/internal/report"
)

// badArchs are the machines with disks that fail.
var badArchs = []string{"amd64", "arm64"}

// done is what came of one thing that testdata/baddisk did.
type done struct {
	what      string
	n, first  int
	err       string
	ms, other int
}

// onDisk boots testdata/baddisk with QEMU's disk bad, which extra describes, and returns what came of each of args.
func onDisk(t *testing.T, arch string, extra []string, args ...string) (all []done) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-arch", arch, "-o", name, "./testdata/baddisk"); status != 0 {
		t.Fatal(stderr)
	}
	device := "virtio-blk-pci"
	if arch == "arm64" {
		device = "virtio-blk-device"
	}
	// Without a geometry QEMU reads the disk's first sector to guess one, before the guest runs.
	device += ",drive=bad,cyls=16,heads=2,secs=63,rerror=report,werror=report"
	var out, errs, told bytes.Buffer
	vm, err := qemu.Start(t.Context(), qemu.Config{
		Arch: arch, SMP: 2, Mem: "128M", Accel: "tcg", Kernel: name, Append: cmdline.Format(nil, nil, append([]string{"baddisk"}, args...)),
		Timeout: 5 * time.Minute, Stdout: &out, Stderr: &errs, Report: &told,
		Extra: append(extra, "-device", device),
	})
	if err != nil {
		t.Fatal(err)
	}
	res := vm.Wait()
	rep := report.Parse(told.String())
	if res.Reason != qemu.Exited || !rep.Ended || rep.Status != 0 || !strings.HasSuffix(out.String(), "\ndone\n") {
		t.Fatalf("%v, status %d\n%s%s", res.Reason, rep.Status, out.String(), errs.String())
	}
	for l := range strings.Lines(out.String()) {
		var d done
		if n, _ := fmt.Sscan(l, &d.what, &d.n, &d.first, &d.err, &d.ms, &d.other); n == 6 {
			all = append(all, d)
		} else if l != "done\n" {
			t.Errorf("%s", l)
		}
	}
	if len(all) != len(args) {
		t.Fatalf("%d lines for %d things\n%s", len(all), len(args), out.String())
	}
	return all
}

// numbered makes a file of n sectors, each filled with the lowest byte of its number.
func numbered(t *testing.T, n int) string {
	t.Helper()
	b := make([]byte, n*512)
	for i := range b {
		b[i] = byte(i / 512)
	}
	name := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDiskErrors has a disk refuse a read of sector 100, a write of sector 200, and a flush: each call that needs one of
// these, and no other, returns EIO; if the call had returned before, the next one reports it.
func TestDiskErrors(t *testing.T) {
	for _, arch := range badArchs {
		t.Run(arch, func(t *testing.T) {
			disk := `{"driver":"raw","node-name":"bad","file":{"driver":"blkdebug","image":{"driver":"file","filename":"` + numbered(t, 1024) + `"},"inject-error":[` +
				`{"event":"read_aio","errno":5,"sector":100},{"event":"write_aio","errno":5,"sector":200},{"event":"flush_to_disk","errno":5}]}}`
			want := []done{
				{what: "polled.read:0:512", n: 512, first: 0, err: "ok"},
				{what: "polled.read:100:512", n: 0, err: "EIO(5)"},
				{what: "polled.read:101:512", n: 512, first: 101, err: "ok"},
				{what: "polled.read:36:65536", n: 32768, first: 36, err: "EIO(5)"}, // the second piece begins at 100
				{what: "waiting.read:100:512", n: 0, err: "EIO(5)"},
				{what: "waiting.read:101:512", n: 512, first: 101, err: "ok"},
				{what: "waiting.read:99:512", n: 512, first: 99, err: "ok"},
				{what: "polled.write:200:512", n: 0, err: "EIO(5)"},
				{what: "polled.write:201:512", n: 512, err: "ok"},
				{what: "waiting.write:202:512", n: 512, err: "ok"},
				{what: "waiting.write:200:512", n: 512, err: "ok"},
				{what: "waiting.read:203:512", n: 0, err: "EIO(5)"}, // of the write before
				{what: "waiting.read:203:512", n: 512, first: 203, err: "ok"},
				{what: "polled.read:200:512", n: 512, first: 200, err: "ok"},
				{what: "polled.sync", n: 0, err: "EIO(5)"},
				{what: "polled.read:102:512", n: 512, first: 102, err: "ok"},
			}
			var args []string
			for _, w := range want {
				args = append(args, w.what)
			}
			for i, got := range onDisk(t, arch, []string{"-blockdev", disk}, args...) {
				if got.ms, got.other = 0, 0; got != want[i] {
					t.Errorf("%+v, not %+v", got, want[i])
				}
			}
		})
	}
}

// TestDiskSlow has a disk that answers after 9 s, which is less than the kernel's limit: the answer is right, and other
// goroutines run until then. A host that is slow itself may exceed the limit: then the call reports that, and not before. The 9 s are the
// host's, and the guest's clock may differ from it by a hundredth (docs/limits.md).
func TestDiskSlow(t *testing.T) {
	t.Parallel()
	disk := `{"driver":"null-co","node-name":"bad","size":1048576,"read-zeroes":true,"latency-ns":9000000000}`
	all := onDisk(t, "amd64", []string{"-blockdev", disk}, "polled.read:0:512", "waiting.read:8:512", "waiting.read:16:512:50")
	for _, d := range all[:2] {
		late := d.err == "EIO(5)" && d.ms >= 10_000 && strings.HasPrefix(d.what, "polled")
		if !late && (d.n != 512 || d.err != "ok") || d.ms < 8910 || d.other == 0 {
			t.Errorf("%+v", d)
		}
	}
	if d := all[2]; d.err != "deadline" || d.ms < 50 || d.n != 0 {
		t.Errorf("%+v", d)
	}
}

// TestDiskNever has a disk that never answers: a call that holds its vCPU ends after 10 s with EIO, one that waits in
// the poller ends by its deadline or when the file is closed, other goroutines run until then, and the guest can end.
func TestDiskNever(t *testing.T) {
	t.Parallel()
	for _, arch := range badArchs {
		t.Run(arch, func(t *testing.T) {
			disk := `{"driver":"null-co","node-name":"bad","size":1048576,"read-zeroes":true,"latency-ns":36000000000000}`
			all := onDisk(t, arch, []string{"-blockdev", disk}, "polled.read:0:512", "waiting.read:8:512:50", "other.close:16:512:50", "last.read:8:512:50")
			if d := all[0]; d.err != "EIO(5)" || d.ms < 10_000 || d.n != 0 || d.other == 0 {
				t.Errorf("%+v", d)
			}
			for i, want := range []string{"deadline", "closed", "deadline"} {
				// A busy host may leave no time for others in so short a wait; another goroutine closes the file, so that one runs meanwhile.
				if d := all[i+1]; d.err != want || d.ms < 50 || d.n != 0 {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

// TestDiskThrottled has a disk with a limited rate of requests: every call in line is served.
func TestDiskThrottled(t *testing.T) {
	t.Parallel()
	for _, arch := range badArchs {
		t.Run(arch, func(t *testing.T) {
			disk := `{"driver":"throttle","node-name":"bad","throttle-group":"slow","file":{"driver":"raw","file":{"driver":"file","filename":"` + numbered(t, 256) + `"}}}`
			all := onDisk(t, arch, []string{"-object", "throttle-group,id=slow,x-iops-total=20", "-blockdev", disk},
				"40.read:10:512", "polled.read:3:512", "polled.write:4:512", "waiting.read:4:512")
			if d := all[0]; d.n != 40*512 || d.other == 0 {
				t.Errorf("%+v", d)
			}
			for _, d := range all[1:] {
				if d.n != 512 || d.err != "ok" {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}
