// Package record is the recorder: every M writes its events into a ring of its own, which a reader outside the
// machine empties while the machine runs, or after it died. A full ring is overwritten; writers never wait and
// never look at the reader.
//
// The scheduler, the kernel and the runtime write with it, and package trace reads. It imports none of them,
// and both sides share one definition of each event (event.go).
package record

import (
	"sync/atomic"
	"unsafe"
)

// Orderings. A writer reserves slots by adding to Head.Next, fills them,
// and stores each slot's Tag last. An interrupt that strikes in between
// reserves later slots and fills them first. So a slot is whole when its Tag
// bears the number that the reader expects of this lap. Having copied it, the
// reader looks at Next: if the slot is reserved again by then, the copy may be
// a mixture of two laps, and counts as lost. The writer adds to Next before it
// stores into the slot, and the reader loads Next after the slot.

// Record is one slot.
type Record struct {
	Stamp uint64 // the machine's raw clock
	What  uint64 // event, P, number of stack slots that follow, G
	Arg   uint64
	Tag   uint64 // aux and the lap
}

// MaxProcs is the most Ms that there are rings for, and the most Ps that records are of.
const MaxProcs = 64

// What a Record's words are made of. A stack slot holds four code addresses,
// the second with a mark, the fourth where aux is.
const (
	stackSlot  = 1 << 63
	pShift     = 8
	nShift     = 16
	gShift     = 20
	LapShift   = 48
	NoP        = 0xff            // in place of a P
	AuxMask    = 1<<LapShift - 1 // what aux may hold
	MaxStack   = 12              // most code addresses behind a record
	perSlot    = 4
	MinRing    = 12 // log2 of the slots of a ring, at least: the unit of laps
	recordSize = unsafe.Sizeof(Record{})
)

// Event, P, G, Slots and Aux take a Record apart.
func (r Record) Event() Event { return Event(r.What) }
func (r Record) P() uint8     { return uint8(r.What >> pShift) }
func (r Record) Slots() int   { return int(r.What >> nShift & 15) }
func (r Record) G() uint64    { return r.What &^ stackSlot >> gShift }
func (r Record) Aux() uint64  { return r.Tag & AuxMask }

// IsStack reports whether r is a stack slot, PCs are its addresses.
func (r Record) IsStack() bool { return r.What&stackSlot != 0 }
func (r Record) PCs() [perSlot]uint64 {
	return [perSlot]uint64{r.Stamp, r.What &^ stackSlot, r.Arg, r.Aux()}
}

// Pack makes the words of a Record, for tests of its readers.
func Pack(stamp uint64, e Event, p uint8, g, arg, aux uint64, slots int) Record {
	return Record{stamp, g<<gShift | uint64(slots)<<nShift | uint64(p)<<pShift | uint64(e), arg, aux & AuxMask}
}

// Directory is the reader's starting point: Magic, the conversion of stamps to nanoseconds, the
// meaning of records' numbers, and the rings. It is in memory that does not move, and points to
// memory that does not change.
type Directory struct {
	Magic [8]byte
	Base  uint64 // stamp at nanosecond 1
	Mult  uint64 // nanoseconds per stamp, times 2^32
	Rings uint32
	Shift uint32 // a ring has 1<<Shift slots
	About About
	// Image is what is to be added to an address in About, or in what that leads to, for the physical one: by how much the image
	// lies higher than it is linked to.
	Image uint64
	Head  [MaxProcs]Head
}

// About says what the runtime's numbers mean. It is valid as soon as the runtime runs; before that
// it is zero.
type About struct {
	Text    uint64 // where code begins
	Table   Span   // the runtime's table of functions and lines
	Version Span   // the runtime's version
	Reasons Span   // an array of strings: why a G waits
	Stops   Span   // the same: why the world is stopped
	Funcs   uint64 // where the table's functions have what they have beside
	Policy  Span   // the scheduler's policy
	Waives  Span   // the rules that it does not keep, with spaces between
}

