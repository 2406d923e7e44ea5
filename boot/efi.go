package boot

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"

	"sched9/arch/arm64/layout"
	"sched9/arch/efi"
)

// A UEFI application is a PE file (UEFI 2.10, 2.1.1; Microsoft's PE format). Ours is this, page after page, in memory:
//
//	headers
//	code       gets from the firmware what only its services tell, ends them, and puts the image where it runs (efistub.go)
//	data       efi.Info and what lies behind it
//	contents   what to put where, the command line, the file beside the image, and the bytes of the image's segments
//	reloc      an empty list: nothing depends on the address that the firmware loads it at
//
// The image in it is one in the format Multiboot, and is entered as by a loader of that kind. An image for arm64 is a UEFI application itself, as it
// runs at any address; its code for that is in package arch.
const (
	efiCodeAt     = pageSize
	efiDataAt     = 2 * pageSize
	efiContentsAt = efiDataAt + efi.DataSize

	efiFileAlign = 512
	// efiMaxFile is how large the file beside the image can be. All addresses in the application have 32 bits.
	efiMaxFile = 1 << 30
)

// EFI returns a UEFI application that boots img, which is in the format Multiboot or Linux, with a command line and, if it is not nil, a
// file beside it.
func EFI(img []byte, line string, module []byte) ([]byte, error) {
	if err := Check(img); err != nil {
		return nil, err
	}
	switch {
	case FormatOf(img) == PVH:
		return nil, fmt.Errorf("boot: a UEFI application holds an image of the format multiboot, or linux for arm64, and this one is of %v", FormatOf(img))
	case bytes.IndexByte([]byte(line), 0) >= 0:
		return nil, errors.New("boot: a command line with a 0 in it")
	case len(module) > efiMaxFile:
		return nil, fmt.Errorf("boot: a file of %d MiB beside the image, at most %d are possible", len(module)>>20, efiMaxFile>>20)
	}
	if FormatOf(img) == Linux {
		return efiARM64(img, line, module)
	}
	f, err := openELF(img)
	if err != nil {
		return nil, err
	}
	loads, err := checkLoads(img, f)
	if err != nil {
		return nil, err
	}
	contents, info := efiContents(loads, line, module)
	relocAt := efiContentsAt + alignUp(len(contents), pageSize)
	code := efiStub(efiPlan{
		size: uint32(relocAt), // of what is worth keeping
		low:  uint32(loads[len(loads)-1].end()),
		list: efiContentsAt,
	})
	if len(code) > pageSize {
		return nil, fmt.Errorf("boot: %d bytes of code for UEFI", len(code))
	}
	var data bytes.Buffer
	put(&data, info)
	// A block of a list of relocations for the first page, with two entries that mean nothing: some firmware wants a list.
	reloc := binary.LittleEndian.AppendUint32(nil, efiCodeAt)
	reloc = append(binary.LittleEndian.AppendUint32(reloc, 12), 0, 0, 0, 0)
	return writePE(pe.IMAGE_FILE_MACHINE_AMD64, []section{
		{name: ".text", at: efiCodeAt, size: pageSize, flags: peCode, data: code},
		{name: ".data", at: efiDataAt, size: efi.DataSize, flags: peData, data: data.Bytes()},
		{name: ".image", at: efiContentsAt, size: relocAt - efiContentsAt, flags: peConstants, data: contents},
		{name: ".reloc", at: relocAt, size: pageSize, flags: peConstants | pe.IMAGE_SCN_MEM_DISCARDABLE, data: reloc},
	}), nil
}

// efiContents are the contents, which begin with a list for the code: for each segment its address, how many bytes
// are there, how many zeros follow, and the offset of the bytes; then a 0.
func efiContents(loads []segment, line string, module []byte) (contents []byte, info efi.Info) {
	list := make([]byte, (len(loads)*4+1)*4)
	contents = append(append(list, line...), 0)
	info.Line = efiContentsAt + uint64(len(list))
	add := func(b []byte) (offset uint64) {
		contents = append(contents, make([]byte, alignUp(len(contents), dataAlign)-len(contents))...)
		offset = efiContentsAt + uint64(len(contents))
		contents = append(contents, b...)
		return offset
	}
	for i, s := range loads {
		at := add(s.data)
		for n, v := range []uint64{s.addr, uint64(len(s.data)), s.size - uint64(len(s.data)), at} {
			binary.LittleEndian.PutUint32(contents[(i*4+n)*4:], uint32(v))
		}
	}
	if module != nil {
		// The kernel reads files in their pages.
		contents = append(contents, make([]byte, alignUp(len(contents), pageSize)-len(contents))...)
		info.Module, info.Size = add(module), uint64(len(module))
	}
	return contents, info
}

// alignUp is n, rounded up to a multiple of to.
func alignUp(n, to int) int { return (n + to - 1) / to * to }

// section is a part of a PE file.
type section struct {
	name     string
	at, size int // in memory
	flags    uint32
	data     []byte // zeros follow

	offset, length int // in the file
}

// What sections are for.
const (
	peCode      = pe.IMAGE_SCN_CNT_CODE | pe.IMAGE_SCN_MEM_EXECUTE | pe.IMAGE_SCN_MEM_READ
	peConstants = pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ
	peData      = peConstants | pe.IMAGE_SCN_MEM_WRITE

	machineARM64 = pe.IMAGE_FILE_MACHINE_ARM64
)

