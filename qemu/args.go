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
	fdStdout             // Config.Stdout
	fdStderr             // Config.Stderr
	fdReport             // Config.Report
	fdSignals            // signals for the guest
	fdMemory             // guest's memory, if it is ours
	fdWire               // the guest's wire, if it has one; one less without fdMemory
)

// args builds QEMU's command line for c, which withDefaults has filled in, on
// accelerator accel ("tcg" or "kvm"). It is a pure function of its arguments.
//
// Nothing that the guest does not use is there (-nodefaults, no user
// configuration): the same Config is the same machine on every host.
func args(c Config, accel string) []string {
	machine, memory := machineArg(c.Machine), []string(nil)
	if c.Arch == "arm64" && c.UEFI && !strings.Contains(machine, ",acpi=") {
		machine += ",acpi=off" // then firmware passes the device tree, which describes more than ACPI's tables without their code
	}
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
	}
	_, board := Fixed(c.Machine)
	if board == "" {
		a = append(a, "-cpu", cpuArg(c.Arch, c.CPU, accel))
	}
	a = append(a, "-smp", strconv.Itoa(c.SMP), "-m", c.Mem)
	a = append(a, memory...)
	if c.firmware != "" {
		a = append(a, "-bios", c.firmware)
	}
	if c.ICount {
		// Without base and seed the clock and the boot data differ per run.
		a = append(a, "-icount", "shift=0,sleep=off",
			"-rtc", "base=2020-01-01,clock=vm", "-seed", "1")
	}
	a = append(a,
		"-chardev", fmt.Sprintf("socket,id=monitor,fd=%d,server=on,wait=off", fdMonitor),
		"-mon", "chardev=monitor,mode=control",
	)
	a = append(a, channels(c)...)
	for i, d := range c.Disks {
		a = append(a, d.args(c.Machine, i)...)
	}
	if c.Root != nil {
		a = append(a, c.Root.args(c.Machine)...)
	}
	if c.Net != nil {
		a = append(a, c.Net.args(c.Machine)...)
	}
	if c.Random && board == "" {
		a = append(a, randomArgs(c.Machine)...)
	}
	if c.Arch == "arm64" {
		// The guest ends QEMU by semihosting; its other calls would go to a debugger, which there
		// is not, and not to this host.
		a = append(a, "-semihosting-config", "enable=on,target=gdb")
	} else {
		a = append(a, "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-device", "pvpanic")
	}
	disc := "format=raw,readonly=on,file=" + strings.ReplaceAll(c.Disc, ",", ",,")
	switch {
	case c.Stick:
		a = append(a, "-drive", "if=none,id=stick,"+disc, "-device", "qemu-xhci,id=usb", "-device", "usb-storage,bus=usb.0,drive=stick,bootindex=0")
	case c.Disc != "":
		a = append(a, "-drive", "if=ide,media=cdrom,"+disc, "-boot", "d")
	default:
		a = append(a, "-kernel", c.Kernel)
	}
	if mmioBus(c.Machine, 0) != "" {
		// QEMU takes the form of before virtio 1.0 for the default.
		a = append(a, "-global", "virtio-mmio.force-legacy=false")
	}
	if c.GDB != "" {
		a = append(a, "-gdb", "tcp:"+c.GDB)
	}
	if c.Tree != "" {
		a = append(a, "-dtb", c.Tree)
	}
	if c.Append != "" {
		a = append(a, "-append", c.Append)
	}
	if c.Module != "" {
		a = append(a, "-initrd", c.Module)
	}
	return append(a, c.Extra...)
}

