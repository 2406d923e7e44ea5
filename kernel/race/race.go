// Package race finds data races: two accesses to the same memory by different goroutines, at least one of them a write and one not
// atomic, neither of which happens before the other. It is the detector behind -race (docs/race.md); kernel/goruntime calls it for what
// the compiler's instrumentation, the runtime and sync/atomic report.
//
// The algorithm is FastTrack (Flanagan and Freund, PLDI 2009). Each goroutine has a vector clock (clock.go). Each byte of memory that
// was accessed has the epoch of its last write, and of its reads the last epoch, or a vector if they are concurrent (cell.go). Each
// address that goroutines synchronise on has a vector clock, too (sync.go). The happens-before relation is that of the Go memory model:
// who calls knows which operation acquires and which releases.
//
// It knows no runtime and allocates nothing: all its memory is one area that Init is given (arena.go), and what lies there is named by
// its place, a number, because it is changed where no write barrier may be. The methods of Detector that are not said to be otherwise
// must not run at the same time: the caller has a lock.
package race

import "unsafe"

// Kind is what an access does. The bits are the properties that decide whether two accesses conflict.
type Kind uint8

const (
	Read        Kind = 0
	Write       Kind = 1
	Atomic      Kind = 2 // does not conflict with another atomic access
	AtomicWrite      = Atomic | Write
)

// Detector is all that is known. Its zero value with the functions set is ready for Init.
type Detector struct {
	arena
	Fatal func(why string) // says why nothing more can be found, and does not return

	regions [2]region
	gos     ref       // goroutines by slot
	slots   uint32    // how many slots were ever in use; slot 0 never is
	idle    [2]uint32 // the first and the last slot of the list of those that no goroutine has
	idles   int       // how many they are
	stacks  stackTable
	told    ref    // the list of pairs of stacks that were reported
	Races   uint64 // reported
}

// Ctx names a goroutine, or another context that runs code, such as a timer's: its slot. 0 is none.
type Ctx = uintptr

// MaxGoroutines is how many goroutines can live at a time. A vector clock has an entry for each of them in the worst case.
const MaxGoroutines = 1<<14 - 1

// maxIdle is how many slots that goroutines have left are kept for those who know what was done there.
const maxIdle = 128

// Info is a goroutine as a report tells of it.
type Info struct {
	ID      uint64 // of package runtime; 0: none, or another goroutine has its slot now and it is forgotten
	Created Stack  // where; 0: not known
	Ended   bool
}

// Race is what a report tells.
type Race struct {
	Addr       uintptr
	Kind, Prev Kind // what the access is, and the earlier one
	Now, Then  Info // who did them
	Stack, Old Stack
}

// goroutine is what a slot holds.
type goroutine struct {
	id      uint64
	vec     ref // what of the others happened before, by slot. The own entry is what the creator knew of an earlier owner
	slot    uint32
	clock   uint32 // the own clock, at least 1
	since   uint32 // the own clock when the goroutine began: what is earlier was by an earlier owner of the slot
	touched uint32 // the clock of the slot's last access that was noted
	created Stack
	next    uint32 // in the list of idle slots
	ended   bool
}

// epoch is the goroutine's present one.
func (g *goroutine) epoch() epoch { return epoch(g.slot)<<32 | epoch(g.clock) }

// Init gives the detector its memory, size bytes from mem on, zeroed. It must not be memory that the collector looks at.
func (d *Detector) Init(mem, size uintptr) {
	d.arena.init(mem, size)
	d.gos = d.alloc((MaxGoroutines + 1) * unsafe.Sizeof(goroutine{}))
	d.stacks.init(d)
}

// at returns the goroutine of a slot.
func (d *Detector) at(slot uint32) *goroutine {
	return (*goroutine)(unsafe.Pointer(d.addr(d.gos) + uintptr(slot)*unsafe.Sizeof(goroutine{})))
}

// Go begins a goroutine that parent starts, 0 if nobody does: all that parent has done happens before what it does.
func (d *Detector) Go(parent Ctx, created Stack) Ctx {
	slot := d.takeSlot(parent)
	g := d.at(slot)
	*g = goroutine{slot: slot, clock: g.clock + 1, since: g.clock + 1, created: created, touched: g.touched}
	if parent != 0 {
		p := d.at(uint32(parent))
		g.vec = d.copyVec(p.vec)
		d.raise(&g.vec, p.slot, p.clock)
		d.tick(p)
	}
	return Ctx(slot)
}

// takeSlot returns the slot for a goroutine that parent starts. One that another goroutine has left is taken if all that it did happened
// before: the two look like one goroutine to all others. So the number of slots, and the length of vectors, stays that of goroutines
// that nobody waited for.
//
// What a timer runs knows nothing of what ran before, so there may be ever more of those. Vectors must not grow with them: of more than
// maxIdle slots the one that was left first is taken in any case. Then who synchronises with the new owner is taken to know what the earlier one
// did, and a race with that may be missed. One between the two themselves is not (goroutine.since).
func (d *Detector) takeSlot(parent Ctx) uint32 {
	var prev uint32
	slot := d.idle[0]
	for tries := 0; slot != 0 && tries < 16; tries++ {
		old := d.at(slot)
		if parent != 0 && d.at(uint32(parent)).knows(d, epoch(slot)<<32|epoch(old.touched)) {
			d.unlink(prev, slot)
			return slot
		}
		prev, slot = slot, old.next
	}
	if d.slots < MaxGoroutines && d.idles <= maxIdle {
		d.slots++
		return d.slots
	}
	if slot = d.idle[0]; slot == 0 {
		d.Fatal("more goroutines live at a time than the race detector can tell apart")
	}
	d.unlink(0, slot)
	return slot
}

// unlink takes slot, which is behind prev, out of the list of idle ones.
func (d *Detector) unlink(prev, slot uint32) {
	next := d.at(slot).next
	if prev == 0 {
		d.idle[0] = next
	} else {
		d.at(prev).next = next
	}
	if d.idle[1] == slot {
		d.idle[1] = prev
	}
	d.idles--
}

// End ends a goroutine. Its slot goes to the end of the list, so that reports know it for long.
func (d *Detector) End(c Ctx) {
	g := d.at(uint32(c))
	d.freeVec(g.vec)
	g.vec, g.ended, g.next = 0, true, 0
	if d.idle[1] == 0 {
		d.idle[0] = g.slot
	} else {
		d.at(d.idle[1]).next = g.slot
	}
	d.idle[1] = g.slot
	d.idles++
}

// Name says which goroutine of package runtime a context is.
func (d *Detector) Name(c Ctx, id uint64) { d.at(uint32(c)).id = id }

// info is what is known of the goroutine that an epoch is of.
func (d *Detector) info(e epoch) Info {
	g := d.at(e.slot())
	if e.clock() < g.since {
		return Info{Ended: true}
	}
	return Info{g.id, g.created, g.ended}
}

// Once reports whether a race between accesses with these stacks is the first, and remembers it.
func (d *Detector) Once(a, b Stack) bool {
	type pair struct {
		a, b Stack
		next ref
	}
	if a > b {
		a, b = b, a
	}
	for p := d.told; p != 0; p = (*pair)(d.ptr(p)).next {
		if q := (*pair)(d.ptr(p)); q.a == a && q.b == b {
			return false
		}
	}
	p := d.alloc(unsafe.Sizeof(pair{}))
	*(*pair)(d.ptr(p)) = pair{a, b, d.told}
	d.told = p
	return true
}
