package qemu

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// File descriptors that QEMU inherits, in the order of exec.Cmd.ExtraFiles.
const (
	fdMonitor = 3 + iota // listening socket of the monitor
	fdStdout             // first serial port
	fdStderr             // Config.Stderr
	fdReport             // Config.Report
	fdMemory             // guest's memory, if it is ours
)

// args builds QEMU's command line for c, which withDefaults has filled in, on
// accelerator accel ("tcg" or "kvm"). It is a pure function of its arguments.
//
// Nothing that the guest does not use is there (-nodefaults, no user
// configuration): the same Config is the same machine on every host.
func args(c Config, accel string) []string {
	machine, memory := machineArg(c.Machine), []string(nil)
	if c.Memory != nil {
		object, opt := c.Memory.args(fdMemory)
		machine += opt
		memory = []string{"-object", object}
	}
	a := []string{
		"-no-user-config", "-nodefaults", "-display", "none",
		"-no-reboot", // a triple fault ends QEMU instead of booting again
		"-S",         // wait for the monitor
		"-machine", machine,
		"-accel", accelArg(accel, c.ICount),
		"-cpu", cpuArg(c.Arch, c.CPU, accel),
		"-smp", strconv.Itoa(c.SMP),
		"-m", c.Mem,
	}
	a = append(a, memory...)
	if c.ICount {
		// Without base and seed the clock and the boot data differ per run.
		a = append(a, "-icount", "shift=0,sleep=off",
			"-rtc", "base=2020-01-01,clock=vm", "-seed", "1")
	}
	a = append(a,
		"-chardev", fmt.Sprintf("socket,id=monitor,fd=%d,server=on,wait=off", fdMonitor),
		"-mon", "chardev=monitor,mode=control",
	)
	var stderr, report, ends []string // the guest's other channels, and how it ends
	if c.Arch == "arm64" {
		// One card for both. The guest ends QEMU by semihosting; its other calls would
		// go to a debugger, which there is not, and not to this host.
		report = []string{"-device", "pci-serial-2x,chardev1=stderr,chardev2=report"}
		ends = []string{"-semihosting-config", "enable=on,target=gdb"}
	} else {
		stderr = []string{"-device", "isa-debugcon,iobase=0xe9,readback=0xe9,chardev=stderr"}
		report = []string{"-device", "isa-debugcon,iobase=0xea,readback=0xea,chardev=report"}
		ends = []string{"-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-device", "pvpanic"}
	}
	for _, ch := range []struct {
		name string
		fd   int
		args []string
	}{
		{"stdout", fdStdout, []string{"-serial", "chardev:stdout"}}, // or stdinArgs
		{"stderr", fdStderr, stderr},
		{"report", fdReport, report},
	} {
		if ch.fd == fdStdout && c.Input != nil {
			a = append(a, stdinArgs...)
			continue
		}
		// A file of set N is an inherited descriptor that QEMU opens by name.
		// Without append QEMU would truncate it, which a pipe refuses.
		a = append(a, "-add-fd", fmt.Sprintf("set=%d,fd=%d", ch.fd, ch.fd),
			"-chardev", fmt.Sprintf("file,id=%s,path=/dev/fdset/%d,append=on", ch.name, ch.fd))
		a = append(a, ch.args...)
	}
	for i, d := range c.Disks {
		a = append(a, d.args(c.Machine, i)...)
	}
	a = append(a, ends...)
	a = append(a, "-kernel", c.Kernel)
	if c.Append != "" {
		a = append(a, "-append", c.Append)
	}
	return append(a, c.Extra...)
}

// stdinArgs have the first serial port on QEMU's own standard input and output: QEMU 7.2 knows no
// other pair of pipes that it could inherit. Nothing else of QEMU's goes there.
var stdinArgs = []string{"-chardev", "stdio,id=stdout,signal=off", "-serial", "chardev:stdout"}

// args are QEMU's arguments for d, which is disk i. The block layer is described in
// JSON, so a file may have any name. Where the devices are on PCI, QEMU gives
// out addresses in the order of arguments; microvm's places have numbers. The first
// three are left alone: QEMU (7.2) has pin 0 of every I/O APIC come in at pin 2, as
// is right for the first one's timer alone.
func (d Disk) args(machine string, i int) []string {
	type file struct {
		Driver   string `json:"driver"`
		Filename string `json:"filename"`
	}
	node := fmt.Sprintf("disk%d", i)
	block, err := json.Marshal(struct {
		Driver   string `json:"driver"`
		Name     string `json:"node-name"`
		ReadOnly bool   `json:"read-only"`
		File     file   `json:"file"`
	}{"raw", node, !d.Write, file{"file", d.Path}})
	if err != nil {
		panic(err) // strings and a bool
	}
	first := 0
	switch {
	case machine == "microvm":
		first = 3
	case strings.HasPrefix(machine, "virt"):
	default:
		return []string{"-blockdev", string(block), "-device", "virtio-blk-pci,drive=" + node}
	}
	a := []string{"-blockdev", string(block),
		"-device", fmt.Sprintf("virtio-blk-device,drive=%s,bus=virtio-mmio-bus.%d", node, first+i)}
	if i == 0 {
		// QEMU takes the form of before virtio 1.0 for the default.
		a = append(a, "-global", "virtio-mmio.force-legacy=false")
	}
	return a
}

// machineArg is -machine's value. microvm is told to have the devices of a PC
// that the guest uses, and to leave the guest's command line alone. A virt has the
// interrupt controller that serves any number of processors, if it is not told
// otherwise.
func machineArg(machine string) string {
	switch {
	case strings.HasPrefix(machine, "virt") && !strings.Contains(machine, "gic-version="):
		return machine + ",gic-version=3"
	case machine == "microvm":
		return "microvm,isa-serial=on,rtc=on,pit=on,pic=on,auto-kernel-cmdline=off"
	}
	return machine
}

// accelArg is -accel's value. Instruction counting needs the single-threaded
// TCG, which takes turns among the vCPUs.
func accelArg(accel string, icount bool) string {
	switch {
	case accel == "kvm":
		return "kvm"
	case icount:
		return "tcg,thread=single"
	default:
		return "tcg,thread=multi"
	}
}

// cpuArg is -cpu's value.
func cpuArg(arch, cpu, accel string) string {
	switch {
	case cpu != "":
		return cpu
	case accel == "kvm":
		return "host"
	default:
		return platforms[arch].cpu
	}
}
