// Package boot turns a linked Go program for linux/amd64 or linux/arm64 into an
// image that boots on bare metal. It runs on the host and is the only place where such an
// image is put together.
//
// An image for amd64 is an ELF executable whose segments are loaded where they run:
//
//	stub          enters 64-bit mode and jumps to the program; starts other CPUs too
//	stub data     Info, GDT, and zeroed memory up to the end of the boot stack
//	page tables   the first ones, which the stub makes of runs that are listed here: guest code never
//	              runs unmapped or unprotected
//	program       each segment with the protection of its ELF header
//
// Package layout says at which addresses. Two formats differ in the envelope
// only: PVH is an ELF64 with a note, for QEMU, Xen, Firecracker and others;
// Multiboot is an ELF32 with the headers of its versions 1 and 2, for GRUB, QEMU and u-root.
//
// An image for arm64 is what Linux's boot protocol calls an Image: all of that but
// the stub as it lies in memory, with a header in front (arm64.go).
package boot

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"

	"sched9/arch/amd64/layout"
	arm64 "sched9/arch/arm64/layout"
)

// Format is the boot protocol that an image speaks.
type Format int

const (
	// PVH is Xen's "x86/HVM direct boot ABI". It is the format of choice
	// under QEMU: every machine type takes it.
	PVH Format = iota
	// Multiboot is versions 1 (0.6.96) and 2 (2.0) in one file, for loaders on real machines. It is a
	// file of its own because QEMU refuses an ELF64 with a Multiboot header.
	Multiboot
	// Linux is the protocol of Linux's arm64 Image, which QEMU, U-Boot and others
	// load. It is the only one for arm64.
	Linux
)

// Formats lists the formats for a guest architecture, the usual one first; none if it
// is not supported.
func Formats(goarch string) []Format {
	switch goarch {
	case "amd64":
		return []Format{PVH, Multiboot}
	case "arm64":
		return []Format{Linux}
	}
	return nil
}

// String names the format as messages and flags do.
func (f Format) String() string {
	switch f {
	case PVH:
		return "pvh"
	case Multiboot:
		return "multiboot"
	case Linux:
		return "linux"
	}
	return fmt.Sprintf("Format(%d)", int(f))
}

// Build returns a bootable image of the executable exe, which must be a static ELF64 for the
// format's architecture, linked at fixed addresses from its layout.PageTablesEnd on and below the
// end of what the first page tables map. The error says why the executable does not fit.
func Build(exe []byte, f Format) ([]byte, error) {
	t := forAMD64
	if f == Linux {
		t = forARM64
	}
	p, err := readProgram(exe, t)
	if err != nil {
		return nil, err
	}
	return p.image(f)
}

// stubRegions is what the first page tables map beside the program. The stub's
// text is never writable; the gaps are guards.
func stubRegions() []segment {
	return []segment{
		{addr: layout.StubText, size: pageSize, flags: elf.PF_R | elf.PF_X},
		{addr: layout.StubData, size: pageSize, flags: elf.PF_R | elf.PF_W},
		{addr: layout.BootStack, size: layout.BootStackTop - layout.BootStack, flags: elf.PF_R | elf.PF_W},
	}
}

// image puts stub, tables and program together.
func (p program) image(f Format) ([]byte, error) {
	if f == Linux {
		return p.imageARM64()
	}
	text := stubText(uint32(p.entry))
	tables := tables(pageTables(append(stubRegions(), p.segments...)))
	runs := tableRuns(tables, layout.PageTables)
	if len(tables) > layout.PageTablesEnd-layout.PageTables {
		return nil, fmt.Errorf("boot: the program has too many segments: its page tables take %d bytes, there is room for %d",
			len(tables), layout.PageTablesEnd-layout.PageTables)
	}
	if len(runs) > layout.MaxRuns {
		return nil, fmt.Errorf("boot: the program has too many segments: its page tables are %d runs, %d are possible", len(runs), layout.MaxRuns)
	}
	data := stubData(p.segments[0].addr, p.end(), runs)
	segs := append([]segment{
		{addr: layout.StubText, size: pageSize, flags: elf.PF_R | elf.PF_X, data: text},
		// One segment up to the tables: guards and stack are memory that the
		// loader must keep free and zero, but not bytes of the file.
		{addr: layout.StubData, size: layout.PageTables - layout.StubData, flags: elf.PF_R | elf.PF_W, data: data},
		{addr: layout.PageTables, size: uint64(len(tables)), flags: elf.PF_R | elf.PF_W}, // the stub makes them
	}, p.segments...)

	switch f {
	case PVH:
		note := pvhNote(layout.StubText)
		copy(text[loaderWordsAt-layout.StubText:], note)
		return writeELF64(layout.StubText, segs, segment{addr: loaderWordsAt, size: uint64(len(note))}), nil
	case Multiboot:
		copy(text[loaderWordsAt-layout.StubText:], multibootHeader())
		copy(text[multiboot2At-layout.StubText:], multiboot2Header())
		return writeELF32(layout.StubText, segs), nil
	}
	return nil, fmt.Errorf("boot: no such image format: %v", f)
}

