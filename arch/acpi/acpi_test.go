package acpi

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"

	"sched9/arch/fdt"
	"sched9/arch/physical"
)

// machine is physical memory with tables in it.
type machine struct{ b []byte }

// kept keeps the machines: a Memory has but the address of one.
var kept []*machine

func newMachine() *machine {
	m := &machine{make([]byte, 0x110000)}
	kept = append(kept, m)
	return m
}

func (m *machine) memory() Memory {
	n := uint64(len(m.b))
	return Memory{&physical.Memory{Base: uintptr(unsafe.Pointer(&m.b[0])), Limit: n, Map: []physical.Range{{Start: 0, End: n}}}}
}

func (m *machine) seal(pa, n, at int) {
	m.b[pa+at] = 0
	var s byte
	for _, c := range m.b[pa : pa+n] {
		s += c
	}
	m.b[pa+at] = -s
}

func (m *machine) table(pa int, sig string, body []byte) {
	copy(m.b[pa:], sig)
	binary.LittleEndian.PutUint32(m.b[pa+4:], uint32(36+len(body)))
	copy(m.b[pa+36:], body)
	m.seal(pa, 36+len(body), 9)
}

func (m *machine) rsdp(pa, rsdt, xsdt int) {
	copy(m.b[pa:], "RSD PTR ")
	binary.LittleEndian.PutUint32(m.b[pa+16:], uint32(rsdt))
	if xsdt != 0 {
		m.b[pa+15] = 2
		binary.LittleEndian.PutUint64(m.b[pa+24:], uint64(xsdt))
	}
	m.seal(pa, 20, 8)
}

var madt = []byte{
	0, 0, 0xe0, 0xfe, 1, 0, 0, 0, // LAPIC address, flags
	0, 8, 0, 3, 1, 0, 0, 0, // id 3, enabled
	1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // an I/O APIC
	0, 8, 1, 4, 0, 0, 0, 0, // id 4, disabled
	9, 16, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, // x2APIC id 7
	9, 16, 0, 0, 44, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, // x2APIC id 300
}

func TestCPUs(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(m *machine)
		want []uint32
	}{
		{"rsdt in the BIOS area", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			m.table(0x1000, "RSDT", []byte{0, 0x20, 0, 0, 0, 0x30, 0, 0})
			m.table(0x2000, "FACP", make([]byte, 20))
			m.table(0x3000, "APIC", madt)
		}, []uint32{3, 7}},
		{"xsdt in the EBDA", func(m *machine) {
			binary.LittleEndian.PutUint16(m.b[0x40e:], 0x9000>>4)
			m.rsdp(0x9020, 0, 0x1000)
			m.table(0x1000, "XSDT", []byte{0, 0x30, 0, 0, 0, 0, 0, 0})
			m.table(0x3000, "APIC", madt)
		}, []uint32{3, 7}},
		{"no root pointer", func(m *machine) {}, nil},
		{"bad checksum", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
			m.table(0x3000, "APIC", madt)
			m.b[0x3030]++
		}, nil},
		{"entry of length 0", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
			m.table(0x3000, "APIC", append(append([]byte{}, madt[:16]...), 0, 0, 0, 0))
		}, []uint32{3}},
		{"table out of memory", func(m *machine) {
			m.rsdp(0xe0010, 0xfffff0, 0)
		}, nil},
		{"table at the end of memory", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			m.table(0x1000, "RSDT", []byte{0xfc, 0xff, 0x10, 0})
			copy(m.b[0x10fffc:], "APIC")
		}, nil},
		{"root of 4 GiB", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			copy(m.b[0x1000:], "RSDT\xff\xff\xff\xff")
		}, nil},
		{"root without a root pointer's length behind it", func(m *machine) {
			m.table(0x3000, "APIC", madt)
			m.rsdp(0xffff0, 0x1000, 0)
			m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
		}, []uint32{3, 7}},
		{"a second table, when the first is bad", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			m.table(0x1000, "RSDT", []byte{0, 0x20, 0, 0, 0, 0x30, 0, 0})
			copy(m.b[0x2000:], "APIC\x40")
			m.b[0x2000+9]++
			m.table(0x3000, "APIC", madt)
		}, nil},
		{"more tables than are looked at", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			m.table(0x1000, "RSDT", append(make([]byte, 4*maxTables), 0, 0x30, 0, 0))
			m.table(0x3000, "APIC", madt)
		}, nil},
		{"the last table that is looked at", func(m *machine) {
			m.rsdp(0xe0010, 0x1000, 0)
			m.table(0x1000, "RSDT", append(make([]byte, 4*maxTables-4), 0, 0x30, 0, 0))
			m.table(0x3000, "APIC", madt)
		}, []uint32{3, 7}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMachine()
			tc.make(m)
			mem := m.memory()
			var ids [4]uint32
			n := CPUs(mem, FindRSDP(mem), 254, ids[:])
			if n != len(tc.want) {
				t.Fatalf("found %d CPUs %v, want %v", n, ids, tc.want)
			}
			for i, id := range tc.want {
				if ids[i] != id {
					t.Errorf("CPU %d has id %d, want %d", i, ids[i], id)
				}
			}
			// In x2APIC mode the one with the long id is there as well, where the table has it whole.
			if n == 2 && (CPUs(mem, FindRSDP(mem), 0xffff_fffe, ids[:]) != 3 || ids[2] != 300) {
				t.Errorf("with long ids found %v", ids)
			}
		})
	}
}

