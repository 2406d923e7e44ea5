package race

// lock is an address that goroutines synchronise on: its clock is what happens before an acquire of it. The first cell of a word has
// the list of those in it, since channels of bytes have a place for each byte.
type lock struct {
	next ref
	off  uint32 // the address within its word
	vec  ref
}

// lockAt returns the clock of an address, which it makes if make is set; nil if there is none, or the address is of no memory that is
// watched.
func (d *Detector) lockAt(addr uintptr, make bool) *ref {
	c := d.find(addr)
	if c == nil && make {
		c = d.cell(addr)
	}
	if c == nil {
		return nil
	}
	for l := c.locks; l != 0; l = (*lock)(d.ptr(l)).next {
		if l := (*lock)(d.ptr(l)); l.off == uint32(addr%wordSize) {
			return &l.vec
		}
	}
	if !make {
		return nil
	}
	l := d.take(lockClass)
	*(*lock)(d.ptr(l)) = lock{next: c.locks, off: uint32(addr % wordSize)}
	c.locks = l
	return &(*lock)(d.ptr(l)).vec
}

// Acquire makes what was released at addr happen before what c does from now on.
func (d *Detector) Acquire(c Ctx, addr uintptr) {
	if l := d.lockAt(addr, false); l != nil {
		d.join(&d.at(uint32(c)).vec, *l)
	}
}

// AcquireAll makes what all goroutines have done happen before what c does from now on: a finalizer runs when nobody can reach the object.
func (d *Detector) AcquireAll(c Ctx) {
	g := d.at(uint32(c))
	for s := uint32(1); s <= d.slots; s++ {
		if s != g.slot {
			d.raise(&g.vec, s, d.at(s).clock)
			d.tick(d.at(s))
		}
	}
}

// Release makes what c has done happen before an acquire of addr that follows. What was released there before is forgotten, unless
// merge is set.
func (d *Detector) Release(c Ctx, addr uintptr, merge bool) {
	g := d.at(uint32(c))
	l := d.lockAt(addr, true)
	if l == nil {
		return
	}
	if !merge {
		clear(d.vec(*l))
	}
	d.join(l, g.vec)
	d.raise(l, g.slot, g.clock)
	d.tick(g)
}

// Exchange is a release of what c has done so far, that forgets what was released before, and an acquire of just that. A place of a
// channel's buffer is passed on so: the k-th receive happens before the send that gets its place, and not before another receive.
func (d *Detector) Exchange(c Ctx, addr uintptr) {
	g := d.at(uint32(c))
	l := d.lockAt(addr, true)
	if l == nil {
		return
	}
	old := *l
	*l = d.copyVec(g.vec)
	d.raise(l, g.slot, g.clock)
	d.join(&g.vec, old)
	d.freeVec(old)
	d.tick(g)
}
