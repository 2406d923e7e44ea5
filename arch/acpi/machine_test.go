package acpi

import (
	"encoding/binary"
	"testing"

	"sched9/arch/fdt"
	"sched9/arch/physical"
)

// body is a table's contents behind its header: numbers at offsets that count from the header's beginning.
func body(size int, numbers map[int]uint64) []byte {
	b := make([]byte, size)
	for at, v := range numbers {
		for i := 0; v>>(8*i) != 0 && i < 8; i++ {
			b[at-36+i] = byte(v >> (8 * i))
		}
	}
	return b
}

// gicc, gicd and gicr are entries of the MADT.
func gicc(flags uint32, base, id uint64) []byte {
	b := make([]byte, 80)
	b[0], b[1] = 0xb, 80
	binary.LittleEndian.PutUint32(b[12:], flags)
	binary.LittleEndian.PutUint64(b[32:], base)
	binary.LittleEndian.PutUint64(b[68:], id)
	return b
}

func gicd(base uint64, version byte) []byte {
	b := make([]byte, 24)
	b[0], b[1], b[20] = 0xc, 24, version
	binary.LittleEndian.PutUint64(b[8:], base)
	return b
}

func gicr(base uint64, size uint32) []byte {
	b := make([]byte, 16)
	b[0], b[1] = 0xe, 16
	binary.LittleEndian.PutUint64(b[4:], base)
	binary.LittleEndian.PutUint32(b[12:], size)
	return b
}

// arm is a machine with an Arm's tables and these entries of the MADT.
func arm(entries ...[]byte) *machine {
	m := newMachine()
	m.rsdp(0x100, 0, 0x1000)
	list := make([]byte, 0, 40)
	add := func(at int, sig string, contents []byte) {
		m.table(at, sig, contents)
		list = binary.LittleEndian.AppendUint64(list, uint64(at))
	}
	madt := make([]byte, 8)
	for _, e := range entries {
		madt = append(madt, e...)
	}
	add(0x2000, "APIC", madt)
	add(0x3000, "GTDT", body(60, map[int]uint64{64: 27, 68: 0}))
	add(0x4000, "FACP", body(240, map[int]uint64{129: 3, 140: 0x7000}))
	add(0x5000, "SPCR", body(44, map[int]uint64{36: 3, 44: 0x9000000, 52: 8, 54: 33}))
	add(0x6000, "MCFG", body(24, map[int]uint64{44: 0x40_1000_0000, 55: 0xff}))
	dsdt := append(virtio(0xa000200, 49, 0), virtio(0xa000000, 48, 0)...)
	ports := make([]byte, 26)
	copy(ports, "\x87\x17\x00\x01\x0c\x03")
	binary.LittleEndian.PutUint32(ports[14:], 0xffff)
	binary.LittleEndian.PutUint32(ports[18:], 0x3eff0000)
	m.table(0x7000, "DSDT", append(dsdt, ports...))
	m.table(0x1000, "XSDT", list)
	return m
}

func TestReadMachine(t *testing.T) {
	three := arm(gicc(1, 0, 0), gicc(0, 0, 1), gicc(1, 0, 0x80000102), gicd(0x8000000, 3), gicr(0x80a0000, 0xf60000), gicr(0x4000000000, 0x1000))
	two := arm(gicc(1, 0x8010000, 0), gicc(1, 0x8010000, 1), gicd(0x8000000, 2))
	for name, c := range map[string]struct {
		m       *machine
		version fdt.Controller
		gic     fdt.Range
		cpus    []uint64
	}{
		"version 3":      {three, 3, fdt.Range{Start: 0x80a0000, End: 0x9000000}, []uint64{0, 0x102}},
		"version 2":      {two, 2, fdt.Range{Start: 0x8010000, End: 0x8011000}, []uint64{0, 1}},
		"no distributor": {arm(gicc(1, 0x8010000, 0)), 0, fdt.Range{}, []uint64{0}},
		"no interface":   {arm(gicc(1, 0, 0), gicd(0x8000000, 3)), 0, fdt.Range{}, []uint64{0}},
	} {
		var out fdt.Machine
		mem := c.m.memory()
		mem.Strict = true
		ReadMachine(mem, 0x100, &out)
		if out.Controller != c.version || out.GICC != c.gic || out.NumCPUs != len(c.cpus) {
			t.Errorf("%s: version %d, %#x, %d processors", name, out.Controller, out.GICC, out.NumCPUs)
		}
		for i, id := range c.cpus {
			if out.CPUs[i] != id {
				t.Errorf("%s: processor %d is %#x, want %#x", name, i, out.CPUs[i], id)
			}
		}
		if out.Timer != (fdt.Interrupt{ID: 27}) || !out.PSCI || out.SMC {
			t.Errorf("%s: timer %v, PSCI %v, SMC %v", name, out.Timer, out.PSCI, out.SMC)
		}
		if out.UART.At != 0x9000000 || out.UART.IRQ.ID != 33 || out.ECAM != (fdt.Range{Start: 0x40_1000_0000, End: 0x40_2000_0000}) || out.Ports != (fdt.Range{Start: 0x3eff0000, End: 0x3f000000}) {
			t.Errorf("%s: serial port %+v, PCI %#x, ports %#x", name, out.UART, out.ECAM, out.Ports)
		}
		if out.NumVirtio != 2 || out.Virtio[0].At != 0xa000000 || out.Virtio[0].IRQ.ID != 48 || out.Virtio[1].At != 0xa000200 {
			t.Errorf("%s: %d virtio devices, %+v", name, out.NumVirtio, out.Virtio[:2])
		}
	}
}

// TestReadNothing: tables where no memory is mapped are not read, not even to see whether they are tables.
func TestReadNothing(t *testing.T) {
	m := arm(gicc(1, 0, 0))
	mem := m.memory()
	for _, end := range []uint64{0, 0x100, 0x1000, 0x2000, 0x6000} {
		mem.Strict, mem.Map = true, []physical.Range{{Start: 0, End: end}}
		mem.Base = 0 // what is read outside of the map crashes the test
		if end > 0 {
			mem.Base = m.memory().Base
		}
		var out fdt.Machine
		ReadMachine(mem, 0x100, &out)
		if end <= 0x1000 && (out.NumCPUs != 0 || out.PSCI) {
			t.Errorf("with %#x bytes of memory: %d processors", end, out.NumCPUs)
		}
	}
}
