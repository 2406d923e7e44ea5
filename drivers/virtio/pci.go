package virtio

import "sched9/arch"

// Virtio over PCI (4.1): structures of registers that capabilities point to.

// Offsets in the common configuration (4.1.4.3).
const (
	pciDeviceSelect  = 0x00
	pciDeviceFeature = 0x04
	pciDriverSelect  = 0x08
	pciDriverFeature = 0x0c
	pciConfigVector  = 0x10 // 16 bits
	pciStatus        = 0x14 // 8 bits
	pciGeneration    = 0x15 // 8 bits
	pciQueueSelect   = 0x16 // 16 bits, as those up to 0x1e
	pciQueueSize     = 0x18
	pciQueueVector   = 0x1a
	pciQueueEnable   = 0x1c
	pciQueueNotify   = 0x1e
	pciQueueDesc     = 0x20 // 64 bits, written as two of 32
	pciQueueDriver   = 0x28
	pciQueueDevice   = 0x30
	pciCommonSize    = 0x38

	noVector = 0xffff
)

// Vendor capabilities (4.1.4): which structure, and where it lies.
const (
	capVendor = 0x09

	capType   = 3  // 8 bits
	capBAR    = 4  // 8 bits
	capOffset = 8  // in the BAR
	capLength = 12 // of the structure
	capStep   = 16 // notifications: bytes from one queue's place to the next's

	typeCommon = 1
	typeNotify = 2
	typeDevice = 4
)

// maxLength bounds the mapped part of a structure: all that is used is at its beginning.
const maxLength = 64 << 10

// vendor is virtio's PCI vendor number.
const vendor = 0x1af4

// FindPCI returns device n of the given type on PCI; old is the PCI device number of those that
// could be legacy devices too. It reports false if there are not so many. A device that cannot be
// driven comes as a Transport whose Ready is false.
func FindPCI(n int, kind, old uint32) (t Transport, ok bool) {
	f, ok := arch.FindPCI(n, vendor|(0x1040+kind)<<16, vendor|old<<16)
	if !ok {
		return t, false
	}
	f.Enable()
	for at := f.Capability(capVendor, 0); at != 0; at = f.Capability(capVendor, at) {
		var to *uintptr
		switch f.Read8(at + capType) {
		case typeCommon:
			to = &t.common
		case typeNotify:
			to = &t.notify
			t.step = uintptr(f.Read32(at + capStep))
		case typeDevice:
			to = &t.config
		}
		if to == nil || *to != 0 {
			continue // the first of each kind is the device's preferred one
		}
		if pa, ok := f.BAR(int(f.Read8(at + capBAR))); ok {
			n := min(f.Read32(at+capLength), maxLength)
			*to = arch.Device(pa+uint64(f.Read32(at+capOffset)), uintptr(n))
			if to == &t.notify {
				t.places = uintptr(n)
			}
		}
	}
	if t.common == 0 || t.notify == 0 || t.config == 0 {
		return Transport{}, true
	}
	t.bus, t.function = busPCI, f
	return t, true
}

// Ready reports whether there is a device that can be talked to.
func (t *Transport) Ready() bool { return t.bus != busNone }

// setQueuePCI is SetQueue, for the queue that is chosen.
func (t *Transport) setQueuePCI(q *Queue) bool {
	c := t.common
	vector := uint16(noVector)
	if t.vector {
		vector = 0
	}
	arch.Write16(c+pciConfigVector, noVector)
	arch.Write16(c+pciQueueSize, uint16(q.Size()))
	arch.Write16(c+pciQueueVector, vector)
	if arch.Read16(c+pciQueueVector) != vector {
		return false // the device has no room for it (4.1.5.1.2.1)
	}
	desc, driver, device := q.Addresses()
	write64(c+pciQueueDesc, desc)
	write64(c+pciQueueDriver, driver)
	write64(c+pciQueueDevice, device)
	place := uintptr(arch.Read16(c+pciQueueNotify)) * t.step
	q.notify = t.notify + place
	if place+2 > t.places {
		return false // outside of what is mapped
	}
	arch.Write16(c+pciQueueEnable, 1)
	return true
}

// write64 writes a register of 64 bits as two halves, the lower one first.
func write64(addr uintptr, v uint64) {
	arch.Write32(addr, uint32(v))
	arch.Write32(addr+4, uint32(v>>32))
}
