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

// kexecLinux is what Linux is told on each architecture: on a busy host it would take a PC's clock's interrupt for lost and give up, or mistrust its counter.
var kexecLinux = map[string]string{
	"amd64": "console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off tsc=reliable clocksource=tsc no_timer_check",
	"arm64": "console=ttyAMA0 quiet loglevel=3 panic=-1 mitigations=off",
}

// kexecInitrd makes files for Linux on arch: a program that starts an image of testdata/via, and that image in the given format.
func kexecInitrd(t *testing.T, arch, format string) string {
	t.Helper()
	dir := t.TempDir()
	src, _, err := image.Find([]string{"../internal/kexec"})
	if err != nil {
		t.Fatal(err)
	}
	exe, err := peer.Program(t.Context(), src, arch, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := peer.Archive(exe, nil)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "image")
	if _, stderr, status := sched9(t, "build", "-arch", arch, "-format", format, "-o", name, "./testdata/via"); status != 0 {
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
	return initrd
}

// TestKexec: Debian's Linux starts the image by kexec, with u-root's loaders, on a PC by a BIOS and by UEFI, and on arm64. It finds all processors and its arguments,
// each time: what Linux has left pending and connected does no harm.
func TestKexec(t *testing.T) {
	pc := []string{"qemu-system-x86_64", "-cpu", "max", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"}
	arm := []string{"qemu-system-aarch64", "-cpu", "cortex-a57", "-semihosting-config", "enable=on,target=gdb"}
	for _, m := range []struct {
		name, arch, format string
		command            []string
	}{
		{"pc", "amd64", "multiboot", append(pc[:len(pc):len(pc)], "-machine", "pc")},
		{"q35", "amd64", "multiboot", append(pc[:len(pc):len(pc)], "-machine", "q35")},
		{"q35, UEFI", "amd64", "multiboot", append(pc[:len(pc):len(pc)], "-machine", "q35", "-bios", "/usr/share/ovmf/OVMF.fd")},
		{"arm64", "arm64", "linux", append(arm, "-machine", "virt")},
	} {
		t.Run(m.name, func(t *testing.T) {
			kernel, version, err := peer.Kernel(t.Context(), m.arch, func(s string) { t.Log(s) })
			if err != nil {
				t.Fatal(err)
			}
			initrd := kexecInitrd(t, m.arch, m.format)
			for n := range *kexecBoots {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				out, err := exec.CommandContext(ctx, m.command[0], append([]string{"-nodefaults", "-display", "none", "-no-reboot", "-accel", "tcg",
					"-smp", "4", "-m", "1G", "-serial", "stdio", "-kernel", kernel, "-initrd", initrd, "-append", kexecLinux[m.arch]}, m.command[1:]...)...).CombinedOutput()
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
