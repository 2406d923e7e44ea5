// Package virtioblk drives virtio block devices: disks (virtio 1.2, 5.2).
//
// A disk carries out requests in slots (package slot). A slot has a buffer, which the device
// reads or writes, and holds one request at a time; its number says which
// descriptors of the queue are its own, so nothing is ever allocated.
// Requests in different slots are done in any order.
//
// The caller locks each disk. Finished, and what a slot's owner does with the
// buffer, need no lock.
package virtioblk

import (
	"unsafe"

	"sched9/drivers/virtio"
	"sched9/drivers/virtioblk/slot"
)

const (
	MaxDisks   = 4
	SectorSize = 512

	// BufferSize is what a slot holds: the most that a request transfers.
	BufferSize = 32 << 10
	MaxSlots   = Memory/BufferSize - 1
	// Memory is what a disk needs: contiguous, aligned to a page.
	Memory = 2 << 20
)

// Operations (5.2.6).
const (
	Read  = 0
	Write = 1
	Flush = 4
)

// Features (5.2.3): the device is read-only, or can be told to write its cache.
const (
	featureReadOnly = 1 << 5
	featureFlush    = 1 << 9
)

const (
	kind = 2      // virtio's number for block devices
	old  = 0x1001 // and PCI's for those that can be legacy

	configCapacity = 0 // in sectors
)

// Where a disk's memory has what: the queue, a header and a status for each slot,
// and, from the first multiple of BufferSize on, buffers.
const (
	offHeader  = virtio.QueueMemory // operation (4), reserved (4), sector (8)
	headerSize = 16
	offStatus  = offHeader + MaxSlots*headerSize
	chain      = 3 // descriptors of a slot: header, buffer, status
)

// A negative constant, of a layout that does not fit, does not compile.
const (
	_ = uint(BufferSize - offStatus - MaxSlots)
	_ = uint(slot.Max - MaxSlots)
)

// Disk is a disk. Its zero value has no device.
type Disk struct {
	t       virtio.Transport
	q       virtio.Queue
	va      uintptr // its memory
	pa      uint64
	feature uint64
	sectors uint64
	Slots   slot.Table // the caller uses it, except for Begin and Answer
}

var (
	disks    [MaxDisks]Disk
	numDisks int
)

// Attach finds the machine's disks: those on PCI in the order of their addresses,
// then those on no bus. It reports whether there are any. The kernel's memory
// lock is held.
func Attach() bool {
	numDisks = 0
	for n := 0; numDisks < MaxDisks; n++ {
		t, ok := virtio.FindPCI(n, kind, old)
		if !ok {
			break
		}
		add(t)
	}
	for n := 0; numDisks < MaxDisks; n++ {
		t, ok := virtio.FindMMIO(n, kind)
		if !ok {
			break
		}
		add(t)
	}
	return numDisks > 0
}

// add takes a device that is ready.
func add(t virtio.Transport) {
	if t.Ready() {
		disks[numDisks].t = t
		numDisks++
	}
}

// Unit returns disk i, or nil if there are not so many.
func Unit(i int) *Disk {
	if i >= numDisks {
		return nil
	}
	return &disks[i]
}

// Connect makes the disk ready for requests, in Memory bytes of zeroed memory that
// are mapped at va and lie at physical address pa, and has its interrupts come to
// line (less than 0: none). It reports false for a device that cannot be used.
// The kernel's memory lock is held.
func (d *Disk) Connect(va uintptr, pa uint64, line int) bool {
	var ok bool
	if d.feature, ok = d.t.Begin(featureReadOnly | featureFlush); !ok {
		return false
	}
	size := virtio.MaxQueue
	for most := d.t.QueueMax(0); size > most; size /= 2 {
		if size < 2*chain {
			d.t.Fail()
			return false
		}
	}
	d.va, d.pa = va, pa
	d.q.Init(va, pa, size)
	d.Slots.Init(min(MaxSlots, size/chain))
	if line >= 0 && !d.t.Connect(line) || !d.t.SetQueue(0, &d.q) {
		d.t.Fail()
		return false
	}
	d.sectors = d.t.Config64(configCapacity)
	d.t.Start()
	return true
}

// Sectors returns the disk's size, ReadOnly whether it refuses to be written.
func (d *Disk) Sectors() uint64 { return d.sectors }
func (d *Disk) ReadOnly() bool  { return d.feature&featureReadOnly != 0 }

// CanFlush reports whether what was written may be in a cache, and Flush writes it.
func (d *Disk) CanFlush() bool { return d.feature&featureFlush != 0 }

// Buffer returns the address of slot i's buffer.
func (d *Disk) Buffer(i int) uintptr { return d.va + uintptr(i+1)*BufferSize }

// Begin starts operation op in slot i, which is not busy: n bytes, whole sectors,
// between its buffer and the disk from sector on. Reap will return owner, unless
// that is 0.
func (d *Disk) Begin(i, op int, sector uint64, n uint32, owner uintptr) {
	h := uintptr(offHeader + i*headerSize)
	*(*uint32)(unsafe.Pointer(d.va + h)) = uint32(op)
	*(*uint32)(unsafe.Pointer(d.va + h + 4)) = 0
	*(*uint64)(unsafe.Pointer(d.va + h + 8)) = sector
	*(*uint8)(unsafe.Pointer(d.va + offStatus + uintptr(i))) = statusNone
	head := i * chain
	buffer, status := head+1, head+2
	var flags uint16
	if op == Read {
		flags = virtio.Write // to memory
	}
	if n == 0 {
		buffer = status
	} else {
		d.q.Desc(buffer, d.pa+uint64(i+1)*BufferSize, n, flags|virtio.More, uint16(status))
	}
	d.q.Desc(head, d.pa+uint64(h), headerSize, virtio.More, uint16(buffer))
	d.q.Desc(status, d.pa+offStatus+uint64(i), 1, virtio.Write, 0)
	d.Slots.Begin(i, owner)
	d.q.Make(head)
	d.t.Notify(&d.q)
}

// A request's status (5.2.6); statusNone is none of the device's.
const (
	statusOK   = 0
	statusNone = 0xff
)

// Finished reports whether Reap has something to do: a hint, in any context,
// without the lock.
func (d *Disk) Finished() bool { return d.q.Done() }

// Quiet ends the disk's interrupt. It comes before Reap.
func (d *Disk) Quiet() { d.t.Quiet() }

// Reap takes back one request that the device has finished; ok is false if there is none. owner is
// the one given to Begin, 0 if there was none, or if the device, which may be wrong, returns a
// request that it never had. A device that returns only its own requests needs at most MaxSlots
// calls.
func (d *Disk) Reap() (owner uintptr, ok bool) {
	head, _, ok := d.q.Take()
	if i := head / chain; ok && head%chain == 0 && i < MaxSlots {
		status := *(*uint8)(unsafe.Pointer(d.va + offStatus + uintptr(i)))
		owner, _ = d.Slots.Answer(int(i), status == statusOK)
	}
	return owner, ok
}