// channels are the arguments for the guest's channels.
//
// Standard output and error each have two devices. One exists from the first moment on: a serial
// port, a debug console. The other, without c.Serial, is a port of a virtio console device. It takes
// blocks; when its pipe is full it keeps the rest and makes the guest wait: a virtserialport does.
// (A virtconsole, the other kind of port, drops the rest.) Both write to the same pipe, so the
// guest's output comes in order, whichever it uses. With c.Merged all four write to one.
func channels(c Config) (a []string) {
	stderr := fdStderr
	if c.Merged {
		stderr = fdStdout
	}
	for _, fd := range []int{fdStdout, fdStderr, fdReport} {
		a = append(a, "-add-fd", fmt.Sprintf("set=%d,fd=%d", fd, fd))
	}
	// A file of set N is an inherited descriptor that QEMU opens by name, as often as it likes.
	// Without append QEMU would truncate it, which a pipe refuses.
	file := func(id string, fd int) {
		a = append(a, "-chardev", fmt.Sprintf("file,id=%s,path=/dev/fdset/%d,append=on", id, fd))
	}
	// A channel with c.Input is on QEMU's own standard input and output: QEMU 7.2 has no other pair
	// of pipes that it could inherit. QEMU writes nothing else there.
	both := func(id string, fd int) {
		if c.Input == nil {
			file(id, fd)
			return
		}
		a = append(a, "-chardev", "stdio,id="+id+",signal=off")
	}
	_, board := Fixed(c.Machine)
	if c.Serial || board != "" {
		both("stdout", fdStdout)
	} else {
		file("stdout", fdStdout)
	}
	file("stderr", stderr)
	file("report", fdReport)
	a = append(a, "-serial", "chardev:stdout")
	if board != "" {
		return append(a, "-serial", "chardev:report") // these two are all there is
	}
	if c.Arch == "arm64" {
		a = append(a, "-device", "pci-serial-2x,chardev1=stderr,chardev2=report") // one card for both
	} else {
		a = append(a, "-device", "isa-debugcon,iobase=0xe9,readback=0xe9,chardev=stderr",
			"-device", "isa-debugcon,iobase=0xea,readback=0xea,chardev=report")
	}
	if c.Serial {
		return a
	}
	ports := 4
	if c.Wire {
		ports++
	}
	if bus := mmioBus(c.Machine, placeConsole); bus != "" {
		a = append(a, "-device", fmt.Sprintf("virtio-serial-device,id=ports,max_ports=%d,%s", ports, bus))
	} else {
		// Without ioeventfd QEMU has carried a notice out when it returns.
		a = append(a, "-device", fmt.Sprintf("virtio-serial-pci,id=ports,max_ports=%d,ioeventfd=off", ports))
	}
	both("console", fdStdout)
	a = append(a, "-device", "virtserialport,bus=ports.0,nr=1,name=sched9.console,chardev=console")
	if !c.Merged {
		file("errors", fdStderr)
		a = append(a, "-device", "virtserialport,bus=ports.0,nr=2,name=sched9.errors,chardev=errors")
	}
	a = append(a, "-chardev", fmt.Sprintf("socket,id=signals,fd=%d", fdSignals),
		"-device", "virtserialport,bus=ports.0,nr=3,name=sched9.signals,chardev=signals")
	if !c.Wire {
		return a
	}
	fd := fdWire
	if c.Memory == nil {
		fd--
	}
	return append(a, "-chardev", fmt.Sprintf("socket,id=wire,fd=%d", fd),
		"-device", "virtserialport,bus=ports.0,nr=4,name=sched9.wire,chardev=wire")
}

// Places of virtio devices on machines where they have numbers, behind those of disks.
const (
	placeDisk    = 0
	placeConsole = placeDisk + MaxDisks
	placeRandom  = placeConsole + 1
	placeNet     = placeRandom + 1
	placeRoot    = placeNet + 1
)

// mmioBus is the property of a virtio device that says where it is, on a machine that has
// places for them; "" if they are on PCI, where QEMU gives out addresses in the order of arguments.
//
// The first three places of microvm are left alone: QEMU (7.2) has pin 0 of every I/O APIC come
// in at pin 2, as is right for the first one's timer alone.
func mmioBus(machine string, place int) string {
	switch {
	case machine == "microvm":
		return fmt.Sprintf("bus=virtio-mmio-bus.%d", 3+place)
	case strings.HasPrefix(machine, "virt"):
		return fmt.Sprintf("bus=virtio-mmio-bus.%d", place)
	}
	return ""
}

// args are QEMU's arguments for d, which is disk i. The block layer is described in
// JSON, so a file may have any name.
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
	device := "virtio-blk-pci"
	bus := mmioBus(machine, placeDisk+i)
	if bus != "" {
		device, bus = "virtio-blk-device", ","+bus
	}
	return []string{"-blockdev", string(block), "-device", device + ",drive=" + node + bus}
}

// args are QEMU's arguments for f. QEMU follows no symbolic link in it: the guest does, in its own tree. Files have the owner that QEMU runs as.
func (f Folder) args(machine string) []string {
	folder := "local,id=root,security_model=none,multidevs=remap,path=" + strings.ReplaceAll(f.Path, ",", ",,")
	if !f.Write {
		folder += ",readonly=on"
	}
	device, bus := "virtio-9p-pci", mmioBus(machine, placeRoot)
	if bus != "" {
		device, bus = "virtio-9p-device", ","+bus
	}
	return []string{"-fsdev", folder, "-device", device + ",fsdev=root,mount_tag=root" + bus}
}

// randomArgs are QEMU's arguments for a device of random bytes.
func randomArgs(machine string) []string {
	device, bus := "virtio-rng-pci", mmioBus(machine, placeRandom)
	if bus != "" {
		device, bus = "virtio-rng-device", ","+bus
	}
	return []string{"-object", "rng-builtin,id=random", "-device", device + ",rng=random" + bus}
}

// machineArg is -machine's value. microvm is told to have the devices of a PC
// that the guest uses, and to leave the guest's command line alone. A virt has the
// interrupt controller that serves any number of processors, if it is not told
// otherwise. Firmware is an argument of its own.
func machineArg(machine string) string {
	name, properties, _ := strings.Cut(machine, ",")
	switch {
	case strings.HasPrefix(properties, "firmware="):
		return name
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
