package boot

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// dataAlign is what the offsets of data in the file are multiples of. Loaders copy data to their
// addresses, so they need not lie on pages in the file, which would be larger by half a page for each
// segment.
const dataAlign = 16

// The note by which a loader finds a PVH entry (Xen, public/elfnote.h).
const (
	pvhNoteName = "Xen\x00"
	pvhNoteType = 18 // XEN_ELFNOTE_PHYS32_ENTRY
)

// pvhNote is the content of a PT_NOTE that sends the loader to entry (ELF gABI,
// "Note Section"): lengths of name and descriptor, type, name, descriptor.
func pvhNote(entry uint32) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(len(pvhNoteName)))
	b = le.AppendUint32(b, 4)
	b = le.AppendUint32(b, pvhNoteType)
	b = append(b, pvhNoteName...)
	return le.AppendUint32(b, entry)
}

// fileOffsets says where in the file each segment's data goes. A segment
// without data has offset 0, for there is nothing of it in the file. headers is
// how many bytes come before the first.
func fileOffsets(headers int, segs []segment) []uint64 {
	offsets := make([]uint64, len(segs))
	at := uint64(headers)
	for i, s := range segs {
		if len(s.data) > 0 {
			at = (at + dataAlign - 1) &^ (dataAlign - 1)
			offsets[i] = at
			at += uint64(len(s.data))
		}
	}
	return offsets
}

// joinFile joins the headers and the segments' data. Nothing follows the last byte, so a truncated
// file always lacks something.
func joinFile(headers []byte, segs []segment, offsets []uint64) []byte {
	file := headers
	for i, s := range segs {
		if len(s.data) > 0 {
			file = append(file, make([]byte, offsets[i]-uint64(len(file)))...)
			file = append(file, s.data...)
		}
	}
	return file
}

// writeELF64 makes an ELF64 executable for x86-64 of segments at equal virtual
// and physical addresses, with a PT_NOTE over note, which lies in segment 0.
func writeELF64(entry uint64, segs []segment, note segment) []byte {
	var b bytes.Buffer
	offsets := fileOffsets(binary.Size(elf.Header64{})+(len(segs)+1)*binary.Size(elf.Prog64{}), segs)
	put(&b, elf.Header64{
		Ident:     ident(elf.ELFCLASS64),
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(elf.EM_X86_64),
		Version:   uint32(elf.EV_CURRENT),
		Entry:     entry,
		Phoff:     uint64(binary.Size(elf.Header64{})),
		Ehsize:    uint16(binary.Size(elf.Header64{})),
		Phentsize: uint16(binary.Size(elf.Prog64{})),
		Phnum:     uint16(len(segs) + 1),
	})
	for i, s := range segs {
		put(&b, elf.Prog64{
			Type:   uint32(elf.PT_LOAD),
			Flags:  uint32(s.flags),
			Off:    offsets[i],
			Vaddr:  s.addr,
			Paddr:  s.addr,
			Filesz: uint64(len(s.data)),
			Memsz:  s.size,
			Align:  dataAlign,
		})
	}
	put(&b, elf.Prog64{
		Type:   uint32(elf.PT_NOTE),
		Flags:  uint32(elf.PF_R),
		Off:    offsets[0] + note.addr - segs[0].addr,
		Vaddr:  note.addr,
		Paddr:  note.addr,
		Filesz: note.size,
		Memsz:  note.size,
		Align:  4,
	})
	return joinFile(b.Bytes(), segs, offsets)
}

// writeELF32 makes an ELF32 executable for the 80386 of segments at equal
// virtual and physical addresses. It is what Multiboot loaders take: QEMU
// refuses an ELF64 there.
func writeELF32(entry uint32, segs []segment) []byte {
	var b bytes.Buffer
	offsets := fileOffsets(binary.Size(elf.Header32{})+len(segs)*binary.Size(elf.Prog32{}), segs)
	put(&b, elf.Header32{
		Ident:     ident(elf.ELFCLASS32),
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(elf.EM_386),
		Version:   uint32(elf.EV_CURRENT),
		Entry:     entry,
		Phoff:     uint32(binary.Size(elf.Header32{})),
		Ehsize:    uint16(binary.Size(elf.Header32{})),
		Phentsize: uint16(binary.Size(elf.Prog32{})),
		Phnum:     uint16(len(segs)),
	})
	for i, s := range segs {
		put(&b, elf.Prog32{
			Type:   uint32(elf.PT_LOAD),
			Off:    uint32(offsets[i]),
			Vaddr:  uint32(s.addr),
			Paddr:  uint32(s.addr),
			Filesz: uint32(len(s.data)),
			Memsz:  uint32(s.size),
			Flags:  uint32(s.flags),
			Align:  dataAlign,
		})
	}
	return joinFile(b.Bytes(), segs, offsets)
}

// ident is the first 16 bytes of a little-endian ELF file.
func ident(class elf.Class) (id [elf.EI_NIDENT]byte) {
	copy(id[:], elf.ELFMAG)
	id[elf.EI_CLASS] = byte(class)
	id[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	id[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	return id
}

// put appends a struct of fixed size.
func put(b *bytes.Buffer, v any) {
	if err := binary.Write(b, binary.LittleEndian, v); err != nil {
		panic(err) // v has no fixed size: a mistake in this file
	}
}