// Span is a piece of memory: an address and a number of bytes, or of strings,
// each an address and a number of bytes itself.
type Span struct{ At, Len uint64 }

// Magic begins a Directory.
const Magic = "sched9r\x03"

// Head describes the ring of one M; a cache line of its own.
type Head struct {
	Next  atomic.Uint64 // slots reserved since the start
	Slots uint64        // physical address
	_     [48]byte
}

// Recorder is an M's end of its ring. Its fields are set before the M runs; after that only the M
// and interrupts on it use it.
type Recorder struct {
	slots uintptr // address, 0: nothing is recorded
	room  uintptr // the same, also while it is switched off
	head  *Head
	mask  uint64

	append Append
	clock  func() uint64
	depth  uint32 // code addresses that are wanted of a stack
	p      uint64 // the M's P, in its place in What

	// from is where the M found the G that it is about to run, with StartInherit as EvStart has it.
	from Place
	// preempted is why the running G leaves: the runtime says so before.
	preempted bool
}

// Offsets and shifts for Append in assembly.
const (
	SlotsAt   = unsafe.Offsetof(Recorder{}.slots)
	HeadAt    = unsafe.Offsetof(Recorder{}.head)
	MaskAt    = unsafe.Offsetof(Recorder{}.mask)
	StampAt   = unsafe.Offsetof(Record{}.Stamp)
	WhatAt    = unsafe.Offsetof(Record{}.What)
	ArgAt     = unsafe.Offsetof(Record{}.Arg)
	TagAt     = unsafe.Offsetof(Record{}.Tag)
	SlotShift = 5

	// No unsigned constant is negative: these are errors unless all are 0.
	_ = -(recordSize ^ 1<<SlotShift)
	_ = -unsafe.Offsetof(Head{}.Next) // a Head is where its Next is
	_ = -(WhatAt ^ (StampAt + 8))     // both are stored at once
)

// Append appends a record to r's ring, with the clock, which it does not read before the caller's
// earlier accesses are done. what has the record's first two words without the clock; aux has 48
// bits. Plain does the same in Go, where there is no assembly, and is the specification.
type Append func(r *Recorder, what, arg, aux uint64)

// Init makes r write to 1<<shift slots at address slots; shift is at least
// MinRing. depth is how many code addresses are recorded of stacks, at most
// MaxStack.
func (r *Recorder) Init(head *Head, slots uintptr, shift, depth uint32, append Append, clock func() uint64) {
	r.head, r.append, r.clock, r.mask = head, append, clock, 1<<shift-1
	r.depth = min(depth, MaxStack)
	r.p = NoP << pShift
	r.slots, r.room = slots, slots
}

// Switch starts and ends recording into the ring that Init was given. A record that is being written when it ends is still written. Any M may
// call it: one word says whether there is a ring, and all others stay.
func (r *Recorder) Switch(on bool) {
	to := uintptr(0)
	if on {
		to = r.room
	}
	atomic.StoreUintptr(&r.slots, to)
}

// Ring returns a reader of what is recorded from now on.
func (r *Recorder) Ring() Ring {
	return Ring{Head: r.head, Slots: unsafe.Slice((*Record)(unsafe.Pointer(r.room)), r.mask+1), At: r.head.Next.Load()}
}

// SetP says that the M has P id from now on, NoP: none. The M itself, or for it while it cannot run.
func (r *Recorder) SetP(id uint8) { r.p = uint64(id) << pShift }

// Found says where the M found the G that it is about to run. This and the next two are the M's own, with a P.
func (r *Recorder) Found(at Place) { r.from = at }

// Inherit says that the G goes on in the running slice.
func (r *Recorder) Inherit() { r.from |= StartInherit }

// NotRun returns where the M found a G that it does not run after all, and forgets it.
func (r *Recorder) NotRun() Place {
	at := r.from
	r.from = FromNowhere
	return at
}

// On reports whether anything is recorded.
func (r *Recorder) On() bool { return Recording && r.slots != 0 }

