package race

import "unsafe"

// epoch is a goroutine's slot, and its clock at some time. 0 is none: clocks begin at 1.
//
// An epoch of a set of accesses (cell.go) may be the place of a vector instead; bit 63 says so.
type epoch uint64

const isVector epoch = 1 << 63

func (e epoch) slot() uint32  { return uint32(e >> 32) } // of one that is no vector
func (e epoch) clock() uint32 { return uint32(e) }       // likewise
func (e epoch) vector() ref   { return ref(e) }          // of one that is

// A vector lies in the arena: a word with its length, and so many numbers. It is as long as the highest slot wants that it has a number
// for: the others are 0. A ref of 0 is an empty vector.
type vector struct {
	n     uint32
	class uint32
}

// vec returns the numbers of a vector.
func (d *Detector) vec(v ref) []uint32 {
	if v == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(d.ptr(v+1)), (*vector)(d.ptr(v)).n)
}

// newVec returns an empty vector of at least n numbers.
func (d *Detector) newVec(n uint32) ref {
	c := class(max(uintptr(n+1)/2+1, 4))
	v := d.take(c)
	*(*vector)(d.ptr(v)) = vector{uint32(1<<c-1) * 2, uint32(c)}
	return v
}

// freeVec frees a vector.
func (d *Detector) freeVec(v ref) {
	if v != 0 {
		d.give(v, uint((*vector)(d.ptr(v)).class))
	}
}

// copyVec returns a copy of a vector.
func (d *Detector) copyVec(v ref) ref {
	if v == 0 {
		return 0
	}
	c := d.newVec((*vector)(d.ptr(v)).n)
	copy(d.vec(c), d.vec(v))
	return c
}

// reach makes a vector at least n numbers long.
func (d *Detector) reach(v *ref, n uint32) []uint32 {
	if old := d.vec(*v); uint32(len(old)) < n {
		longer := d.newVec(n)
		copy(d.vec(longer), old)
		d.freeVec(*v)
		*v = longer
	}
	return d.vec(*v)
}

// raise makes a vector's number of a slot at least clock.
func (d *Detector) raise(v *ref, slot, clock uint32) {
	c := d.reach(v, slot+1)
	c[slot] = max(c[slot], clock)
}

// join makes each number of v at least that of w.
func (d *Detector) join(v *ref, w ref) {
	from := d.vec(w)
	for len(from) > 0 && from[len(from)-1] == 0 {
		from = from[:len(from)-1]
	}
	to := d.reach(v, uint32(len(from)))
	for i, c := range from {
		to[i] = max(to[i], c)
	}
}

// tick moves a goroutine's clock on: what it does from now on does not happen before what has acquired from it.
func (d *Detector) tick(g *goroutine) {
	if g.clock++; g.clock == 0 {
		d.Fatal("a goroutine has synchronised four billion times, more than the race detector can count")
	}
}

// knows reports whether what happened at e, which is no vector, happened before what g does now.
func (g *goroutine) knows(d *Detector, e epoch) bool {
	slot, clock := e.slot(), e.clock()
	if slot == g.slot && clock >= g.since {
		return true
	}
	v := d.vec(g.vec)
	return clock == 0 || slot < uint32(len(v)) && clock <= v[slot]
}
