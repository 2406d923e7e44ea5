package acpi

import (
	"encoding/binary"
	"testing"
)

func TestFindRestart(t *testing.T) {
	const has = 1 << 10
	for _, c := range []struct {
		name  string
		size  int
		flags uint32
		kind  byte
		at    uint64
		want  Restart
		ok    bool
	}{
		{"a port", 129, has, 1, 0xcf9, Restart{0xcf9, true, 0x0f}, true},
		{"memory", 268, has | 1, 0, 0xfed0_1000, Restart{0xfed0_1000, false, 0x0f}, true},
		{"not said to be there", 129, ^uint32(has), 1, 0xcf9, Restart{}, false},
		{"an old table", 128, has, 1, 0xcf9, Restart{}, false},
		{"no address", 129, has, 1, 0, Restart{}, false},
		{"no such port", 129, has, 1, 0x10cf9, Restart{}, false},
		{"a PCI device's", 129, has, 2, 0x1f_0000, Restart{}, false},
	} {
		fadt := make([]byte, c.size-36)
		binary.LittleEndian.PutUint32(fadt[112-36:], c.flags)
		fadt[116-36] = c.kind
		binary.LittleEndian.PutUint64(fadt[120-36:], c.at)
		if c.size > 128 {
			fadt[128-36] = 0x0f
		}
		m := newMachine()
		m.rsdp(0xe0010, 0x1000, 0)
		m.table(0x1000, "RSDT", []byte{0, 0x30, 0, 0})
		m.table(0x3000, "FACP", fadt)
		if got, ok := FindRestart(m.memory(), 0xe0010); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
	none := newMachine().memory()
	if _, ok := FindRestart(none, FindRSDP(none)); ok {
		t.Error("without tables")
	}
}
