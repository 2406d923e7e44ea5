package arch

import (
	"sched9/arch/acpi"
	"sched9/arch/arm64/layout"
	"sched9/arch/efi"
	"sched9/arch/fdt"
	"sched9/arch/physical"
)

// efiMessage is what is said on UEFI's console if the firmware has no memory, does not tell its map or does not end.
var efiMessage = [...]uint16{'s', 'c', 'h', 'e', 'd', '9', ':', ' ', 't', 'h', 'e', ' ', 'f', 'i', 'r', 'm', 'w', 'a', 'r', 'e', ' ',
	'd', 'o', 'e', 's', ' ', 'n', 'o', 't', ' ', 'g', 'o', '\r', '\n', 0}

// bootTime is the time since 1970, in seconds, when UEFI's firmware started the image.
var bootTime struct {
	s  int64
	ok bool
}

// BootTime returns the time since 1970, in seconds, when firmware started the image, if it said so.
func BootTime() (s int64, ok bool) { return bootTime.s, bootTime.ok }

// readEFI reads what UEFI told at physical address at: memory, and the tables that describe the machine, the device tree or else ACPI's.
func readEFI(at uint64) {
	if !mapWindow(at) || !mapWindow(at+efi.DataSize-1) {
		return
	}
	left := efi.Left{M: &physical.Memory{Base: layout.Window, Limit: at + efi.DataSize}, At: at}
	machine.Known = left.Map(func(kind uint32, start, size, attributes uint64) {
		r := fdt.Range{Start: start, End: start + size}
		if attributes&efi.WriteBack == 0 || r.End < r.Start {
			return
		}
		if efi.IsRAM(kind) {
			machine.RAM.Add(r)
		}
		if efi.IsRAM(kind) || kind == efi.Reclaim || kind == efi.NVS {
			machine.Memory.Add(r)
		}
	})
	machine.RAM.Cut(fdt.FirstPage)
	if openTree(left.Tree()) {
		machine.Read(&tree)
		mapMemory()
	} else {
		mapMemory()
		var there [fdt.MaxRAM]physical.Range
		n := 0
		for _, r := range machine.Memory.All() {
			there[n] = physical.Range(r)
			n++
		}
		m := physical.Memory{Base: layout.DirectMap, Limit: layout.MapSize, Map: there[:n], Strict: true}
		acpi.ReadMachine(acpi.Memory{Memory: &m}, left.Root(), &machine)
	}
	bootTime.s, bootTime.ok = left.Time()
	// What is in the image's own file takes the place of what the tree says, and what the firmware was told that of both.
	i := info()
	if i.Line != 0 {
		machine.Cmdline = Phys(i.Line + i.Offset)
	}
	if line := left.Line(); line != 0 {
		machine.Cmdline = uintptr(layout.Window + line)
	}
	if i.Module != 0 {
		machine.Module = fdt.Range{Start: i.Module + i.Offset, End: i.ModuleEnd + i.Offset}
	}
}
