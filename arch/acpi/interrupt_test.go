package acpi

import (
	"encoding/binary"
	"testing"
)

// with returns a machine whose MADT has the given entries.
func with(entries ...[]byte) Memory {
	m := newMachine()
	body := make([]byte, 8)
	for _, e := range entries {
		body = append(body, e...)
	}
	m.rsdp(0xe0010, 0x1000, 0)
	m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
	m.table(0x3000, "APIC", body)
	return m.memory()
}

// ioapic and override are entries of a MADT.
func ioapic(addr, first uint32) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{1, 12, 9, 0}, addr)
	return binary.LittleEndian.AppendUint32(b, first)
}

func override(bus, irq byte, gsi uint32, flags uint16) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{2, 10, bus, irq}, gsi)
	return binary.LittleEndian.AppendUint16(b, flags)
}

func TestIOAPIC(t *testing.T) {
	m := with(madt[8:16], ioapic(0xfec00000, 0), override(0, 9, 9, 15), ioapic(0xfec10000, 24))
	for i, want := range []struct {
		pa    uint64
		first uint32
		ok    bool
	}{{0xfec00000, 0, true}, {0xfec10000, 24, true}, {0, 0, false}} {
		if pa, first, ok := IOAPIC(m, 0xe0010, i); pa != want.pa || first != want.first || ok != want.ok {
			t.Errorf("I/O APIC %d: %#x, from %d, %v", i, pa, first, ok)
		}
	}
	for name, m := range map[string]Memory{
		"no table":          newMachine().memory(),
		"no entry":          with(madt[8:16]),
		"a short entry":     with([]byte{1, 8, 0, 0, 0, 0, 0xc0, 0xfe}),
		"an entry cut off":  with(ioapic(0xfec00000, 0)[:10]),
		"at address 0":      with(ioapic(0, 0)),
		"behind a bad one":  with([]byte{0, 1}, ioapic(0xfec00000, 0)),
		"behind a long one": with([]byte{0, 200}, ioapic(0xfec00000, 0)),
	} {
		if pa, _, ok := IOAPIC(m, FindRSDP(m), 0); ok {
			t.Errorf("%s: an I/O APIC at %#x", name, pa)
		}
	}
}

func TestOverride(t *testing.T) {
	m := with(
		override(0, 0, 2, 0),    // as ISA has it: the edge of a high signal
		override(0, 9, 20, 0xf), // level, low
		override(0, 10, 21, 5),  // edge, high
		override(0, 11, 11, 7),  // edge, low
		override(0, 5, 5, 13),   // level, high
		override(1, 3, 99, 15),  // of another bus
		[]byte{2, 8, 0, 6, 77, 0, 0, 0},
		override(0, 0, 50, 15), // the first one counts
	)
	for _, c := range []struct {
		irq        byte
		gsi        uint32
		level, low bool
	}{
		{0, 2, false, false},
		{9, 20, true, true},
		{10, 21, false, false},
		{11, 11, false, true},
		{5, 5, true, false},
		{3, 3, false, false},
		{4, 4, false, false},
		{6, 6, false, false},
	} {
		gsi, level, low := Override(m, 0xe0010, c.irq)
		if gsi != c.gsi || level != c.level || low != c.low {
			t.Errorf("IRQ %d: %d, level %v, low %v; want %d, %v, %v", c.irq, gsi, level, low, c.gsi, c.level, c.low)
		}
	}
	none := newMachine().memory()
	if gsi, level, low := Override(none, FindRSDP(none), 4); gsi != 4 || level || low {
		t.Errorf("without a table: %d, level %v, low %v", gsi, level, low)
	}
}

// virtio is a device of a DSDT as AML has it: names, then a buffer of descriptors.
func virtio(base, gsi uint32, flags byte) []byte {
	b := []byte("\x5b\x82\x3dVR00\x08_HID\x0dLNRO0005\x00\x08_UID\x00\x08_CRS\x11\x1a\x0a\x17\x86\x09\x00\x01")
	b = binary.LittleEndian.AppendUint32(b, base)
	b = binary.LittleEndian.AppendUint32(b, 0x200)
	b = append(b, 0x89, 6, 0, flags, 1)
	b = binary.LittleEndian.AppendUint32(b, gsi)
	return append(b, 0x79, 0)
}

// described returns a machine with a DSDT of these parts, which the FADT points to
// by the field at off, of 32 or 64 bits.
func described(off int, parts ...[]byte) Memory {
	m := newMachine()
	fadt := make([]byte, 244-36)
	binary.LittleEndian.PutUint32(fadt[off-36:], 0x5000)
	var body []byte
	for _, p := range parts {
		body = append(body, p...)
	}
	m.rsdp(0xe0010, 0x1000, 0)
	m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
	m.table(0x3000, "FACP", fadt)
	m.table(0x5000, "DSDT", body)
	return m.memory()
}

func TestFindVirtio(t *testing.T) {
	const level, edgeLow = 1, 7
	// The tables are not in the order of addresses.
	parts := [][]byte{virtio(0xfeb00800, 28, edgeLow), virtio(0xfeb00600, 27, level), []byte("LNRO0005 and no more")}
	for _, off := range []int{40, 140} {
		m := described(off, parts...)
		for i, want := range []Virtio{{0xfeb00600, 27, true, false}, {0xfeb00800, 28, false, true}} {
			if v, ok := FindVirtio(m, 0xe0010, i); !ok || v != want {
				t.Errorf("device %d: %+v, %v", i, v, ok)
			}
		}
		if v, ok := FindVirtio(m, 0xe0010, 2); ok {
			t.Errorf("a third device: %+v", v)
		}
	}
	cut := virtio(0xfeb00600, 27, level)
	for name, m := range map[string]Memory{
		"no tables":             newMachine().memory(),
		"another device":        described(40, []byte("\x08_HID\x0dPNP0501\x00")),
		"descriptors cut off":   described(40, cut[:len(cut)-3]),
		"two interrupts":        described(40, append([]byte(nil), append(cut[:len(cut)-7], 2, 0, 0, 0, 0, 0, 0, 0, 0)...)),
		"the name at the end":   described(40, []byte("LNRO0005")),
		"the name not finished": described(40, []byte("LNRO00")),
	} {
		if v, ok := FindVirtio(m, FindRSDP(m), 0); ok {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
