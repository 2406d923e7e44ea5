package qemu

import (
	"bytes"

	"github.com/u-root/u-root/pkg/dt"
)

// raspberry is the machine type of a Raspberry Pi 3, model B.
const raspberry = "raspi3b"

// DeviceTree returns the device tree of a machine of the type, if QEMU has none; else nil. It says what the one that Linux has for the board
// says (bcm2837-rpi-3-b.dts), as far as there is something of the kind in QEMU that sched9 drives, but for the console: that is the PL011,
// and the mini UART is free for the report. QEMU adds memory, command line and files.
func DeviceTree(machine string) ([]byte, error) {
	if machine != raspberry {
		return nil, nil
	}
	const devices, local = 1, 2 // the two interrupt controllers
	list := func(name string, all ...string) dt.Property {
		p := dt.Property{Name: name}
		for _, s := range all {
			p.Value = append(append(p.Value, s...), 0)
		}
		return p
	}
	words := func(name string, v ...uint32) dt.Property { return dt.PropertyU32Array(name, v) }
	node := func(name string, p ...dt.Property) *dt.Node { return dt.NewNode(name, dt.WithProperty(p...)) }
	cells := func(address, size uint32) []dt.Property {
		return []dt.Property{words("#address-cells", address), words("#size-cells", size)}
	}
	controller := func(name string, handle uint32, p ...dt.Property) *dt.Node {
		return node(name, append(p, dt.Property{Name: "interrupt-controller"}, words("#interrupt-cells", 2), words("phandle", handle))...)
	}
	cpus := node("cpus", cells(1, 0)...)
	for i := range uint32(4) {
		// Where QEMU's stand-in for the firmware has a processor look for its first instruction.
		at := uint64(0xd8 + 8*i)
		cpus.Children = append(cpus.Children, node("cpu@"+string(rune('0'+i)), list("device_type", "cpu"), list("compatible", "arm,cortex-a53"),
			words("reg", i), list("enable-method", "spin-table"), dt.PropertyU64("cpu-release-addr", at)))
	}
	soc := node("soc", append(cells(1, 1), list("compatible", "simple-bus"),
		words("ranges", 0x7e000000, 0x3f000000, 0x1000000, 0x40000000, 0x40000000, 0x1000))...)
	soc.Children = []*dt.Node{
		controller("interrupt-controller@7e00b200", devices, list("compatible", "brcm,bcm2836-armctrl-ic"), words("reg", 0x7e00b200, 0x200),
			words("interrupt-parent", local), words("interrupts", 8, 4)),
		controller("local_intc@40000000", local, list("compatible", "brcm,bcm2836-l1-intc"), words("reg", 0x40000000, 0x100)),
		node("watchdog@7e100000", list("compatible", "brcm,bcm2835-pm", "brcm,bcm2835-pm-wdt"), words("reg", 0x7e100000, 0x114)),
		node("serial@7e201000", list("compatible", "arm,pl011", "arm,primecell"), words("reg", 0x7e201000, 0x200), words("interrupts", 2, 25)),
		node("serial@7e215040", list("compatible", "brcm,bcm2835-aux-uart"), words("reg", 0x7e215040, 0x40), words("interrupts", 1, 29)),
	}
	root := node("", append(cells(1, 1), list("compatible", "raspberrypi,3-model-b", "brcm,bcm2837"),
		words("interrupt-parent", devices))...)
	root.Children = []*dt.Node{
		node("aliases", list("serial0", "/soc/serial@7e201000"), list("serial1", "/soc/serial@7e215040")),
		node("chosen", list("stdout-path", "serial0:115200n8")),
		node("memory@0", list("device_type", "memory"), words("reg", 0, 0)), // QEMU says how much
		node("timer", list("compatible", "arm,armv7-timer"), words("interrupt-parent", local), words("interrupts", 0, 4, 1, 4, 3, 4, 2, 4)),
		cpus, soc,
	}
	tree := dt.FDT{
		Header:         dt.Header{Magic: dt.Magic, Version: 17, LastCompVersion: 16},
		ReserveEntries: []dt.ReserveEntry{{Address: 0, Size: 0x1000}}, // where the processors look
		RootNode:       root,
	}
	var b bytes.Buffer
	if _, err := tree.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
