package efi

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"sched9/arch/physical"
)

// left is what the application may have left, which fill writes.
func left(fill func(b []byte)) Left {
	b := make([]byte, DataSize)
	fill(b)
	return Left{M: &physical.Memory{Base: uintptr(unsafe.Pointer(&b[0])), Limit: DataSize}}
}

func TestTime(t *testing.T) {
	for name, c := range map[string]struct {
		zone   int16
		second byte
		want   int64
		ok     bool
	}{
		"no zone":      {0x7ff, 1, 1795395001, true},
		"UTC":          {0, 1, 1795395001, true},
		"west of it":   {300, 1, 1795395001 + 5*3600, true},
		"east of it":   {-60, 1, 1795395001 - 3600, true},
		"no such time": {0, 61, 0, false},
	} {
		l := left(func(b []byte) {
			binary.LittleEndian.PutUint16(b[OffTime:], 2026)
			copy(b[OffTime+2:], []byte{11, 23, 0, 50, c.second})
			binary.LittleEndian.PutUint16(b[OffTime+12:], uint16(c.zone))
		})
		if s, ok := l.Time(); s != c.want || ok != c.ok {
			t.Errorf("%s: %d, %v, want %d, %v", name, s, ok, c.want, c.ok)
		}
	}
	if s, ok := left(func([]byte) {}).Time(); ok {
		t.Errorf("no time at all: %d", s)
	}
}

func TestTables(t *testing.T) {
	guids := []string{
		"\xd5\x21\xb6\xb1\x9c\xf1\xa5\x41\x83\x0b\xd9\x15\x2c\x69\xaa\xe0", // the device tree
		"\x30\x2d\x9d\xeb\x88\x2d\xd3\x11\x9a\x16\x00\x90\x27\x3f\xc1\x4d", // ACPI 1.0
		"\x71\xe8\x68\x88\xf1\xe4\xd3\x11\xbc\x22\x00\x80\xc7\x3c\x88\x81", // ACPI 2.0
	}
	for n, want := range [][2]uint64{{0, 0}, {0x1000, 0}, {0x1000, 0x2000}, {0x1000, 0x3000}} {
		l := left(func(b []byte) {
			binary.LittleEndian.PutUint64(b[OffTables:], uint64(n))
			for i, g := range guids {
				e := b[TablesAt+i*TableSize:]
				copy(e, g)
				binary.LittleEndian.PutUint64(e[16:], uint64(i+1)<<12)
			}
		})
		if l.Tree() != want[0] || l.Root() != want[1] {
			t.Errorf("%d tables: tree at %#x, root pointer at %#x, want %#x", n, l.Tree(), l.Root(), want)
		}
	}
}
