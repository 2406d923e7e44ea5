// Package doctor looks at the machine it runs on: what sched9 needs, what is
// missing, and the command that mends it.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"sched9/boot"
	"sched9/qemu"
	"sched9/tools/internal/toolchain"
)

// freeMiB is the memory that a guest of the default size, the compiler and
// QEMU want together.
const freeMiB = 1024

// kvmLimit bounds the run of the KVM probe.
const kvmLimit = 10 * time.Second

// Finding is the answer to one question about the machine.
type Finding struct {
	What   string // what was looked for
	OK     bool
	Needed bool   // sched9 does not work without it
	Answer string // what was found
	Mend   string // what to type if it is not OK, or ""
}

// Examine answers all questions, in a fixed order. dir is where the program is
// that would be built.
func Examine(ctx context.Context, dir, arch string) []Finding {
	e := emulator(arch)
	k := Finding{What: "KVM", Answer: "not known without QEMU"}
	switch {
	case arch != "amd64":
		k.Answer = "not used for " + arch
	case e.OK:
		k = kvm(ctx, arch)
	}
	return []Finding{e, compiler(ctx, dir), k, memory()}
}

// emulator looks for QEMU.
func emulator(arch string) Finding {
	f := Finding{What: "QEMU", Needed: true}
	path, version, err := qemu.Find(arch)
	if err != nil {
		f.Answer, f.Mend = err.Error(), install(arch)
		return f
	}
	f.OK, f.Answer = true, fmt.Sprintf("%s (%s)", version, path)
	return f
}

// install is the command that installs the QEMU for arch with the package manager of
// this machine.
func install(arch string) string {
	sudo := ""
	if _, err := exec.LookPath("sudo"); err == nil && os.Geteuid() != 0 {
		sudo = "sudo "
	}
	if arch == "arm64" {
		for _, m := range []struct{ program, command string }{
			{"apt-get", sudo + "apt-get install -y qemu-system-arm"},
			{"dnf", sudo + "dnf install -y qemu-system-aarch64"},
			{"pacman", sudo + "pacman -S qemu-system-aarch64"},
			{"apk", sudo + "apk add qemu-system-aarch64"},
			{"zypper", sudo + "zypper install qemu-arm"},
			{"brew", "brew install qemu"},
		} {
			if _, err := exec.LookPath(m.program); err == nil {
				return m.command
			}
		}
	}
	for _, m := range []struct{ program, command string }{
		{"apt-get", sudo + "apt-get install -y qemu-system-x86"},
		{"dnf", sudo + "dnf install -y qemu-system-x86"},
		{"pacman", sudo + "pacman -S qemu-system-x86"},
		{"apk", sudo + "apk add qemu-system-x86_64"},
		{"zypper", sudo + "zypper install qemu-x86"},
		{"brew", "brew install qemu"},
	} {
		if _, err := exec.LookPath(m.program); err == nil {
			return m.command
		}
	}
	return "see https://www.qemu.org/download"
}

// compiler looks for a Go toolchain. One in the module cache is not copied for
// the question's sake.
func compiler(ctx context.Context, dir string) Finding {
	f := Finding{What: "Go", Needed: true}
	version, root, err := toolchain.Version(ctx, dir)
	if err != nil {
		f.Answer, f.Mend = err.Error(), "see https://go.dev/dl, or: export GOTOOLCHAIN=go1.26.0+auto"
		return f
	}
	f.OK, f.Answer = true, fmt.Sprintf("%s (%s)", strings.TrimPrefix(version, "go"), root)
	return f
}

// kvm boots the KVM probe.
func kvm(ctx context.Context, arch string) Finding {
	f := Finding{What: "KVM"}
	if err := probe(ctx, arch); err != nil {
		f.Answer = fmt.Sprintf("%v; the slower accelerator tcg is used", err)
		return f
	}
	f.OK, f.Answer = true, "an ordinary 64-bit guest runs"
	return f
}

// probe boots the probe with accelerator "kvm", which the library tries out by
// the same image first. The error says why KVM is not used.
func probe(ctx context.Context, arch string) error {
	file, err := os.CreateTemp("", qemu.Scratch("probe"))
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(boot.Probe())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	vm, err := qemu.Start(ctx, qemu.Config{
		Arch: arch, SMP: 1, Mem: "128M", Accel: "kvm", Kernel: file.Name(), Timeout: kvmLimit,
		Probe: boot.Probe(), ProbeStatus: 2*boot.ProbeStatus + 1,
	})
	if err != nil {
		return err
	}
	if res := vm.Wait(); res.Reason != qemu.Exited {
		return res.Err
	}
	return nil
}

// memory looks for free memory, where the host tells it.
func memory() Finding {
	f := Finding{What: "memory", Needed: true}
	text, err := os.ReadFile("/proc/meminfo")
	mib, ok := available(string(text))
	switch {
	case err != nil || !ok:
		f.OK, f.Answer = true, "this system does not tell how much is free"
	case mib < freeMiB:
		f.Answer, f.Mend = fmt.Sprintf("%d MiB available, %d MiB are wanted", mib, freeMiB), "end other programs, or run with a smaller -mem"
	default:
		f.OK, f.Answer = true, fmt.Sprintf("%d MiB available", mib)
	}
	return f
}

// available reads MemAvailable out of /proc/meminfo, in MiB.
func available(meminfo string) (mib int, ok bool) {
	for line := range strings.Lines(meminfo) {
		words := strings.Fields(line)
		if len(words) == 3 && words[0] == "MemAvailable:" {
			kib, err := strconv.Atoi(words[1])
			return kib >> 10, err == nil
		}
	}
	return 0, false
}
