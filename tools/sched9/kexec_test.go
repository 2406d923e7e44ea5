//go:build full

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/u-root/u-root/pkg/cpio"

	"sched9/tools/internal/image"
	"sched9/tools/internal/peer"
)

var kexecBoots = flag.Int("kexec.boots", 10, "how often TestKexec boots each machine")

// kexecLinux is what Linux is told: on a busy host it would take the clock's interrupt for lost and give up, or mistrust its counter.
const kexecLinux = "console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off tsc=reliable clocksource=tsc no_timer_check"

// TestKexec: Debian's Linux starts the image by kexec, with u-root's loader, on a PC by a BIOS and by UEFI. It finds all processors and its arguments,
// each time: what Linux has left pending and connected does no harm.
func TestKexec(t *testing.T) {
	dir := t.TempDir()
	kernel, version, err := peer.Kernel(t.Context(), "amd64", func(s string) { t.Log(s) })
	if err != nil {
		t.Fatal(err)
	}
	src, _, err := image.Find([]string{"../internal/kexec"})
	if err != nil {
		t.Fatal(err)
	}
	exe, err := peer.Program(t.Context(), src, "amd64", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := peer.Archive(exe, nil)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "image")
	if _, stderr, status := sched9(t, "build", "-format", "multiboot", "-o", name, "./testdata/via"); status != 0 {
		t.Fatal(stderr)
	}
	img, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var more bytes.Buffer // a second archive: Linux reads one after another
	w := cpio.Newc.Writer(&more)
	err = cpio.WriteRecords(w, []cpio.Record{
		cpio.Directory("proc", 0o755), cpio.Directory("sys", 0o755),
		cpio.StaticFile("image", string(img), 0o644), cpio.StaticFile("line", "GREETING=hi -- via one two", 0o644),
	})
	initrd := filepath.Join(dir, "initrd")
	if err = errors.Join(err, cpio.WriteTrailer(w), os.WriteFile(initrd, append(archive, more.Bytes()...), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		name  string
		flags []string
	}{
		{"pc", []string{"-machine", "pc"}},
		{"q35", []string{"-machine", "q35"}},
		{"q35, UEFI", []string{"-machine", "q35", "-bios", "/usr/share/ovmf/OVMF.fd"}},
	} {
		t.Run(m.name, func(t *testing.T) {
			for n := range *kexecBoots {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				out, err := exec.CommandContext(ctx, "qemu-system-x86_64", append([]string{"-nodefaults", "-display", "none", "-no-reboot", "-accel", "tcg", "-cpu", "max",
					"-smp", "4", "-m", "1G", "-serial", "stdio", "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", kernel, "-initrd", initrd,
					"-append", kexecLinux}, m.flags...)...).CombinedOutput()
				cancel()
				const want = `via: 4 processors, ["one" "two"], "hi", ""`
				var status *exec.ExitError
				if !errors.As(err, &status) || status.ExitCode() != 101 || !strings.Contains(string(out), want) { // not clean: it exits with 7
					t.Fatalf("boot %d of Linux %s: %v, want 101 and %s\n%s", n+1, version, err, want, out)
				}
			}
			fmt.Printf("kexec: %s: %d of %d\n", m.name, *kexecBoots, *kexecBoots)
		})
	}
}
