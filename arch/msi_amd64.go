package arch

// Message-signalled interrupts: a device writes a word to an address that the
// local APIC of a processor listens at (SDM 3A, 11.11). PCI's table of such
// messages is MSI-X (PCI Local Bus Specification 3.0, 6.8.2).

const (
	msiAddress = 0xfee0_0000 // and the APIC id from bit 12 on: fixed destination

	capMSIX     = 0x11
	msixControl = 2 // in the capability, 16 bits
	msixTable   = 4 // offset of the table, and its BAR in three bits
	msixEnable  = 1 << 15
	msixMaskAll = 1 << 14
	msixSize    = 1<<11 - 1 // entries, less one

	// An entry: address low and high, data, and a word of which bit 0 masks it.
	msixEntry  = 16
	msixVector = 12
)

// ConnectMSIX has message entry of f's table come to line, on the boot processor,
// and turns MSI-X on. It reports false if f has no such message. The kernel's
// memory lock is held.
func ConnectMSIX(f PCIFunction, entry, line int) bool {
	at := f.Capability(capMSIX, 0)
	if at == 0 {
		return false
	}
	control := f.Read16(at + msixControl)
	if entry > int(control&msixSize) {
		return false
	}
	where := f.Read32(at + msixTable)
	pa, ok := f.BAR(int(where & 7))
	if !ok {
		return false
	}
	size := uintptr(control&msixSize) + 1
	table := Device(pa+uint64(where&^7), size*msixEntry)
	if table == 0 {
		return false
	}
	// All messages are held back until those are masked that are not ours: the
	// firmware may have left something in them.
	f.Write16(at+msixControl, control|msixEnable|msixMaskAll)
	for i := uintptr(0); i < size; i++ {
		write32(table+i*msixEntry+msixVector, 1)
	}
	e := table + uintptr(entry)*msixEntry
	write32(e, msiAddress|apicOf(0)<<12)
	write32(e+4, 0)
	write32(e+8, uint32(vecDevice+line))
	write32(e+msixVector, 0)
	f.Write16(at+msixControl, control&^msixMaskAll|msixEnable)
	return true
}
