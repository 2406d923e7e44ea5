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

	// Tags: modules begin on page boundaries; text mode will do, if there is no framebuffer; a framebuffer is wanted, if there
	// can be one. Without that a loader under UEFI leaves no screen.
	multiboot2Align    = 6
	multiboot2Console  = 4
	multiboot2Screen   = 5
	multiboot2Optional = 1 // a flag

	// multiboot2Search is how much of the file a loader looks at, at multiples of 8.
	multiboot2Search = 32768
)

// multiboot2Header is the header of an image whose addresses are those of its ELF headers, which is what the
// absence of an address tag says.
func multiboot2Header() []byte {
	le := binary.LittleEndian
	// What the loader does not know is an error, unless flags say otherwise. A tag begins on a multiple of 8.
	tag := func(b []byte, kind, flags uint16, words ...uint32) []byte {
		b = le.AppendUint16(b, kind)
		b = le.AppendUint16(b, flags)
		b = le.AppendUint32(b, uint32(8+4*len(words)))
		for _, w := range words {
			b = le.AppendUint32(b, w)
		}
		return append(b, make([]byte, len(words)%2*4)...)
	}
	// GRUB looks at the depth only if there is a size, and takes what it likes where there is no such mode.
	const textToo, width, height, depth = 1 << 1, 1024, 768, 32
	tags := tag(nil, multiboot2Align, 0)
	tags = tag(tags, multiboot2Console, multiboot2Optional, textToo)
	tags = tag(tags, multiboot2Screen, multiboot2Optional, width, height, depth)
	tags = tag(tags, 0, 0)
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
