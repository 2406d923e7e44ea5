// Package virtio9p drives a virtio device that speaks 9P (virtio 1.2 has its number, Linux's include/uapi/linux/virtio_9p.h the rest): a request is a chain of
// two buffers, one with a message of 9P and one for the answer.
//
// There are as many slots as requests can be under way, each with both buffers, so nothing is ever allocated. The device's number for a chain is
// twice the slot's.
//
// The driver does not trust the device: numbers of chains and lengths are checked, and what is wrong is counted. The messages are the caller's to judge.
//
// One user at a time, but for Quiet, in any context, and Buffer of a slot that is the caller's.
package virtio9p

import (
	"unsafe"

	"sched9/drivers/virtio"
)

const (
	// MessageSize is the longest message.
	MessageSize = 64 << 10
	// MaxSlots is how many requests can be under way.
	MaxSlots = 14
	// Memory is what a device needs: contiguous, aligned to a page. The first Zero bytes of it are zero for Connect.
	Memory = Zero + 2*MaxSlots*MessageSize
	Zero   = (virtio.QueueMemory + 4095) &^ 4095

	entries = 32 // of the queue, at most
	kind    = 9  // virtio's number for such devices
	old     = 0x1009
)

const _ = uint(entries - 2*MaxSlots)

// Device is a device. Its zero value is none.
type Device struct {
	t      virtio.Transport
	va, pa uintptr // its memory
	q      virtio.Queue
	slots  int
	has    [MaxSlots]bool // the device has the slot's buffers
	lies   uint64
}

// device is the machine's.
var device Device

// Attach finds the machine's first such device that can be talked to and reports whether there is one. The kernel's memory
// lock is held.
func Attach() (ok bool) {
	device.t, ok = virtio.First(kind, old)
	return ok
}

// Get returns the device that Attach has found.
func Get() *Device { return &device }

// Connect makes the device ready, in Memory bytes of memory that are mapped at va and lie at physical address pa, and has its
// interrupts come to line (less than 0: none). It reports false for a device that cannot be used. The kernel's memory lock is held.
func (d *Device) Connect(va, pa uintptr, line int) bool {
	d.va, d.pa = va, pa
	if !d.connect(line) {
		d.t.Fail()
		return false
	}
	return true
}

// connect is Connect without its last word.
func (d *Device) connect(line int) bool {
	if _, ok := d.t.Begin(0); !ok || line >= 0 && !d.t.Connect(line) {
		return false
	}
	size := entries
	for most := d.t.QueueMax(0); size > most; size /= 2 {
	}
	if d.slots = min(size/2, MaxSlots); d.slots == 0 {
		return false
	}
	d.q.Init(d.va, uint64(d.pa), size)
	if !d.t.SetQueue(0, &d.q) {
		return false
	}
	d.t.Start()
	return true
}

// Slots is how many requests can be under way.
func (d *Device) Slots() int { return d.slots }

// Quiet ends the device's interrupt. Any context.
func (d *Device) Quiet() { d.t.Quiet() }

// request and answer are the offsets of a slot's buffers.
func request(slot int) uintptr { return Zero + uintptr(2*slot)*MessageSize }

// answer: see request.
func answer(slot int) uintptr { return request(slot) + MessageSize }

// Buffer returns the slot's room for a message. The device must not have it.
func (d *Device) Buffer(slot int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(d.va+request(slot))), MessageSize)
}

// Begin gives the device the first n bytes of a slot's Buffer. It has the slot until Take returns it.
func (d *Device) Begin(slot, n int) {
	d.q.Desc(2*slot, uint64(d.pa+request(slot)), uint32(n), virtio.More, uint16(2*slot+1))
	d.q.Desc(2*slot+1, uint64(d.pa+answer(slot)), MessageSize, virtio.Write, 0)
	d.has[slot] = true
	d.q.Make(2 * slot)
	if d.q.Heeds() {
		d.t.Notify(&d.q)
	}
}

// Take returns a slot that the device is done with, and its answer, empty for one that cannot be: it stays until Begin. The device may
// still write there, if it does not keep to the rules: who judges the answer makes a copy first. slot is less than 0 if there is none.
// The bound is for a device that never stops returning what it does not have.
func (d *Device) Take() (slot int, message []byte) {
	for range entries {
		head, n, ok := d.q.Take()
		if !ok {
			break
		}
		slot = int(head / 2)
		if head%2 != 0 || head/2 >= uint32(d.slots) || !d.has[slot] {
			d.lies++
			continue
		}
		d.has[slot] = false
		if n > MessageSize {
			d.lies++
			n = 0
		}
		return slot, unsafe.Slice((*byte)(unsafe.Pointer(d.va+answer(slot))), int(n))
	}
	return -1, nil
}

// Lies counts what the device has said that cannot be.
func (d *Device) Lies() uint64 { return d.lies }
