package virtio

import (
	"sync/atomic"
	"unsafe"
)

// A Queue is a split virtqueue (2.7): a table of descriptors, a ring by which
// the driver makes chains of them available, and one by which the device gives
// them back. Both rings' indices count for ever, modulo 2^16.
//
// What is atomic: each ring begins with flags and index, 16 bits each, and one
// side writes both. They are accessed as one word of 32 bits: the index is in the
// upper half on a little-endian machine, which all that we run on are. The
// store of the available index comes after the stores of what it publishes, and
// what a used index publishes is loaded after it, because Go's atomics order
// what is around them. All else is the caller's to lock, but for Done.
type Queue struct {
	desc, avail, used uintptr // where they are mapped
	pa                uint64  // of desc, with which the others are contiguous
	size              uint32  // entries: a power of two

	made  uint16        // the next available index
	taken atomic.Uint32 // the next used index to look at
}

// MaxQueue is the most entries of a queue; QueueMemory is how much memory it
// takes, aligned to a page: a page for each part.
const (
	MaxQueue    = 256
	QueueMemory = 3 * 4096

	offAvail = 0x1000
	offUsed  = 0x2000

	descSize  = 16 // address, length, flags, next
	ringFirst = 4  // of a ring, behind flags and index
)

// A descriptor's flags: another follows, and the device writes to it.
const (
	More  = 1
	Write = 2
)

// Init makes q an empty queue of size entries, a power of two up to MaxQueue, in
// zeroed memory that is mapped at va and lies at physical address pa.
func (q *Queue) Init(va uintptr, pa uint64, size int) {
	q.desc, q.avail, q.used = va, va+offAvail, va+offUsed
	q.pa = pa
	q.size = uint32(size)
	q.made = 0
	q.taken.Store(0)
}

// Size returns the number of entries, Addresses the physical ones of the three
// parts: descriptors, and the driver's and the device's ring.
func (q *Queue) Size() int { return int(q.size) }

// Addresses: see Size.
func (q *Queue) Addresses() (desc, driver, device uint64) {
	return q.pa, q.pa + offAvail, q.pa + offUsed
}

// Desc fills descriptor i, which the device does not hold: n bytes at physical
// address pa.
func (q *Queue) Desc(i int, pa uint64, n uint32, flags, next uint16) {
	d := q.desc + uintptr(i)*descSize
	*(*uint64)(unsafe.Pointer(d)) = pa
	*(*uint32)(unsafe.Pointer(d + 8)) = n
	*(*uint16)(unsafe.Pointer(d + 12)) = flags
	*(*uint16)(unsafe.Pointer(d + 14)) = next
}

// Make makes the chain that begins with descriptor head available. The caller
// then notifies the device.
func (q *Queue) Make(head int) {
	*(*uint16)(unsafe.Pointer(q.avail + ringFirst + uintptr(uint32(q.made)%q.size)*2)) = uint16(head)
	q.made++
	(*atomic.Uint32)(unsafe.Pointer(q.avail)).Store(uint32(q.made) << 16)
}

// Done reports whether the device has used something that Take has not returned.
// Any context, without a lock: a hint.
func (q *Queue) Done() bool { return q.usedIndex() != uint16(q.taken.Load()) }

// usedIndex is the device's.
func (q *Queue) usedIndex() uint16 {
	return uint16((*atomic.Uint32)(unsafe.Pointer(q.used)).Load() >> 16)
}

// Take returns the first descriptor of the next chain that the device has used,
// which is as large as the device says; ok is false if there is none. A device
// can say anything: the caller checks.
func (q *Queue) Take() (head uint32, ok bool) {
	t := uint16(q.taken.Load())
	if q.usedIndex() == t {
		return 0, false
	}
	head = *(*uint32)(unsafe.Pointer(q.used + ringFirst + uintptr(uint32(t)%q.size)*8))
	q.taken.Store(uint32(t + 1))
	return head, true
}
