package race

import "unsafe"

// unit is what pieces of the arena are multiples of, in bytes.
const unit = 8

// ref is the place of a piece in the arena, in units. 0 is none.
type ref uint32

// arena gives out pieces of one area of memory, whose pages need not be there before they are touched. A piece that is freed serves for
// others of its size.
type arena struct {
	base, size, used uintptr
	free             [classes]ref // lists of free pieces, linked by their first words; by class
}

// classes is how many sizes of pieces can be freed: 1, 2, 4 and so on units; 1<<16 is more than any vector.
const classes = 17

// init makes [mem, mem+size) the arena. Its first unit is not used: 0 is no piece.
func (a *arena) init(mem, size uintptr) {
	a.base, a.size, a.used = mem, min(size, 1<<32*unit), unit
}

// Used returns how many bytes are or were in use.
func (a *arena) Used() uintptr { return a.used }

// addr is the address of a piece.
//
//go:nosplit
func (a *arena) addr(r ref) uintptr { return a.base + uintptr(r)*unit }

// ptr is the address of a piece, too.
//
//go:nosplit
func (a *arena) ptr(r ref) unsafe.Pointer { return unsafe.Pointer(a.addr(r)) }

// alloc returns a zeroed piece of size bytes that is not freed.
func (d *Detector) alloc(size uintptr) ref {
	size = (size + unit - 1) &^ (unit - 1)
	if size > d.size-d.used {
		d.Fatal("the race detector's memory is full; a machine with more memory gives it more")
	}
	r := ref(d.used / unit)
	d.used += size
	return r
}

// class returns the class of a piece of n units.
func class(n uintptr) (c uint) {
	for 1<<c < n {
		c++
	}
	return c
}

// take returns a zeroed piece of the class.
func (d *Detector) take(c uint) ref {
	r := d.free[c]
	if r == 0 {
		return d.alloc(unit << c)
	}
	first := (*uint64)(d.ptr(r))
	d.free[c] = ref(*first)
	*first = 0
	return r
}

// give frees a piece of the class, and clears it.
func (d *Detector) give(r ref, c uint) {
	words := unsafe.Slice((*uint64)(d.ptr(r)), 1<<c)
	clear(words)
	words[0] = uint64(d.free[c])
	d.free[c] = r
}
