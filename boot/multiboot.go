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
