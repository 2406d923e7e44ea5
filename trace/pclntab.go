package trace

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// pclntab reads of the runtime's table of functions what package debug/gosym does not tell:
// which calls the compiler has put into a function (cmd/link, pclntab; package runtime, symtab.go and
// symtabinl.go). The form is that of Go 1.20 and later. What cannot be right is read as not there.
type pclntab struct {
	text    uint64 // where code begins
	quantum uint64 // of code addresses
	count   int    // functions

	names, values, funcs []byte // parts of the table
}

// Magic number and header of the table.
const (
	pclntabMagic = 0xfffffff1
	pclntabWords = 8 // of 64 bits, behind the first 8 bytes
)

// Numbers of what the table has beside a function (package internal/abi).
const (
	pcdataInline   = 2
	funcdataInline = 3
)

// Sizes of a function's entry without the lists at its end, and of an inlined call.
const (
	funcSize    = 44
	inlinedSize = 16
)

// newPclntab reads the header. A table of another form has no functions.
func newPclntab(table []byte, text uint64) pclntab {
	if len(table) < 8+8*pclntabWords || binary.LittleEndian.Uint32(table) != pclntabMagic || table[7] != 8 {
		return pclntab{}
	}
	long := func(i int) uint64 { return binary.LittleEndian.Uint64(table[8+8*i:]) }
	part := func(i int) []byte { return table[min(long(i), uint64(len(table))):] }
	t := pclntab{text: text, quantum: uint64(table[6]), names: part(3), values: part(6), funcs: part(7)}
	if n := long(0); n < uint64(len(t.funcs))/8 {
		t.count = int(n)
	}
	return t
}

// word is the i-th of 32 bits in b, 0 if it has none.
func word(b []byte, i int) uint32 {
	if i < 0 || len(b) < 4*(i+1) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[4*i:])
}

// entry is where function i begins, counted from where code begins. That of the last and one is
// where code ends.
func (t pclntab) entry(i int) uint32 { return word(t.funcs, 2*i) }

// find is the function that a code address is in, -1 for none.
func (t pclntab) find(pc uint64) int {
	if t.count == 0 || pc < t.text || pc-t.text >= uint64(t.entry(t.count)) {
		return -1
	}
	return sort.Search(t.count, func(i int) bool { return uint64(t.entry(i)) > pc-t.text }) - 1
}

// fn is what the table has of function i, nil if there is none.
func (t pclntab) fn(i int) []byte {
	if i < 0 || i >= t.count {
		return nil
	}
	at := uint64(word(t.funcs, 2*i+1))
	if at+funcSize > uint64(len(t.funcs)) {
		return nil
	}
	return t.funcs[at:]
}

// name is the string at an offset.
func (t pclntab) name(off int32) string {
	if off < 0 || int64(off) >= int64(len(t.names)) {
		return ""
	}
	name, _, _ := bytes.Cut(t.names[off:], []byte{0})
	return string(name)
}

// nameOf is the name of function i.
func (t pclntab) nameOf(i int) string { return t.name(int32(word(t.fn(i), 1))) }

// pcdata calls use with each value of the table kind of function i and the first address behind those that have it,
// counted from where the function begins, until use returns false.
func (t pclntab) pcdata(i, kind int, use func(value int32, end uint64) bool) {
	fn := t.fn(i)
	if n := word(fn, 7); uint32(kind) >= n {
		return
	}
	off := uint64(word(fn, funcSize/4+kind))
	if off == 0 || off >= uint64(len(t.values)) {
		return
	}
	p := t.values[off:]
	value, pc := int32(-1), uint64(0)
	for first := true; ; first = false {
		delta, n := binary.Uvarint(p)
		if n <= 0 || delta == 0 && !first {
			return
		}
		p = p[n:]
		value += int32(uint32(delta)>>1) ^ -int32(uint32(delta)&1)
		step, n := binary.Uvarint(p)
		if n <= 0 {
			return
		}
		p = p[n:]
		if pc += step * t.quantum; !use(value, pc) {
			return
		}
	}
}

// inlined is the number of the inlined call of function i that the code off behind its beginning is of, -1 if it
// is the function's own.
func (t pclntab) inlined(i int, off uint64) (call int32) {
	call = -1
	t.pcdata(i, pcdataInline, func(v int32, end uint64) bool {
		if off < end {
			call = v
			return false
		}
		return true
	})
	return call
}

// inlinedCalls is how many calls the compiler has put into function i, and where the table of
// them is, counted from where such tables are.
func (t pclntab) inlinedCalls(i int) (n int, at uint32) {
	fn := t.fn(i)
	if fn == nil || fn[funcSize-1] <= funcdataInline {
		return 0, 0
	}
	at = word(fn, funcSize/4+int(word(fn, 7))+funcdataInline)
	if at == ^uint32(0) {
		return 0, 0
	}
	t.pcdata(i, pcdataInline, func(v int32, _ uint64) bool {
		n = max(n, int(v)+1)
		return true
	})
	return n, at
}
