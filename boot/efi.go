package boot

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"

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
// The image in it is one in the format Multiboot, and is entered as by a loader of that kind.
const (
	efiCodeAt     = pageSize
	efiDataAt     = 2 * pageSize
	efiContentsAt = efiDataAt + efi.DataSize

	efiFileAlign = 512
	// efiMaxFile is how large the file beside the image can be. All addresses in the application have 32 bits.
	efiMaxFile = 1 << 30
)

// EFI returns a UEFI application that boots img, which is in the format Multiboot, with a command line and, if it is not nil, a
// file beside it.
func EFI(img []byte, line string, module []byte) ([]byte, error) {
	if err := Check(img); err != nil {
		return nil, err
	}
	switch {
	case FormatOf(img) != Multiboot:
		return nil, fmt.Errorf("boot: a UEFI application holds an image of the format multiboot, and this one is of %v", FormatOf(img))
	case bytes.IndexByte([]byte(line), 0) >= 0:
		return nil, errors.New("boot: a command line with a 0 in it")
	case len(module) > efiMaxFile:
		return nil, fmt.Errorf("boot: a file of %d MiB beside the image, at most %d are possible", len(module)>>20, efiMaxFile>>20)
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
	const (
		execute = pe.IMAGE_SCN_CNT_CODE | pe.IMAGE_SCN_MEM_EXECUTE | pe.IMAGE_SCN_MEM_READ
		read    = pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ
	)
	return writePE(pe.IMAGE_FILE_MACHINE_AMD64, []section{
		{name: ".text", at: efiCodeAt, size: pageSize, flags: execute, data: code},
		{name: ".data", at: efiDataAt, size: efi.DataSize, flags: read | pe.IMAGE_SCN_MEM_WRITE, data: data.Bytes()},
		{name: ".image", at: efiContentsAt, size: relocAt - efiContentsAt, flags: read, data: contents},
		{name: ".reloc", at: relocAt, size: pageSize, flags: read | pe.IMAGE_SCN_MEM_DISCARDABLE, data: reloc},
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
}

// writePE makes a UEFI application of sections, the code first and the relocations last.
func writePE(machine uint16, sections []section) []byte {
	const mz, headerAt, relocations, application = 0x5a4d, 0x40, 5, 10
	last := sections[len(sections)-1]
	var b bytes.Buffer
	put(&b, [headerAt]byte{0: mz & 0xff, 1: mz >> 8, 0x3c: headerAt})
	b.WriteString("PE\x00\x00")
	o := pe.OptionalHeader64{
		Magic:               0x20b,
		SizeOfCode:          uint32(sections[0].size),
		AddressOfEntryPoint: uint32(sections[0].at),
		BaseOfCode:          uint32(sections[0].at),
		SectionAlignment:    pageSize,
		FileAlignment:       efiFileAlign,
		SizeOfImage:         uint32(last.at + last.size),
		Subsystem:           application,
		NumberOfRvaAndSizes: 16,
	}
	o.DataDirectory[relocations] = pe.DataDirectory{VirtualAddress: uint32(last.at), Size: uint32(len(last.data))}
	put(&b, pe.FileHeader{
		Machine:              machine,
		NumberOfSections:     uint16(len(sections)),
		SizeOfOptionalHeader: uint16(binary.Size(o)),
		Characteristics:      pe.IMAGE_FILE_EXECUTABLE_IMAGE | pe.IMAGE_FILE_LARGE_ADDRESS_AWARE,
	})
	at := alignUp(b.Len()+binary.Size(o)+len(sections)*binary.Size(pe.SectionHeader32{}), efiFileAlign)
	o.SizeOfHeaders = uint32(at)
	put(&b, o)
	offsets := make([]int, len(sections))
	for i, s := range sections {
		h := pe.SectionHeader32{
			VirtualSize: uint32(s.size), VirtualAddress: uint32(s.at),
			SizeOfRawData: uint32(alignUp(len(s.data), efiFileAlign)), PointerToRawData: uint32(at),
			Characteristics: s.flags,
		}
		copy(h.Name[:], s.name)
		put(&b, h)
		offsets[i] = at
		at += int(h.SizeOfRawData)
	}
	file := append(b.Bytes(), make([]byte, at-b.Len())...)
	for i, s := range sections {
		copy(file[offsets[i]:], s.data)
	}
	return file
}