// Record writes a record. On the M's own CPU, on any stack, in an interrupt too; the caller stays
// on this CPU during the call.
//
//go:nosplit
func (r *Recorder) Record(e Event, g, arg, aux uint64) {
	if Recording && r.slots != 0 {
		r.append(r, g<<gShift|r.p|uint64(e), arg, aux)
	}
}

// Plain is an Append.
//
//go:nosplit
func Plain(r *Recorder, what, arg, aux uint64) {
	i := r.head.Next.Add(1) - 1
	s := r.slot(i)
	s.Stamp, s.What, s.Arg = r.clock(), what, arg
	atomic.StoreUint64(&s.Tag, aux|lap(i))
}

// slot is where record i goes.
//
//go:nosplit
func (r *Recorder) slot(i uint64) *Record {
	return (*Record)(unsafe.Pointer(r.slots + uintptr(i&r.mask)*recordSize))
}

// lap is what the Tag of record i says of i, so that a slot shows which round of the
// ring it is of.
//
//go:nosplit
func lap(i uint64) uint64 { return (i>>MinRing + 1) << LapShift }

// RecordStack writes a record with the code addresses that follow aux on the
// stack from lo to hi: those of the frame at fp and of its callers. On the M's
// own CPU, on another stack, which has room.
func (r *Recorder) RecordStack(e Event, g, arg, aux uint64, fp, lo, hi uintptr) {
	if Recording && r.slots != 0 {
		if r.depth == 0 {
			r.append(r, g<<gShift|r.p|uint64(e), arg, aux)
		} else {
			r.recordStack(e, g, arg, aux, fp, lo, hi)
		}
	}
}

// recordStack is RecordStack when it is on.
func (r *Recorder) recordStack(e Event, g, arg, aux uint64, fp, lo, hi uintptr) {
	const word = unsafe.Sizeof(uintptr(0))
	var pcs [16]uint64 // MaxStack, and a power of two: no bounds checks
	n := uint64(0)
	// A frame begins with the caller's frame pointer, below the return address.
	for n < uint64(r.depth) && fp >= lo && fp+2*word <= hi {
		pc := *(*uintptr)(unsafe.Pointer(fp + word))
		if pc == 0 {
			break
		}
		pcs[n&15] = uint64(pc)
		n++
		next := *(*uintptr)(unsafe.Pointer(fp))
		if next <= fp {
			break
		}
		fp = next
	}
	slots := (n + perSlot - 1) / perSlot
	i := r.head.Next.Add(1+slots) - 1 - slots
	s := r.slot(i)
	s.Stamp, s.What, s.Arg = r.clock(), g<<gShift|slots<<nShift|r.p|uint64(e), arg
	atomic.StoreUint64(&s.Tag, aux|lap(i))
	for k := uint64(0); k < slots; k++ {
		i++
		s = r.slot(i)
		pc := (*[perSlot]uint64)(unsafe.Pointer(&pcs[k*perSlot]))
		s.Stamp, s.What, s.Arg = pc[0], pc[1]|stackSlot, pc[2]
		atomic.StoreUint64(&s.Tag, pc[3]|lap(i))
	}
}

// Started records that the M begins to run g. Its own M, with a P.
//
//go:nosplit
func (r *Recorder) Started(g uint64) {
	if Recording && r.slots != 0 {
		r.append(r, g<<gShift|r.p|uint64(EvStart), uint64(r.from), 0)
		r.from = FromNowhere
	}
}

// Leaving notes whether the running G is preempted, for LeaveEvent, which chooses the event by
// which it leaves. Same M; nothing else runs between the two.
func (r *Recorder) Leaving(preempted bool) {
	if Recording {
		r.preempted = preempted
	}
}

// LeaveEvent: see Leaving.
//
//go:nosplit
func (r *Recorder) LeaveEvent() Event {
	if r.preempted {
		return EvPreempt
	}
	return EvYield
}
