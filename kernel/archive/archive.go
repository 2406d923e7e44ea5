// Package archive reads an archive of files in place, where a boot loader put it: cpio's "newc" form, as
// Linux's initramfs has it (Linux, Documentation/driver-api/early-userspace/buffer-format.rst). It copies and
// allocates nothing. The archive may hold anything: malformed data ends it.
package archive

const (
	magic   = "070701"
	trailer = "TRAILER!!!"

	// A header is the magic, and then numbers of 8 hexadecimal digits: these and others.
	modeAt  = 1
	timeAt  = 5
	sizeAt  = 6
	minorAt = 8  // of the number of the device that the file is on
	nameAt  = 11 // the length of the name, with the 0 behind it
	numbers = 13
	digits  = 8
	header  = len(magic) + numbers*digits
)

// A File is a member of an archive: slices of it.
type File struct {
	Name []byte
	Mode uint32 // as stat has it
	Time uint32 // of the last change, in seconds since 1970
	Data []byte

	// ReadOnly says that nothing may change the file: it is on the device with minor number ReadOnly.
	ReadOnly bool
}

// ReadOnly is the minor number of a device whose files may not be changed.
const ReadOnly = 1

// Next returns the first file of an archive and what follows it; ok is false at the end.
func Next(data []byte) (f File, rest []byte, ok bool) {
	if len(data) < header || string(data[:len(magic)]) != magic {
		return f, nil, false
	}
	var field [numbers]uint64 // each below 4 GiB, so no sum overflows
	for i := len(magic); i < header; i++ {
		c := data[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return f, nil, false
		}
		n := &field[(i-len(magic))/digits]
		*n = *n<<4 | uint64(c)
	}
	name := field[nameAt]
	from := align(uint64(header) + name)
	end := from + field[sizeAt]
	if name == 0 || end > uint64(len(data)) || data[uint64(header)+name-1] != 0 {
		return f, nil, false
	}
	f = File{
		Name: data[header : uint64(header)+name-1], Data: data[from:end],
		Mode: uint32(field[modeAt]), Time: uint32(field[timeAt]), ReadOnly: field[minorAt] == ReadOnly,
	}
	if string(f.Name) == trailer {
		return File{}, nil, false
	}
	return f, data[min(align(end), uint64(len(data))):], true
}

// Find returns the contents of the file called name.
func Find(data []byte, name string) (contents []byte, ok bool) {
	for {
		f, rest, ok := Next(data)
		if !ok {
			return nil, false
		}
		if string(f.Name) == name {
			return f.Data, true
		}
		data = rest
	}
}

// align rounds up to the alignment of names and contents.
func align(n uint64) uint64 { return (n + 3) &^ 3 }
