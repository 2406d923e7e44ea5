package loader

import (
	"encoding/binary"
	"slices"
	"testing"
	"unsafe"
)

type memory []byte

func (m memory) base() uintptr        { return uintptr(unsafe.Pointer(&m[0])) }
func (m memory) p32(at int, v uint32) { binary.LittleEndian.PutUint32(m[at:], v) }
func (m memory) p64(at int, v uint64) { binary.LittleEndian.PutUint64(m[at:], v) }

func TestPVH(t *testing.T) {
	m := make(memory, 0x3000)
	m.p32(0x1000, pvhMagic)
	m.p32(0x1004, 1)
	m.p64(0x1018, 0x1800) // command line
	m.p64(0x1020, 0xe0000)
	m.p64(0x1028, 0x2000)
	m.p32(0x1030, 3)
	for i, e := range [][3]uint64{{0, 0x9fc00, 1}, {0xf0000, 0x10000, 2}, {1 << 32, 1 << 33, 1}} {
		m.p64(0x2000+i*24, e[0])
		m.p64(0x2008+i*24, e[1])
		m.p32(0x2010+i*24, uint32(e[2]))
	}
	var info Info
	if !Read(m.base(), multibootMagic, 0x1000, &info) { // as on a microvm
		t.Fatal("start_info was not recognised")
	}
	want := []Range{{0, 0x9fc00}, {1 << 32, 3 << 32}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.Cmdline != 0x1800 || info.RSDP != 0xe0000 {
		t.Errorf("read %+v", info)
	}
	m.p32(0x1004, 0)
	if Read(m.base(), 0, 0x1000, &Info{}) {
		t.Error("a start_info without a memory map was accepted")
	}
}

func TestMultiboot(t *testing.T) {
	m := make(memory, 0x3000)
	m.p32(0x1000, 1|1<<2|1<<6)
	m.p32(0x1004, 639)
	m.p32(0x1008, 130048)
	m.p32(0x1010, 0x1800)
	m.p32(0x102c, 48)
	m.p32(0x1030, 0x2000)
	for i, e := range [][3]uint64{{0, 0x9fc00, 1}, {0x100000, 0x7f00000, 1}} {
		m.p32(0x2000+i*24, 20)
		m.p64(0x2004+i*24, e[0])
		m.p64(0x200c+i*24, e[1])
		m.p32(0x2014+i*24, uint32(e[2]))
	}
	var info Info
	if !Read(m.base(), multibootMagic, 0x1000, &info) {
		t.Fatal("not recognised")
	}
	want := []Range{{0, 0x9fc00}, {0x100000, 0x8000000}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.Cmdline != 0x1800 {
		t.Errorf("with a map: read %+v", info)
	}
	m.p32(0x1000, 1)
	info = Info{}
	if !Read(m.base(), multibootMagic, 0x1000, &info) {
		t.Fatal("not recognised without a map")
	}
	want = []Range{{0, 639 << 10}, {1 << 20, 1<<20 + 130048<<10}}
	if got := info.RAM[:info.NRAM]; !slices.Equal(got, want) || info.Cmdline != 0 {
		t.Errorf("without a map: read %+v", info)
	}
}

func TestUnknownLoader(t *testing.T) {
	m := make(memory, 0x2000)
	if Read(m.base(), 0, 0x1000, &Info{}) {
		t.Error("garbage was taken for a loader's information")
	}
}
