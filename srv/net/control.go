package net

import (
	"encoding/binary"
	"syscall"
)

// Ancillary data: messages with a header each (struct cmsghdr).

// cmsgHeader is the header's size.
const cmsgHeader = syscall.SizeofCmsghdr

// align rounds up to a header's alignment.
func align(n int) int { return (n + 7) &^ 7 }

// appendControl adds a message.
func appendControl(b []byte, level, kind int, data []byte) []byte {
	b = binary.NativeEndian.AppendUint64(b, uint64(cmsgHeader+len(data)))
	b = binary.NativeEndian.AppendUint32(b, uint32(level))
	b = binary.NativeEndian.AppendUint32(b, uint32(kind))
	b = append(b, data...)
	return append(b, make([]byte, align(len(data))-len(data))...)
}

// nextControl takes the first message off b.
func nextControl(b []byte) (level, kind int, data, rest []byte, errno syscall.Errno) {
	if len(b) < cmsgHeader {
		return 0, 0, nil, nil, syscall.EINVAL
	}
	n := binary.NativeEndian.Uint64(b)
	if n < cmsgHeader || n > uint64(len(b)) {
		return 0, 0, nil, nil, syscall.EINVAL
	}
	level, kind = int(int32(binary.NativeEndian.Uint32(b[8:]))), int(int32(binary.NativeEndian.Uint32(b[12:])))
	return level, kind, b[cmsgHeader:n], b[min(align(int(n)), len(b)):], 0
}
