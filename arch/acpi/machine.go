package acpi

import "sched9/arch/fdt"

// ReadMachine adds to out what ACPI's tables say of a machine with Arm processors: processors and interrupt controller (MADT), timer (GTDT), how
// processors are started (FADT), console (SPCR), and PCI's configuration space (MCFG).
func ReadMachine(m Memory, rsdp uint64, out *fdt.Machine) {
	m.arm(rsdp, out)
	if t, size := m.table(rsdp, "GTDT"); size >= 72 {
		out.Timer = gsi(m.U32(t+64), m.U32(t+68)) // of EL1's virtual timer
	}
	if t, size := m.table(rsdp, "FACP"); size >= 131 {
		const psci, hvc = 1 << 0, 1 << 1 // ARM_BOOT_ARCH (5.2.9.4)
		flags := m.U8(t + 129)
		out.PSCI, out.SMC = flags&psci != 0, flags&hvc == 0
	}
	if t, size := m.table(rsdp, "SPCR"); size >= 76 {
		const (
			pl011, sbsa32, sbsa = 3, 0xd, 0xe // kinds of ports: a PL011, and what is like one as far as it is used here
			memory              = 0
			viaGIC              = 1 << 3
			registers           = 0x1000
		)
		kind := m.U8(t + 36)
		if (kind == pl011 || kind == sbsa32 || kind == sbsa) && m.U8(t+40) == memory {
			out.UART = fdt.Device{At: m.U64(t + 44), Size: registers}
			if m.U8(t+52)&viaGIC != 0 {
				out.UART.IRQ.ID = m.U32(t + 54)
			}
		}
	}
	for above := uint64(0); out.NumVirtio < fdt.MaxVirtio; out.NumVirtio++ {
		v, ok := m.virtioAbove(rsdp, above)
		if !ok {
			break
		}
		above = v.Base
		out.Virtio[out.NumVirtio] = fdt.Device{At: v.Base, Size: virtioSize, IRQ: fdt.Interrupt{ID: v.GSI, Edge: !v.Level}}
	}
	out.Ports = m.ports(rsdp)
	if t, size := m.table(rsdp, "MCFG"); size >= 60 {
		// The first entry: the address of bus 0's space, and which buses there are.
		first, last := uint64(m.U8(t+54)), uint64(m.U8(t+55))
		if base := m.U64(t + 44); first == 0 && base+(last+1)<<20 > base {
			out.ECAM = fdt.Range{Start: base, End: base + (last+1)<<20}
		}
	}
}

// virtioSize is how much address space a virtio device's registers take.
const virtioSize = 0x200

// ports returns where PCI's ports are in memory. The DSDT's code has it in a descriptor of a fixed form (6.4.3.5.2): tag, length (2), kind,
// flags (2), granularity, first port, last port, what to add for the address, and length, of 4 bytes each. As with virtio devices, nothing is
// interpreted.
func (m Memory) ports(rsdp uint64) fdt.Range {
	const (
		begin = "\x87\x17\x00\x01" // a range of ports, in 32 bits
		size  = 26
		all   = 0x10000
	)
	pa, n := m.dsdt(rsdp)
	for off := uint64(0); off+size <= n; off++ {
		at := pa + off
		if m.U8(at) != begin[0] || !m.Is(at, begin) {
			continue
		}
		if add := uint64(m.U32(at + 18)); add != 0 && m.U32(at+10) == 0 && m.U32(at+14) < all {
			return fdt.Range{Start: add, End: add + uint64(m.U32(at+14)) + 1}
		}
	}
	return fdt.Range{}
}

// gsi is an interrupt by its number and its flags (5.2.24).
func gsi(id, flags uint32) fdt.Interrupt { return fdt.Interrupt{ID: id, Edge: flags&1 != 0} }

// arm reads the MADT's entries for Arm (5.2.12.14 to 5.2.12.17).
func (m Memory) arm(rsdp uint64, out *fdt.Machine) {
	const (
		processor     = 0xb // an interface of the controller
		distributor   = 0xc
		redistributor = 0xe

		enabled = 1 << 0
		two     = 0x1000 // the size of version 2's interface, as far as it is used
	)
	var version uint8
	var interfaces, redistributors fdt.Range
	m.madt(rsdp, func(kind byte, at, size uint64) bool {
		switch {
		case kind == processor && size >= 76 && m.U32(at+12)&enabled != 0:
			if out.NumCPUs < fdt.MaxCPU {
				out.CPUs[out.NumCPUs] = m.U64(at+68) & 0xff_00ff_ffff
			}
			out.NumCPUs++
			interfaces.Start = m.U64(at + 32)
			interfaces.End = interfaces.Start + two
		case kind == distributor && size >= 24:
			out.GICD, version = m.U64(at+8), m.U8(at+20)
		case kind == redistributor && size >= 16 && redistributors.End == 0:
			start := m.U64(at + 4)
			redistributors = fdt.Range{Start: start, End: start + uint64(m.U32(at+12))}
		}
		return true
	})
	switch {
	case out.GICD == 0:
	case version == 2 && interfaces.Start != 0:
		out.Controller, out.GICC = fdt.GICv2, interfaces
	case version >= 3 && redistributors.End > redistributors.Start:
		out.Controller, out.GICC = fdt.GICv3, redistributors // 4 has what 3 has
	}
}
