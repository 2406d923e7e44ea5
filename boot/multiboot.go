package boot

import "encoding/binary"

// The Multiboot header (Multiboot 0.6.96, 3.1.1 and 3.1.2).
const (
	multibootMagic      = 0x1badb002
	multibootPageAlign  = 1 << 0 // modules begin on page boundaries
	multibootMemoryInfo = 1 << 1 // tell the memory map
	multibootFlags      = multibootPageAlign | multibootMemoryInfo

	// multibootSearch is how much of the file a loader looks at.
	multibootSearch = 8192
)

// multibootHeader is the header of an image whose addresses are those of its
// ELF headers, which is what the absence of flag bit 16 says.
func multibootHeader() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, multibootMagic)
	b = le.AppendUint32(b, multibootFlags)
	sum := uint32(multibootMagic + multibootFlags)
	return le.AppendUint32(b, -sum)
}

// The header of Multiboot 2 (2.0, 3.1). It stands beside that of version 1, in the same file: a loader looks for the one
// that it knows. Under UEFI version 2 is the one to have: its loaders pass ACPI's root pointer, which no search finds there.
const (
	multiboot2Magic = 0xe85250d6
	multiboot2I386  = 0 // entered in 32-bit protected mode
	multiboot2Align = 6 // a tag: modules begin on page boundaries

	// multiboot2Search is how much of the file a loader looks at, at multiples of 8.
	multiboot2Search = 32768
)

// multiboot2Header is the header of an image whose addresses are those of its ELF headers, which is what the
// absence of an address tag says.
func multiboot2Header() []byte {
	le := binary.LittleEndian
	tag := func(b []byte, kind uint16) []byte { // of no more than its head
		b = le.AppendUint16(b, kind)
		b = le.AppendUint16(b, 0) // what the loader does not know is an error
		return le.AppendUint32(b, 8)
	}
	tags := tag(tag(nil, multiboot2Align), 0)
	size := uint32(16 + len(tags))
	b := le.AppendUint32(nil, multiboot2Magic)
	b = le.AppendUint32(b, multiboot2I386)
	b = le.AppendUint32(b, size)
	sum := uint32(multiboot2Magic + multiboot2I386)
	return append(le.AppendUint32(b, -(sum+size)), tags...)
}

// findMultiboot looks for a header as a loader does: at any multiple of four
// within the search range, magic, flags and checksum adding up to zero.
func findMultiboot(file []byte) (flags uint32, ok bool) {
	file = file[:min(len(file), multibootSearch)]
	le := binary.LittleEndian
	for ; len(file) >= 12; file = file[4:] {
		magic, flags, sum := le.Uint32(file), le.Uint32(file[4:]), le.Uint32(file[8:])
		if magic == multibootMagic && magic+flags+sum == 0 {
			return flags, true
		}
	}
	return 0, false
}
