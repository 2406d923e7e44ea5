package acpi

import (
	"encoding/binary"
	"testing"
	"unsafe"
)

// machine is physical memory with tables in it.
type machine struct{ b []byte }

func newMachine() *machine { return &machine{make([]byte, 0x110000)} }

func (m *machine) memory() Memory {
	return Memory{Base: uintptr(unsafe.Pointer(&m.b[0])), Limit: uint64(len(m.b))}
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
	9, 16, 0, 0, 44, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, // x2APIC id 300: out of reach
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
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMachine()
			tc.make(m)
			mem := m.memory()
			var ids [4]uint32
			n := CPUs(mem, FindRSDP(mem), ids[:])
			if n != len(tc.want) {
				t.Fatalf("found %d CPUs %v, want %v", n, ids, tc.want)
			}
			for i, id := range tc.want {
				if ids[i] != id {
					t.Errorf("CPU %d has id %d, want %d", i, ids[i], id)
				}
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
	if n := CPUs(mem, FindRSDP(mem), ids[:]); n != 65 {
		t.Fatalf("found %d CPUs, want 65", n)
	}
}
