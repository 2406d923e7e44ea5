package fdt

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"os"

	"sched9/qemu"
)

// TestRaspberry reads the tree of a Raspberry Pi 3, after QEMU has added to it: of another kind of interrupt controller, with processors that spin.
func TestRaspberry(t *testing.T) {
	tree, err := qemu.DeviceTree("raspi3b")
	if err != nil {
		t.Fatal(err)
	}
	given, file := filepath.Join(t.TempDir(), "given"), filepath.Join(t.TempDir(), "tree")
	if err := os.WriteFile(given, tree, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "timeout", "60", "qemu-system-aarch64", "-machine", "raspi3b,dumpdtb="+file, "-display", "none",
		"-kernel", os.DevNull, "-dtb", given, "-append", "a=b").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := read(data)
	if !ok || !slices.Equal(m.RAM.All(), []Range{{0x1000, 0x3c000000}}) || m.Cmdline == 0 {
		t.Errorf("memory %#x, %v, command line %#x", m.RAM.All(), ok, m.Cmdline)
	}
	if !slices.Equal(m.CPUs[:m.NumCPUs], []uint64{0, 1, 2, 3}) || !slices.Equal(m.Release[:5], []uint64{0xd8, 0xe0, 0xe8, 0xf0, 0}) || m.PSCI {
		t.Errorf("processors %v, which look at %#x, PSCI %v", m.CPUs[:m.NumCPUs], m.Release[:5], m.PSCI)
	}
	if m.Controller != BCM2836 || m.GICD != 0x40000000 || m.GICC != (Range{0x3f00b200, 0x3f00b400}) || m.Timer != (Interrupt{ID: VirtualTimer}) {
		t.Errorf("controller %d at %#x and %#x, timer %v", m.Controller, m.GICD, m.GICC, m.Timer)
	}
	pl011, mini := Device{0x3f201000, 0x200, Interrupt{ID: 32 + 2*32 + 25}}, Device{0x3f215040, 0x40, Interrupt{ID: 32 + 32 + 29}}
	if m.UART != pl011 || m.MiniUART != mini || m.Mini || m.Watchdog.At != 0x3f100000 {
		t.Errorf("serial ports %v and %v, the second is the console: %v; watchdog %#x", m.UART, m.MiniUART, m.Mini, m.Watchdog.At)
	}
}
