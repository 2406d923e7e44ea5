// Package virtio is shared by drivers of virtio devices: the queue, which is the same everywhere,
// and the two ways in which a device shows its registers: on PCI, and as plain memory (MMIO).
// Section numbers are those of virtio 1.2; devices older than 1.0 ("legacy") are not driven.
//
// The package locks nothing. It allocates nothing: a queue lives in memory that it is given.
package virtio

import "sched9/arch"

// Bits of the device status (2.1).
const (
	statusAcknowledge = 1
	statusDriver      = 2
	statusDriverOK    = 4
	statusFeaturesOK  = 8
	statusFailed      = 128
)

// version1 is the feature that a device has which is not legacy (6).
const version1 = 1 << 32

// bus tells the transports apart.
type bus int

const (
	busNone bus = iota
	busPCI
	busMMIO
)

// A Transport accesses one device's registers. The zero value has no device. One user at a time,
// except for Notify.
type Transport struct {
	bus    bus
	common uintptr // PCI: the common configuration; MMIO: all registers
	notify uintptr // where to notify the device of a queue: the place, or PCI's first
	config uintptr // the device's own configuration
	step   uintptr // PCI: bytes from one place for that to the next
	places uintptr // and in all
	vector bool    // PCI: message 0 interrupts; see Connect

	function arch.PCIFunction // PCI
	number   int              // MMIO: which device ConnectVirtio means
}

// maxDevices bounds First's search.
const maxDevices = 64

// First returns the machine's first device of the given type that can be talked to: on PCI, then on no bus. old is as in
// FindPCI. It reports false if there is none. The kernel's memory lock is held.
func First(kind, old uint32) (t Transport, ok bool) {
	for n := 0; n < maxDevices; n++ {
		if t, ok = FindPCI(n, kind, old); !ok {
			break
		} else if t.Ready() {
			return t, true
		}
	}
	for n := 0; n < maxDevices; n++ {
		if t, ok = FindMMIO(n, kind); !ok {
			break
		} else if t.Ready() {
			return t, true
		}
	}
	return Transport{}, false
}

// settle bounds how often a device is asked whether it has done something that
// takes it no time worth speaking of.
const settle = 1 << 20

// Begin resets the device and settles what both sides can do: of the features
// that are wanted, have are those that the device has too. It reports false for a
// device that will not have it so (3.1.1).
func (t *Transport) Begin(wanted uint64) (have uint64, ok bool) {
	t.setStatus(0)
	for n := 0; t.status() != 0; n++ {
		if n == settle {
			return 0, false
		}
		arch.Pause()
	}
	t.setStatus(statusAcknowledge)
	t.setStatus(statusAcknowledge | statusDriver)
	have = t.features() & (wanted | version1)
	if have&version1 == 0 {
		t.setStatus(statusFailed)
		return 0, false
	}
	t.setFeatures(have)
	t.setStatus(statusAcknowledge | statusDriver | statusFeaturesOK)
	if t.status()&statusFeaturesOK == 0 {
		t.setStatus(statusFailed)
		return 0, false
	}
	return have, true
}

// Start lets the device work, after Begin and SetQueue.
func (t *Transport) Start() {
	t.setStatus(statusAcknowledge | statusDriver | statusFeaturesOK | statusDriverOK)
}

// Fail tells the device that it will not be used.
func (t *Transport) Fail() { t.setStatus(statusFailed) }

// status and setStatus access the device status; writing 0 resets.
func (t *Transport) status() uint8 {
	if t.bus == busMMIO {
		return uint8(arch.Read32(t.common + mmioStatus))
	}
	return arch.Read8(t.common + pciStatus)
}

// setStatus: see status.
func (t *Transport) setStatus(v uint8) {
	if t.bus == busMMIO {
		arch.Write32(t.common+mmioStatus, uint32(v))
		return
	}
	arch.Write8(t.common+pciStatus, v)
}

