package virtio

import (
	"sync/atomic"
	"unsafe"
)

// A Queue is a split virtqueue (2.7): a table of descriptors, a ring by which the driver makes
// chains of them available, and one by which the device gives them back. Both rings' indices count
// for ever, modulo 2^16.
//
// Atomic words: each ring begins with flags and index, 16 bits each, and one side writes both. They
// are accessed as one word of 32 bits, with the index in the upper half, because all our machines
// are little-endian. The store of the available index comes after the stores that it publishes, and
// loads that a used index publishes come after its load, because Go's atomics order the accesses
// around them. The caller locks everything else, except Done.
type Queue struct {
	desc, avail, used uintptr // where they are mapped
	pa                uint64  // of desc, with which the others are contiguous
	size              uint32  // entries: a power of two

	made  uint16        // the next available index
	flags uint16        // of the driver's ring
	taken atomic.Uint32 // the next used index to look at

	index  int     // the device's number of it (Transport.SetQueue)
	notify uintptr // where to notify the device
}

// MaxQueue is the most entries of a queue. A queue of n entries takes n*QueueEntry +
// QueueRest bytes of memory, aligned to 16; QueueMemory is that of the largest.
const (
	MaxQueue    = 256
	QueueEntry  = descSize + 2 + 8
	QueueRest   = 16
	QueueMemory = MaxQueue*QueueEntry + QueueRest

	descSize  = 16 // address, length, flags, next
	ringFirst = 4  // of a ring, behind flags and index
)

// A descriptor's flags: another follows, and the device writes to it.
const (
	More  = 1
	Write = 2
)

// noInterrupt, in the flags of the driver's ring, asks the device not to interrupt when it
// has used something (2.7.6). It need not obey.
const noInterrupt = 1

// noNotify, in the flags of the device's ring, says that the device looks at the driver's ring without being told (2.7.10).
const noNotify = 1

// Init makes q an empty queue of size entries, a power of two up to MaxQueue, in
// zeroed memory that is mapped at va and lies at physical address pa.
func (q *Queue) Init(va uintptr, pa uint64, size int) {
	n := uintptr(size)
	q.desc = va
	q.avail = va + n*descSize
	q.used = (q.avail + ringFirst + 2*n + 2 + 3) &^ 3 // 2: a field of the ring that is not used
	q.pa = pa
	q.size = uint32(size)
	q.made, q.flags = 0, 0
	q.taken.Store(0)
}

// Size returns the number of entries, Addresses the physical ones of the three
// parts: descriptors, and the driver's and the device's ring.
func (q *Queue) Size() int { return int(q.size) }

// Addresses: see Size.
func (q *Queue) Addresses() (desc, driver, device uint64) {
	return q.pa, q.pa + uint64(q.avail-q.desc), q.pa + uint64(q.used-q.desc)
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
// then notifies the device. It returns what to ask Past for.
func (q *Queue) Make(head int) (mark uint16) {
	*(*uint16)(unsafe.Pointer(q.avail + ringFirst + uintptr(uint32(q.made)%q.size)*2)) = uint16(head)
	q.made++
	q.publish()
	return q.made
}

// publish stores the index and flags of the driver's ring. Earlier stores are visible before it;
// later loads come after it, on arm64 because it is an exchange (package sched/atomic says why a
// store would not do).
func (q *Queue) publish() {
	(*atomic.Uint32)(unsafe.Pointer(q.avail)).Swap(uint32(q.made)<<16 | uint32(q.flags))
}

// Interrupt says whether the device shall interrupt when it has used something. A driver that turns
// it on must then look once more at Done: chains used before the device saw the change cause no
// interrupt.
func (q *Queue) Interrupt(on bool) {
	q.flags = noInterrupt
	if on {
		q.flags = 0
	}
	q.publish()
}

// Heeds reports whether the device wants to be notified of what was made. It is asked after Make, whose exchange comes before
// this load: a device that starts to want it looks at the ring once more after it has said so.
func (q *Queue) Heeds() bool { return (*atomic.Uint32)(unsafe.Pointer(q.used)).Load()&noNotify == 0 }

// Recover makes q fit for use again after another user of it was stopped for good anywhere in Make:
// only what the device can see counts, so a chain that was not yet available is dropped.
func (q *Queue) Recover() {
	q.made = uint16((*atomic.Uint32)(unsafe.Pointer(q.avail)).Load() >> 16)
}

// Past reports whether the device has used as many chains as were made when Make returned mark:
// including that one, if the device uses them in order. Any context, without a lock.
func (q *Queue) Past(mark uint16) bool { return int16(q.Used()-mark) >= 0 }

// Done reports whether the device has used something that Take has not returned.
// Any context, without a lock: a hint.
func (q *Queue) Done() bool { return q.Used() != uint16(q.taken.Load()) }

// Full reports whether the device has used as many chains as there can be and Take has returned none of them: it has no more. A
// device that lies about its index may make it true, and nothing else.
func (q *Queue) Full() bool { return uint32(q.Used()-uint16(q.taken.Load())) >= q.size }

// Used is the device's index.
func (q *Queue) Used() uint16 {
	return uint16((*atomic.Uint32)(unsafe.Pointer(q.used)).Load() >> 16)
}

// Take returns the first descriptor of the next chain that the device has used, and how many bytes
// the device says that it wrote; ok is false if there is none. Both are the device's word, and the
// caller must check them.
func (q *Queue) Take() (head, written uint32, ok bool) {
	t := uint16(q.taken.Load())
	if q.Used() == t {
		return 0, 0, false
	}
	at := q.used + ringFirst + uintptr(uint32(t)%q.size)*8
	head, written = *(*uint32)(unsafe.Pointer(at)), *(*uint32)(unsafe.Pointer(at + 4))
	q.taken.Store(uint32(t + 1))
	return head, written, true
}
