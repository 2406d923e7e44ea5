package virtio

import "sched9/arch"

// Virtio over MMIO (4.2.2): registers of 32 bits.
const (
	mmioMagic         = 0x000
	mmioVersion       = 0x004
	mmioDevice        = 0x008
	mmioDeviceFeature = 0x010
	mmioDeviceSelect  = 0x014
	mmioDriverFeature = 0x020
	mmioDriverSelect  = 0x024
	mmioQueueSelect   = 0x030
	mmioQueueMax      = 0x034
	mmioQueueSize     = 0x038
	mmioQueueReady    = 0x044
	mmioNotify        = 0x050
	mmioInterrupt     = 0x060
	mmioAcknowledge   = 0x064
	mmioStatus        = 0x070
	mmioQueueDesc     = 0x080 // 64 bits as two registers, as the next two
	mmioQueueDriver   = 0x090
	mmioQueueDevice   = 0x0a0
	mmioGeneration    = 0x0fc
	mmioConfig        = 0x100

	magic   = 'v' | 'i'<<8 | 'r'<<16 | 't'<<24
	version = 2 // 1 is a legacy device
)

// FindMMIO returns device n of those on no bus. It reports false if there are not so many. A device
// of another type, or a legacy one, comes as a Transport whose Ready is false.
func FindMMIO(n int, kind uint32) (t Transport, ok bool) {
	base, ok := arch.FindVirtio(n)
	if !ok {
		return t, false
	}
	t = AtMMIO(base, kind)
	t.number = n
	return t, true
}

// AtMMIO returns the device whose registers are mapped at base, if they are those
// of a device of the given type.
func AtMMIO(base uintptr, kind uint32) (t Transport) {
	if arch.Read32(base+mmioMagic) != magic || arch.Read32(base+mmioVersion) != version || arch.Read32(base+mmioDevice) != kind {
		return t
	}
	return Transport{bus: busMMIO, common: base, notify: base + mmioNotify, config: base + mmioConfig}
}

// setQueueMMIO is SetQueue, for the queue that is chosen.
func (t *Transport) setQueueMMIO(q *Queue) {
	c := t.common
	desc, driver, device := q.Addresses()
	arch.Write32(c+mmioQueueSize, uint32(q.Size()))
	write64(c+mmioQueueDesc, desc)
	write64(c+mmioQueueDriver, driver)
	write64(c+mmioQueueDevice, device)
	arch.Write32(c+mmioQueueReady, 1)
	q.notify = t.notify
}
