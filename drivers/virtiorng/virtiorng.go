// Package virtiorng drives virtio entropy devices: the host's random bytes (virtio
// 1.2, 5.4).
//
// There is one request at a time: the device fills a buffer, as much of it as it likes,
// and is asked again when that is used up. It does not interrupt. The caller locks the
// source.
package virtiorng

import "sched9/drivers/virtio"

const (
	kind = 4      // virtio's number for entropy devices
	old  = 0x1005 // and PCI's for those that can be legacy

	entries = 2 // of the queue: one would do
)

// Memory is what a source needs: contiguous, aligned to a page. The queue is in front of the
// buffer, which has BufferSize bytes.
const (
	Memory     = 4096
	BufferSize = Memory - offBuffer

	offBuffer = 128
)

// The negative constant of a layout that does not fit does not compile.
const _ = uint(offBuffer - entries*virtio.QueueEntry - virtio.QueueRest)

// Source is a device. Its zero value has none.
type Source struct {
	t  virtio.Transport
	q  virtio.Queue
	va uintptr // its memory
	pa uint64
}

var source Source

// Attach finds the machine's first entropy device that can be talked to and reports whether there is one.
// The kernel's memory lock is held.
func Attach() (ok bool) {
	source.t, ok = virtio.First(kind, old)
	return ok
}

// Get returns the device that Attach has found.
func Get() *Source { return &source }

// Connect makes the source ready, in Memory bytes of zeroed memory that are mapped at va and
// lie at physical address pa. It reports false for a device that cannot be used. The
// kernel's memory lock is held.
func (s *Source) Connect(va uintptr, pa uint64) bool {
	if _, ok := s.t.Begin(0); !ok {
		return false
	}
	s.va, s.pa = va, pa
	s.q.Init(va, pa, entries)
	if s.t.QueueMax(0) < entries || !s.t.SetQueue(0, &s.q) {
		s.t.Fail()
		return false
	}
	s.q.Interrupt(false)
	s.t.Start()
	return true
}

// Ask gives the buffer to the device, to be filled. The device does not have it.
func (s *Source) Ask() {
	s.q.Desc(0, s.pa+offBuffer, BufferSize, virtio.Write, 0)
	s.q.Make(0)
	s.t.Notify(&s.q)
}

// Answer reports whether the device has given the buffer back, and how many bytes it has put at the
// buffer's beginning: 0 if the device gives an impossible number. Such a device is not asked again.
func (s *Source) Answer() (n uintptr, done bool) {
	head, length, done := s.q.Take()
	if !done || head != 0 || length > BufferSize {
		return 0, done
	}
	return uintptr(length), true
}

// Buffer returns the address of the buffer.
func (s *Source) Buffer() uintptr { return s.va + offBuffer }

// Fail tells the device that it will not be asked again. It may have the buffer for ever.
func (s *Source) Fail() { s.t.Fail() }
