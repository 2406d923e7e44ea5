package qemu

import (
	"fmt"
	"slices"
	"strings"
)

// platform is how guests of an architecture run.
type platform struct {
	program  string   // QEMU's
	packages string   // the packages to install for it
	machines []string // QEMU's machine types that args can build, the usual one first
	cpu      string   // the default under TCG: without a source of randomness, so that instruction counts repeat
}

// platforms are those of all architectures.
var platforms = map[string]platform{
	"amd64": {
		program:  "qemu-system-x86_64",
		packages: "qemu-system-x86 (Debian, Ubuntu, Fedora) or qemu (Arch, Alpine's qemu-system-x86_64, Homebrew)",
		machines: []string{"q35", "pc", "microvm"},
		cpu:      "max,-rdrand,-rdseed",
	},
	"arm64": {
		program:  "qemu-system-aarch64",
		packages: "qemu-system-arm (Debian, Ubuntu), qemu-system-aarch64 (Fedora, Arch, Alpine) or qemu (Homebrew)",
		machines: []string{"virt", raspberry},
		cpu:      "cortex-a57",
	},
}

// Architectures are those that a guest can have.
func Architectures() []string { return []string{"amd64", "arm64"} }

// Machines are the machine types for guests of an architecture, the usual one first;
// none if the architecture is not supported. Some take properties, as QEMU writes
// them: "virt,gic-version=2", "virt,virtualization=on" or "q35,firmware=seabios".
func Machines(arch string) []string { return slices.Clone(platforms[arch].machines) }

// MemoryBase is the guest-physical address of the first byte of memory of a machine of the type.
func MemoryBase(machine string) uint64 {
	if strings.HasPrefix(machine, "virt") {
		return 1 << 30
	}
	return 0
}

// Fixed returns how many vCPUs and how much memory a machine of the type has, if that cannot be chosen, else 0 and "".
// Such a machine is a board: it has the devices that the board has, and no others.
func Fixed(machine string) (smp int, mem string) {
	if machine == raspberry {
		return 4, "1G"
	}
	return 0, ""
}

// properties are those of a machine type that change what the guest finds.
var properties = map[string][]string{
	"virt": {"gic-version=2", "gic-version=3", "virtualization=on", "virtualization=off", "acpi=on", "acpi=off"},
	"q35":  {firmwareQboot, firmwareSea},
	"pc":   {firmwareQboot, firmwareSea},
}

// maxGIC2 is how many processors the interrupt controller's version 2 serves.
const maxGIC2 = 8

// CheckMachine says what is wrong with a machine type, with its properties, for a guest of the
// architecture with smp vCPUs.
func CheckMachine(arch, machine string, smp int) error {
	p, ok := platforms[arch]
	if !ok {
		return fmt.Errorf("architecture %q is not supported, %s are", arch, strings.Join(Architectures(), " and "))
	}
	words := strings.Split(machine, ",")
	if !slices.Contains(p.machines, words[0]) {
		return fmt.Errorf("machine %q is not one of %s", machine, strings.Join(p.machines, ", "))
	}
	if n, _ := Fixed(machine); n != 0 && smp != n {
		return fmt.Errorf("a %s has %d vCPUs, not %d", machine, n, smp)
	}
	for _, w := range words[1:] {
		all := properties[words[0]]
		if len(all) == 0 {
			return fmt.Errorf("machine %q: a %s has no properties", machine, words[0])
		}
		if !slices.Contains(all, w) {
			return fmt.Errorf("machine %q: %q is not one of %s", machine, w, strings.Join(all, ", "))
		}
		if w == "gic-version=2" && smp > maxGIC2 {
			return fmt.Errorf("machine %q has at most %d vCPUs, not %d", machine, maxGIC2, smp)
		}
	}
	return nil
}