// Check tests whether img is a complete image made by this package: all segments are in the file
// and nothing follows them, the note or header that its format demands is there, and Info gives the
// same extent as the segments. For a truncated or foreign file the error names what is missing.
func Check(img []byte) error {
	if isLinux(img) {
		return checkARM64(img)
	}
	f, err := openELF(img)
	if err != nil {
		return err
	}
	if f.Type != elf.ET_EXEC || f.Entry != layout.StubText {
		return fmt.Errorf("boot: not an image: %v with entry %#x, want ET_EXEC with entry %#x",
			f.Type, f.Entry, uint64(layout.StubText))
	}
	loads, err := checkLoads(img, f)
	if err != nil {
		return err
	}
	switch {
	case f.Class == elf.ELFCLASS64 && f.Machine == elf.EM_X86_64:
		err = checkNote(img, f)
	case f.Class == elf.ELFCLASS32 && f.Machine == elf.EM_386:
		err = checkMultiboot(img)
	default:
		err = fmt.Errorf("boot: not an image: %v %v, want ELFCLASS64 EM_X86_64 (PVH) or ELFCLASS32 EM_386 (Multiboot)",
			f.Class, f.Machine)
	}
	if err != nil {
		return err
	}
	return checkInfo(loads)
}

// FormatOf returns the format of an image that Check finds nothing wrong with.
func FormatOf(img []byte) Format {
	switch {
	case isLinux(img):
		return Linux
	case elf.Class(img[elf.EI_CLASS]) == elf.ELFCLASS32:
		return Multiboot
	}
	return PVH
}

// Extent returns how many bytes, counted from where RAM begins, an image takes that Check finds
// nothing wrong with. A machine with less memory cannot hold it.
func Extent(img []byte) (uint64, error) {
	if err := Check(img); err != nil {
		return 0, err
	}
	if isLinux(img) {
		return arm64Info(img).ImageEnd - arm64.RAM, nil
	}
	f, err := openELF(img)
	if err != nil {
		return 0, err
	}
	var end uint64
	for _, p := range f.Progs {
		end = max(end, p.Paddr+p.Memsz)
	}
	return end, nil
}

// checkLoads returns the PT_LOAD segments of an image, the stub's three first.
func checkLoads(img []byte, f *elf.File) ([]segment, error) {
	var loads []segment
	var last uint64
	for _, p := range f.Progs {
		data, err := fileBytes(img, p)
		if err != nil {
			return nil, err
		}
		last = max(last, p.Off+p.Filesz)
		if p.Type != elf.PT_LOAD {
			continue
		}
		if p.Vaddr != p.Paddr {
			return nil, fmt.Errorf("boot: not an image: segment at %#x is loaded at %#x", p.Vaddr, p.Paddr)
		}
		if p.Memsz < p.Filesz || p.Vaddr+p.Memsz < p.Vaddr {
			return nil, fmt.Errorf("boot: broken image: segment at %#x has %d bytes in the file and %d in memory",
				p.Vaddr, p.Filesz, p.Memsz)
		}
		loads = append(loads, segment{addr: p.Vaddr, size: p.Memsz, flags: p.Flags, data: data})
	}
	for i, want := range []struct {
		name   string
		addr   uint64
		inFile int
	}{
		{"stub", layout.StubText, pageSize},
		{"stub data", layout.StubData, layout.RunsAt - layout.StubData + runSize},
		{"page tables", layout.PageTables, 0},
	} {
		if i >= len(loads) || loads[i].addr != want.addr || len(loads[i].data) < want.inFile || loads[i].size < pageSize {
			return nil, fmt.Errorf("boot: not an image: no segment with the %s at %#x", want.name, want.addr)
		}
	}
	if len(loads) == 3 {
		return nil, errors.New("boot: not an image: no segment of a program")
	}
	if last != uint64(len(img)) {
		return nil, fmt.Errorf("boot: not an image: the segments end at offset %#x, the file at %#x", last, len(img))
	}
	return loads, nil
}

// checkNote wants a PT_NOTE that is the PVH note. fileBytes has accepted all
// segments by now.
func checkNote(img []byte, f *elf.File) error {
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE && bytes.Equal(img[p.Off:p.Off+p.Filesz], pvhNote(layout.StubText)) {
			return nil
		}
	}
	return errors.New("boot: not an image: no PVH note")
}

// checkMultiboot wants the header that Build writes, not just any.
func checkMultiboot(img []byte) error {
	flags, ok := findMultiboot(img)
	if !ok {
		return fmt.Errorf("boot: not an image: no Multiboot header in the first %d bytes", multibootSearch)
	}
	if flags != multibootFlags {
		return fmt.Errorf("boot: not an image: the Multiboot header has flags %#x, want %#x", flags, multibootFlags)
	}
	if !bytes.Contains(img[:min(len(img), multiboot2Search)], multiboot2Header()) {
		return fmt.Errorf("boot: not an image: no Multiboot 2 header in the first %d bytes", multiboot2Search)
	}
	return nil
}

// checkInfo compares Info in the stub's data with the segments.
func checkInfo(loads []segment) error {
	var info layout.Info
	if _, err := binary.Decode(loads[1].data[layout.InfoAt-layout.StubData:], binary.LittleEndian, &info); err != nil {
		return fmt.Errorf("boot: Info: %w", err)
	}
	if info.Magic != layout.InfoMagic {
		return fmt.Errorf("boot: not an image: Info at %#x has magic %#x, want %#x",
			layout.InfoAt, info.Magic, uint64(layout.InfoMagic))
	}
	start, program, end := loads[0].addr, loads[3].addr, loads[len(loads)-1].end()
	if info.ImageStart != start || info.Program != program || info.ImageEnd != end {
		return fmt.Errorf("boot: broken image: Info says %#x, %#x to %#x, the segments are %#x, %#x to %#x",
			info.ImageStart, info.Program, info.ImageEnd, start, program, end)
	}
	return nil
}