// peDirectories is how many of a PE file's directories its header has: up to that of relocations.
const peDirectories = 6

// peHeaders are a UEFI application's headers, from the signature on. The sections are in ascending order and have their places in the file. headers
// is how long all headers are, with what stands before; reloc is the section with the relocations, nil if there is none.
func peHeaders(machine uint16, entry, headers int, reloc *section, sections []section) []byte {
	const relocations, application = 5, 10
	last := sections[len(sections)-1]
	o := pe.OptionalHeader64{
		Magic:               0x20b,
		AddressOfEntryPoint: uint32(entry),
		SectionAlignment:    pageSize,
		FileAlignment:       efiFileAlign,
		SizeOfImage:         uint32(alignUp(last.at+last.size, pageSize)),
		SizeOfHeaders:       uint32(headers),
		Subsystem:           application,
		NumberOfRvaAndSizes: peDirectories,
	}
	for _, s := range sections {
		if s.flags&pe.IMAGE_SCN_CNT_CODE != 0 {
			o.SizeOfCode, o.BaseOfCode = uint32(s.size), uint32(s.at)
		}
	}
	if reloc != nil {
		o.DataDirectory[relocations] = pe.DataDirectory{VirtualAddress: uint32(reloc.at), Size: uint32(len(reloc.data))}
	}
	unused := binary.Size(o.DataDirectory[peDirectories:])
	var b bytes.Buffer
	b.WriteString("PE\x00\x00")
	put(&b, pe.FileHeader{
		Machine:              machine,
		NumberOfSections:     uint16(len(sections)),
		SizeOfOptionalHeader: uint16(binary.Size(o) - unused),
		Characteristics:      pe.IMAGE_FILE_EXECUTABLE_IMAGE | pe.IMAGE_FILE_LARGE_ADDRESS_AWARE,
	})
	put(&b, o)
	b.Truncate(b.Len() - unused)
	for _, s := range sections {
		h := pe.SectionHeader32{
			VirtualSize: uint32(s.size), VirtualAddress: uint32(s.at),
			SizeOfRawData: uint32(s.length), PointerToRawData: uint32(s.offset),
			Characteristics: s.flags,
		}
		copy(h.Name[:], s.name)
		put(&b, h)
	}
	return b.Bytes()
}

// writePE makes a UEFI application of sections, the code first and the relocations last.
func writePE(machine uint16, sections []section) []byte {
	const mz, headerAt = 0x5a4d, 0x40
	first := [headerAt]byte{0: mz & 0xff, 1: mz >> 8, 0x3c: headerAt}
	reloc := &sections[len(sections)-1]
	headers := alignUp(headerAt+len(peHeaders(machine, 0, 0, reloc, sections)), efiFileAlign)
	end := headers
	for i := range sections {
		s := &sections[i]
		s.offset, s.length = end, alignUp(len(s.data), efiFileAlign)
		end += s.length
	}
	file := make([]byte, end)
	copy(file[copy(file, first[:]):], peHeaders(machine, sections[0].at, headers, reloc, sections))
	for _, s := range sections {
		copy(file[s.offset:], s.data)
	}
	return file
}

// efiARM64 is EFI for an image for arm64: that is an application already. A section is added behind all that the image takes in memory.
func efiARM64(img []byte, line string, module []byte) ([]byte, error) {
	info := arm64Info(img)
	contents := append([]byte(line), 0)
	info.Line = info.ImageEnd
	if module != nil {
		contents = append(contents, make([]byte, alignUp(len(contents), pageSize)-len(contents))...)
		info.Module = info.ImageEnd + uint64(len(contents))
		info.ModuleEnd = info.Module + uint64(len(module))
		contents = append(contents, module...)
	}
	file := append(bytes.Clone(img), make([]byte, alignUp(len(img), efiFileAlign)-len(img))...)
	added := section{
		name: ".image", at: int(info.ImageEnd - layout.Header), size: len(contents), flags: peConstants,
		offset: len(file), length: alignUp(len(contents), efiFileAlign),
	}
	file = append(append(file, contents...), make([]byte, added.length-len(contents))...)
	f, err := pe.NewFile(bytes.NewReader(img))
	if err != nil {
		return nil, fmt.Errorf("boot: broken image: %w", err)
	}
	o, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || len(f.Sections) == 0 {
		return nil, errors.New("boot: broken image: no application for UEFI")
	}
	var sections []section
	for _, s := range f.Sections {
		sections = append(sections, section{
			name: s.Name, at: int(s.VirtualAddress), size: int(s.VirtualSize), flags: s.Characteristics,
			offset: int(s.Offset), length: int(s.Size),
		})
	}
	headers := peHeaders(f.Machine, int(o.AddressOfEntryPoint), int(o.SizeOfHeaders), nil, append(sections, added))
	if len(headers) > beginAt-layout.Header-headerPE {
		return nil, fmt.Errorf("boot: %d bytes of headers for UEFI", len(headers))
	}
	copy(file[headerPE:], headers)
	var b bytes.Buffer
	put(&b, info)
	copy(file[layout.InfoAt-layout.Header:], b.Bytes())
	return file, nil
}
