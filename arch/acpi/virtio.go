package acpi

// Virtio devices that are not on a bus: the DSDT describes them (on QEMU's microvm). The DSDT is a
// program in AML, but a device's registers and interrupt are two descriptors in a fixed form
// (6.4.3.4, 6.4.3.6) behind its name, whatever code is around them. So this code searches for their
// bytes, and interprets nothing.

const (
	virtioName = "LNRO0005" // the _HID that such devices have

	// A fixed range of memory: tag, length (2), access, base (4), size (4).
	memory    = "\x86\x09\x00"
	memoryLen = 12
	// An extended interrupt: tag, length (2), flags, count, interrupt (4).
	interrupt    = "\x89\x06\x00"
	interruptLen = 9

	// How far behind the name the descriptors lie at most.
	virtioReach = 128

	// maxVirtio is how many devices there may be. A microvm has room for 24.
	maxVirtio = 64
)

// Virtio describes a virtio device's registers and interrupt.
type Virtio struct {
	Base       uint64 // physical address of the registers
	GSI        uint32
	Level, Low bool
}

// FindVirtio returns the i-th virtio device of the DSDT, in the order of
// addresses; ok is false if there are not so many.
func FindVirtio(m Memory, rsdp uint64, i int) (v Virtio, ok bool) {
	above := uint64(0)
	if i >= maxVirtio {
		return v, false
	}
	for ; i >= 0; i-- {
		if v, ok = m.virtioAbove(rsdp, above); !ok {
			return v, false
		}
		above = v.Base
	}
	return v, true
}

// virtioAbove returns the virtio device with the least base above the given one.
func (m Memory) virtioAbove(rsdp, above uint64) (least Virtio, ok bool) {
	pa, n := m.dsdt(rsdp)
	for off := uint64(0); off+uint64(len(virtioName)) <= n; off++ {
		if m.U8(pa+off) != virtioName[0] || !m.Is(pa+off, virtioName) {
			continue
		}
		v, found := m.virtioAt(pa+off, pa+n)
		if found && v.Base > above && (!ok || v.Base < least.Base) {
			least, ok = v, true
		}
	}
	return least, ok
}

// virtioAt reads the two descriptors of the device whose name is at pa. Nothing
// from end on is read.
func (m Memory) virtioAt(pa, end uint64) (v Virtio, ok bool) {
	end = min(end, pa+virtioReach)
	for at := pa + uint64(len(virtioName)); at+memoryLen+interruptLen <= end; at++ {
		next := at + memoryLen
		if !m.Is(at, memory) || !m.Is(next, interrupt) || m.U8(next+4) != 1 {
			continue
		}
		const edge, low = 1 << 1, 1 << 2
		flags := m.U8(next + 3)
		return Virtio{
			Base:  uint64(m.U32(at + 4)),
			GSI:   m.U32(next + 5),
			Level: flags&edge == 0,
			Low:   flags&low != 0,
		}, true
	}
	return v, false
}

// dsdt finds the DSDT, which the FADT points to (5.2.9): by 64 bits if it is
// long enough to and does, else by 32. n is 0 if there is none.
func (m Memory) dsdt(rsdp uint64) (pa, n uint64) {
	const short, long = 40, 140
	fadt, size := m.table(rsdp, "FACP")
	if size < short+4 {
		return 0, 0
	}
	if size >= long+8 {
		pa = m.U64(fadt + long)
	}
	if pa == 0 {
		pa = uint64(m.U32(fadt + short))
	}
	return pa, m.sized(pa, "DSDT")
}
