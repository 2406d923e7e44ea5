package acpi

import (
	"encoding/binary"
	"testing"
)

// fadt returns a machine whose FADT of so many bytes has the timer at the old port, and as a
// generic address of a kind.
func fadt(size int, old uint32, flags uint32, kind byte, at uint64) Memory {
	b := make([]byte, 276)
	binary.LittleEndian.PutUint32(b[76:], old)
	b[91] = 4
	binary.LittleEndian.PutUint32(b[112:], flags)
	b[208] = kind
	binary.LittleEndian.PutUint64(b[212:], at)
	m := newMachine()
	m.rsdp(0xe0010, 0x1000, 0)
	m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
	m.table(0x3000, "FACP", b[36:size])
	return m.memory()
}

func TestTimer(t *testing.T) {
	for name, c := range map[string]struct {
		m    Memory
		port uint16
		wide bool
	}{
		"by the old field":      {fadt(116, 0x608, 0, 0, 0), 0x608, false},
		"with 32 bits":          {fadt(244, 0x608, 1<<8, 1, 0x408), 0x408, true},
		"in memory":             {fadt(244, 0x608, 0, 0, 0xfed00000), 0x608, false},
		"not there":             {fadt(244, 0, 0, 1, 0), 0, false},
		"no port":               {fadt(116, 0x10000, 0, 0, 0), 0, false},
		"a table that is short": {fadt(112, 0x608, 0, 0, 0), 0, false},
		"no table":              {newMachine().memory(), 0, false},
	} {
		if port, wide := Timer(c.m, 0xe0010); port != c.port || port != 0 && wide != c.wide {
			t.Errorf("%s: port %#x, wide %v", name, port, wide)
		}
	}
}
