// Package physical reads tables that firmware and boot loader left in physical memory. Their
// addresses and lengths may be wrong: so nothing is read above a limit, but through a window, and a table is accepted
// only where the loader's map has memory. It allocates nothing, and reads through a base address,
// so that a test can give it a buffer.
package physical

import "unsafe"

// Range is a piece of physical memory.
type Range struct{ Start, End uint64 }

// low ends what every PC has, whatever a map says: firmware keeps its data and its tables there.
const low = 1 << 20

// Memory is physical memory: address 0 is mapped at Base, and nothing at or above Limit, which is
// at least 8, is read but by Beyond.
type Memory struct {
	Base   uintptr
	Limit  uint64
	Map    []Range // where memory is above the first MiB
	Strict bool    // nothing but what is in Map is mapped

	// Beyond returns where the 8 bytes at pa can be read, until it is called again. It is called for what ends above Limit and is in Map;
	// nil: nothing there is read.
	Beyond func(pa uint64) uintptr
}

// Has reports whether the n bytes at pa are memory: in the first MiB or in one range of the
// map. n may be any number.
//
//go:noinline
func (m *Memory) Has(pa, n uint64) bool {
	end := pa + n
	if end < pa || end > m.Limit && m.Beyond == nil {
		return false
	}
	for _, r := range m.Map {
		if r.Start <= pa && end <= r.End {
			return true
		}
	}
	return end <= low && !m.Strict
}

// at returns where the n bytes at pa, at most 8, can be read; 0: nowhere.
//
//go:noinline
func (m *Memory) at(pa, n uint64) uintptr {
	switch {
	case pa <= m.Limit-n:
		if !m.Strict || m.Has(pa, n) {
			return m.Base + uintptr(pa)
		}
	case m.Beyond != nil && m.Has(pa, n):
		return m.Beyond(pa)
	}
	return 0
}

// U8, U32 and U64 read little-endian numbers; beyond Limit, or where a strict memory has nothing, they return 0. A call is smaller than their code, which readers of tables would
// have in them hundreds of times.
//
//go:noinline
func (m *Memory) U8(pa uint64) byte {
	if at := m.at(pa, 1); at != 0 {
		return *(*byte)(unsafe.Pointer(at))
	}
	return 0
}

// U32: see U8.
//
//go:noinline
func (m *Memory) U32(pa uint64) uint32 {
	if at := m.at(pa, 4); at != 0 {
		return *(*uint32)(unsafe.Pointer(at))
	}
	return 0
}

// U64: see U8.
//
//go:noinline
func (m *Memory) U64(pa uint64) uint64 {
	if at := m.at(pa, 8); at != 0 {
		return *(*uint64)(unsafe.Pointer(at))
	}
	return 0
}

// Is reports whether the bytes at pa are s.
func (m *Memory) Is(pa uint64, s string) bool {
	for i := 0; i < len(s); i++ {
		if m.U8(pa+uint64(i)) != s[i] {
			return false
		}
	}
	return true
}

// Sum reports whether the n bytes at pa add up to 0.
func (m *Memory) Sum(pa, n uint64) bool {
	var s byte
	for end := pa + n; pa < end; pa++ {
		s += m.U8(pa)
	}
	return s == 0
}
