// Package typed keeps what was typed, or sent, at the console until somebody reads
// it. Of a terminal's line discipline it has the three characters that a stream
// of bytes cannot do without if its end is to be told:
//
//   - ^D (4) at the beginning of a line is the end of the input, for good. In a
//     line it only ends the line, without a newline: so two of them are the
//     end wherever they stand.
//   - ^V (22) takes the meaning from the next byte, so that any byte can be sent.
//
// There is no editing and no echo. The caller locks.
package typed

// Size is how many bytes are kept.
const Size = 4 << 10

const (
	ctrlD = 4
	ctrlV = 22
)

// Buffer is typed input. Its zero value is empty, at the beginning of a line.
type Buffer struct {
	bytes   [Size]byte
	in, out uint32 // counts for ever, modulo 2^32
	inLine  bool   // not at the beginning of a line
	literal bool   // the next byte means nothing
	ended   bool
}

// Full reports whether there is no room for another byte.
func (b *Buffer) Full() bool { return b.in-b.out == Size }

// Put takes an input byte; there is room. Bytes after the end are dropped.
func (b *Buffer) Put(c byte) {
	switch {
	case b.ended:
		return
	case b.literal:
		b.literal = false
	case c == ctrlV:
		b.literal = true
		return
	case c == ctrlD:
		b.ended = !b.inLine
		b.inLine = false
		return
	}
	b.bytes[b.in%Size] = c
	b.in++
	b.inLine = c != '\n'
}

// Peek returns the next byte; ok is false if there is none. Get takes it out as well.
func (b *Buffer) Peek() (c byte, ok bool) { return b.bytes[b.out%Size], b.in != b.out }

// Get: see Peek.
func (b *Buffer) Get() (c byte, ok bool) {
	if c, ok = b.Peek(); ok {
		b.out++
	}
	return c, ok
}

// Ended reports whether all was read and no more will come.
func (b *Buffer) Ended() bool { return b.ended && b.in == b.out }