func TestCPUsMoreThanRoom(t *testing.T) {
	m := newMachine()
	m.rsdp(0xe0010, 0x1000, 0)
	m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
	body := make([]byte, 8)
	for i := byte(0); i < 65; i++ {
		body = append(body, 0, 8, i, i, 1, 0, 0, 0)
	}
	m.table(0x3000, "APIC", body)
	var ids [64]uint32
	mem := m.memory()
	if n := CPUs(mem, FindRSDP(mem), 254, ids[:]); n != 65 {
		t.Fatalf("found %d CPUs, want 65", n)
	}
}

// TestMap: a table is one only where the loader's map has memory.
func TestMap(t *testing.T) {
	m := newMachine()
	m.rsdp(0xe0010, 0x100000, 0)
	m.table(0x100000, "RSDT", []byte{0, 0x18, 0x10, 0})
	m.table(0x101800, "APIC", madt)
	mem := m.memory()
	var ids [4]uint32
	for _, c := range []struct {
		last uint64
		want int
	}{{0x101800 + 36 + uint64(len(madt)), 2}, {0x101800 + 36 + uint64(len(madt)) - 1, 0}, {0x100000, 0}} {
		mem.Map = []physical.Range{{Start: 0x100000, End: c.last}}
		if n := CPUs(mem, FindRSDP(mem), 254, ids[:]); n != c.want {
			t.Errorf("%d CPUs with memory up to %#x", n, c.last)
		}
	}
}

// TestWork: tables that need the most work are read in a bounded time. Each entry of a long root is a
// table of the greatest length with nearly the right signature.
func TestWork(t *testing.T) {
	m := &machine{make([]byte, 8<<20)}
	kept = append(kept, m)
	m.rsdp(0xe0010, 0x200000, 0)
	var body []byte
	for range (maxTable - 36) / 4 {
		body = binary.LittleEndian.AppendUint32(body, 0x400000)
	}
	m.table(0x200000, "RSDT", body)
	m.table(0x400000, "APIC", make([]byte, maxTable-36))
	m.b[0x400000+36]++ // does not add up
	mem := m.memory()
	if n := CPUs(mem, FindRSDP(mem), 254, nil); n != 0 {
		t.Errorf("%d CPUs", n)
	}
	var parts []byte
	for i := range uint32(10000) {
		parts = append(parts, virtio(0x1000*(i+1), i, 0)...)
	}
	m.table(0x200000, "RSDT", []byte{0, 0, 0x30, 0})
	fadt := make([]byte, 80)
	binary.LittleEndian.PutUint32(fadt[4:], 0x500000)
	m.table(0x300000, "FACP", fadt)
	m.table(0x500000, "DSDT", parts)
	if v, ok := FindVirtio(mem, 0xe0010, maxVirtio-1); !ok || v.Base != 0x1000*maxVirtio {
		t.Errorf("the last device: %+v, %v", v, ok)
	}
	if v, ok := FindVirtio(mem, 0xe0010, maxVirtio); ok {
		t.Errorf("one more: %+v", v)
	}
}

// FuzzTables reads anything as each table, in memory that is partly in the map.
func FuzzTables(f *testing.F) {
	m := newMachine()
	m.rsdp(0, 0x40, 0x80)
	m.table(0x40, "RSDT", []byte{0xc0, 0, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0})
	m.table(0x600, "SPCR", make([]byte, 80-36))
	m.table(0x80, "XSDT", []byte{0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0})
	m.table(0xc0, "APIC", madt)
	fadt := make([]byte, 276-36)
	binary.LittleEndian.PutUint32(fadt[4:], 0x400)
	m.table(0x200, "FACP", fadt)
	m.table(0x400, "DSDT", virtio(0xfeb00600, 27, 1))
	f.Add(m.b[:0x800], uint64(0), byte(0))
	f.Add(arm(gicc(1, 0, 0), gicd(0x8000000, 3), gicr(0x80a0000, 0x20000)).b[:1<<14], uint64(0x100), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, rsdp uint64, fix byte) {
		data = append([]byte(nil), data[:min(len(data), 1<<14)]...)
		m := &machine{append(data, make([]byte, 64)...)}
		end := uint64(len(m.b))
		// Sums that are right most often, or the tables would never be looked into.
		for i, sig := range []string{"RSDT", "XSDT", "APIC", "FACP", "DSDT", "SPCR"} {
			at := bytes.Index(m.b, []byte(sig))
			if fix>>i&1 != 0 || at < 0 || at+36 > len(m.b) {
				continue
			}
			if n := int(binary.LittleEndian.Uint32(m.b[at+4:])); n >= 36 && n <= len(m.b)-at {
				m.seal(at, n, 9)
			}
		}
		if at := bytes.Index(m.b, []byte("RSD PTR ")); at >= 0 && at+36 <= len(m.b) {
			m.seal(at, 20, 8)
		}
		mem := m.memory()
		mem.Map = []physical.Range{{Start: 0, End: end / 2}, {Start: end / 2, End: end}}
		var ids [4]uint32
		CPUs(mem, rsdp, 254, ids[:])
		if s, ok := FindSerial(mem, rsdp); ok && (s.Port == 0 || s.Port > 0xfff8) {
			t.Fatalf("a port at %#x", s.Port)
		}
		CPUs(mem, FindRSDP(mem), 254, ids[:])
		for i := range 3 {
			IOAPIC(mem, rsdp, i)
			FindVirtio(mem, rsdp, i)
		}
		Override(mem, rsdp, 4)
		Timer(mem, rsdp)
		mem.Strict = true
		var out fdt.Machine
		ReadMachine(mem, rsdp, &out)
	})
}