// features returns the features that the device offers, setFeatures tells it which are used. The
// registers of both transports differ only in their addresses.
func (t *Transport) features() uint64 {
	sel, reg := t.common+uintptr(pciDeviceSelect), t.common+uintptr(pciDeviceFeature)
	if t.bus == busMMIO {
		sel, reg = t.common+mmioDeviceSelect, t.common+mmioDeviceFeature
	}
	arch.Write32(sel, 0)
	low := arch.Read32(reg)
	arch.Write32(sel, 1)
	return uint64(low) | uint64(arch.Read32(reg))<<32
}

// setFeatures: see features.
func (t *Transport) setFeatures(v uint64) {
	sel, reg := t.common+uintptr(pciDriverSelect), t.common+uintptr(pciDriverFeature)
	if t.bus == busMMIO {
		sel, reg = t.common+mmioDriverSelect, t.common+mmioDriverFeature
	}
	arch.Write32(sel, 0)
	arch.Write32(reg, uint32(v))
	arch.Write32(sel, 1)
	arch.Write32(reg, uint32(v>>32))
}

// QueueMax returns the most entries that queue i can have, a power of two on PCI
// and MMIO alike as QEMU has it; 0 if there is no such queue.
func (t *Transport) QueueMax(i int) int {
	t.choose(i)
	if t.bus == busMMIO {
		return int(arch.Read32(t.common + mmioQueueMax))
	}
	return int(arch.Read16(t.common + pciQueueSize))
}

// choose selects the queue that the registers of queues are about.
func (t *Transport) choose(i int) {
	if t.bus == busMMIO {
		arch.Write32(t.common+mmioQueueSelect, uint32(i))
		return
	}
	arch.Write16(t.common+pciQueueSelect, uint16(i))
}

// Connect has the interrupts of all queues come to line. It comes after Begin, and before
// SetQueue of the first; without it, the device does not interrupt. It reports
// false if that is not possible. The kernel's memory lock is held.
func (t *Transport) Connect(line int) bool {
	if t.bus == busMMIO {
		return arch.ConnectVirtio(t.number, line)
	}
	t.vector = arch.ConnectMSIX(t.function, 0, line)
	return t.vector
}

// SetQueue gives q to the device as its queue i. It reports false for a device that cannot
// interrupt for it, or cannot be notified.
func (t *Transport) SetQueue(i int, q *Queue) bool {
	q.index = i
	t.choose(i)
	if t.bus == busMMIO {
		t.setQueueMMIO(q)
		return true
	}
	return t.setQueuePCI(q)
}

// Notify tells the device that there is something new in q. Any context, several at
// once.
func (t *Transport) Notify(q *Queue) {
	if t.bus == busMMIO {
		arch.Write32(q.notify, uint32(q.index))
		return
	}
	arch.Write16(q.notify, uint16(q.index))
}

// Quiet ends the device's interrupt, where the driver has to do that. It comes before the driver
// looks at the queue: chains used later interrupt again.
func (t *Transport) Quiet() {
	if t.bus == busMMIO {
		arch.Write32(t.common+mmioAcknowledge, arch.Read32(t.common+mmioInterrupt))
	}
}

// Config8 reads a byte of the device's own configuration.
func (t *Transport) Config8(off uintptr) uint8 { return arch.Read8(t.config + off) }

// Config32 reads four bytes of the device's own configuration.
func (t *Transport) Config32(off uintptr) uint32 { return arch.Read32(t.config + off) }

// Config64 reads eight bytes of the device's own configuration, again if the device changed it
// during the read (2.5.3), though not for ever.
func (t *Transport) Config64(off uintptr) (v uint64) {
	for try := 0; try < 16; try++ {
		before := t.generation()
		v = uint64(arch.Read32(t.config+off)) | uint64(arch.Read32(t.config+off+4))<<32
		if t.generation() == before {
			break
		}
	}
	return v
}

// generation changes whenever the configuration does.
func (t *Transport) generation() uint32 {
	if t.bus == busMMIO {
		return arch.Read32(t.common + mmioGeneration)
	}
	return uint32(arch.Read8(t.common + pciGeneration))
}
