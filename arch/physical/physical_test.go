package physical

import (
	"testing"
	"unsafe"
)

// TestStrict: nothing is read where a strict memory has nothing.
func TestStrict(t *testing.T) {
	b := make([]byte, 32)
	for i := range b {
		b[i] = 0xff
	}
	m := Memory{Base: uintptr(unsafe.Pointer(&b[0])), Limit: 32, Map: []Range{{8, 20}}, Strict: true}
	for pa := range uint64(40) {
		in := func(n uint64) bool { return pa >= 8 && pa+n <= 20 }
		if (m.U8(pa) != 0) != in(1) || (m.U32(pa) != 0) != in(4) || (m.U64(pa) != 0) != in(8) {
			t.Errorf("at %d: %#x, %#x, %#x", pa, m.U8(pa), m.U32(pa), m.U64(pa))
		}
	}
}

// TestBounds: nothing is read beyond the limit, wherever a number begins.
func TestBounds(t *testing.T) {
	b := make([]byte, 32)
	for i := range b {
		b[i] = 0xff // behind the limit too
	}
	m := Memory{Base: uintptr(unsafe.Pointer(&b[0])), Limit: 16}
	for _, pa := range []uint64{0, 8, 12, 15} {
		if m.U8(pa) != 0xff {
			t.Errorf("the byte at %d is not there", pa)
		}
	}
	if m.U32(12) != 0xffffffff || m.U64(8) != ^uint64(0) {
		t.Error("the last numbers are not there")
	}
	for _, pa := range []uint64{16, 1 << 40, ^uint64(0)} {
		if v := m.U8(pa); v != 0 {
			t.Errorf("a byte at %#x: %#x", pa, v)
		}
	}
	for _, pa := range []uint64{13, 16, 1 << 40, ^uint64(0) - 3, ^uint64(0)} {
		if v := m.U32(pa); v != 0 {
			t.Errorf("a word at %#x: %#x", pa, v)
		}
	}
	if v := m.U64(9); v != 0 {
		t.Errorf("64 bits at 9: %#x", v)
	}
	if m.Is(14, "\xff\xff\xff") || !m.Is(13, "\xff\xff\xff") {
		t.Error("a string ends behind the limit")
	}
	if m.Sum(0, 15) || !m.Sum(16, 100) || !m.Sum(^uint64(0)-1, 8) {
		t.Error("sums are wrong")
	}
}

// TestHas: a table lies in memory as a whole.
func TestHas(t *testing.T) {
	m := Memory{Limit: 3 << 30, Map: []Range{{0, 640 << 10}, {1 << 20, 2 << 20}, {2 << 20, 4 << 30}}}
	for _, c := range []struct {
		pa, n uint64
		want  bool
	}{
		{0, 1, true}, {0xe0000, 0x20000, true}, {0xe0000, 0x20001, false},
		{1 << 20, 1 << 20, true}, {1 << 20, 1<<20 + 1, false}, {2 << 20, 1<<30 - 2<<20, true},
		{3<<30 - 4, 4, true}, {3<<30 - 4, 5, false}, {3 << 30, 1, false}, {1 << 40, 4, false},
		{^uint64(0), 1, false}, {^uint64(0) - 3, 100, false}, {1 << 20, ^uint64(0), false},
	} {
		if got := m.Has(c.pa, c.n); got != c.want {
			t.Errorf("%d bytes at %#x: %v", c.n, c.pa, got)
		}
	}
}

// TestBeyond: what ends above the limit is read by Beyond, but only where the map has it.
func TestBeyond(t *testing.T) {
	const first, end = 1 << 40, 1<<40 + 20
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(i)
	}
	m := Memory{Base: uintptr(unsafe.Pointer(&b[0])), Limit: 16, Map: []Range{{0, 16}, {first, end}}}
	for _, pa := range []uint64{first, end - 8} {
		if m.U8(pa) != 0 || m.U32(pa) != 0 || m.U64(pa) != 0 || m.Has(pa, 1) {
			t.Errorf("at %#x there is something without Beyond", pa)
		}
	}
	m.Beyond = func(pa uint64) uintptr {
		if pa < first || pa >= end {
			t.Errorf("Beyond is asked for %#x", pa)
		}
		return uintptr(unsafe.Pointer(&b[pa-first]))
	}
	if v := m.U64(first + 1); v != 0x0807060504030201 {
		t.Errorf("got %#x", v)
	}
	if m.U8(end-1) != 19 || m.U32(end-4) != 0x13121110 || !m.Has(first, 20) {
		t.Error("the last bytes are not there")
	}
	if m.U8(end) != 0 || m.U32(end-3) != 0 || m.U64(first-1) != 0 || m.Has(first, 21) {
		t.Error("something is read outside the map")
	}
	m.Beyond = func(uint64) uintptr { return 0 }
	if m.U8(first) != 0 {
		t.Error("something is read that cannot be shown")
	}
}
