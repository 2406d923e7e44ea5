package net

import (
	"encoding/binary"
	"io"
	"syscall"

	"sched9/srv/call"
)

// message is what a call sends or receives: bytes in the program's memory, in several pieces, and what goes with them.
// It is an io.Reader of what the program sends and an io.Writer of what it receives.
type message struct {
	call    *call.Call
	pieces  []piece
	at      position // what is before it was read or written
	flags   int
	name    []byte // whom it is for; or whom it is from, if that is wanted
	control []byte // the ancillary data sent, or received
	room    int    // for ancillary data
	want    bool   // whom it is from is asked for
	out     int    // flags of what was received
}

// piece is memory of the program's.
type piece struct{ at, n uintptr }

// position is a place in the pieces of a message.
type position struct {
	piece int
	off   uintptr
}

// maxPieces is Linux's UIO_MAXIOV.
const maxPieces = 1024

// Len is the number of bytes that are left.
func (m *message) Len() int {
	n := -int(m.at.off)
	for _, p := range m.pieces[m.at.piece:] {
		n += int(p.n)
	}
	return n
}

// next returns the rest of the piece at the position, at most n bytes; 0 bytes: there are no more.
func (m *message) next(n int) (p uintptr, k int) {
	for ; m.at.piece < len(m.pieces); m.at = (position{m.at.piece + 1, 0}) {
		if p := m.pieces[m.at.piece]; p.n > m.at.off {
			return p.at + m.at.off, min(n, int(p.n-m.at.off))
		}
	}
	return 0, 0
}

// skip moves the position by n bytes.
func (m *message) skip(n int) {
	for n > 0 {
		_, k := m.next(n)
		if k == 0 {
			return
		}
		m.at.off += uintptr(k)
		n -= k
	}
}

// Read implements io.Reader.
func (m *message) Read(b []byte) (n int, err error) {
	for n < len(b) {
		p, k := m.next(len(b) - n)
		if k == 0 {
			break
		}
		if !m.call.In(b[n:n+k], p) {
			return n, syscall.EFAULT
		}
		m.at.off += uintptr(k)
		n += k
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Write implements io.Writer.
func (m *message) Write(b []byte) (n int, err error) {
	for n < len(b) {
		p, k := m.next(len(b) - n)
		if k == 0 {
			return n, io.ErrShortWrite
		}
		if !m.call.Out(p, b[n:n+k]) {
			return n, syscall.EFAULT
		}
		m.at.off += uintptr(k)
		n += k
	}
	return n, nil
}

// all returns a copy of all bytes.
func (m *message) all() ([]byte, syscall.Errno) {
	b := make([]byte, m.Len())
	if n, err := m.Read(b); err != nil && err != io.EOF || n < len(b) {
		return nil, syscall.EFAULT
	}
	return b, 0
}

// addPieces appends the n pieces that are listed at p (struct iovec).
func (m *message) addPieces(p, n uintptr) syscall.Errno {
	if n > maxPieces {
		return syscall.EMSGSIZE
	}
	total := uintptr(0)
	for i := range n {
		at, ok := m.call.Pointer(p + 16*i)
		var size [8]byte
		if !ok || !m.call.In(size[:], p+16*i+8) {
			return syscall.EFAULT
		}
		k := uintptr(binary.NativeEndian.Uint64(size[:]))
		if total += k; k > 1<<31 || total > 1<<31 {
			return syscall.EINVAL
		}
		m.pieces = append(m.pieces, piece{at, k})
	}
	return 0
}

// bytes returns n bytes of the program's at p, at most limit.
func bytesAt(c *call.Call, p, n, limit uintptr) ([]byte, syscall.Errno) {
	if n > limit {
		return nil, syscall.EINVAL
	}
	b := make([]byte, n)
	if !c.In(b, p) {
		return nil, syscall.EFAULT
	}
	return b, 0
}

// give stores b at p, where the program has as much room as the word at size says, and how long b is there.
func give(c *call.Call, b []byte, p, size uintptr) uintptr {
	var word [4]byte
	if p == 0 {
		return 0
	}
	if !c.In(word[:], size) {
		return call.Fail(syscall.EFAULT)
	}
	room := int32(binary.NativeEndian.Uint32(word[:]))
	if room < 0 {
		return call.Fail(syscall.EINVAL)
	}
	binary.NativeEndian.PutUint32(word[:], uint32(len(b)))
	if !c.Out(p, b[:min(len(b), int(room))]) || !c.Out(size, word[:]) {
		return call.Fail(syscall.EFAULT)
	}
	return 0
}

// struct msghdr, by its offsets in 64-bit systems.
const (
	msgName       = 0
	msgNameLen    = 8
	msgIov        = 16
	msgIovLen     = 24
	msgControl    = 32
	msgControlLen = 40
	msgFlags      = 48
	msgSize       = 56
)

// msghdr is what the program gave as struct msghdr.
type msghdr struct {
	at, name, control uintptr
	nameRoom          uint32
}

// readHeader fills m by the struct msghdr at p; with sent set, with what is to be sent too.
func (m *message) readHeader(p uintptr, sent bool) (h msghdr, errno syscall.Errno) {
	var raw [msgSize]byte
	h.at = p
	var ok [3]bool
	var iov uintptr
	h.name, ok[0] = m.call.Pointer(p + msgName)
	iov, ok[1] = m.call.Pointer(p + msgIov)
	h.control, ok[2] = m.call.Pointer(p + msgControl)
	if ok != [3]bool{true, true, true} || !m.call.In(raw[:], p) {
		return h, syscall.EFAULT
	}
	order := binary.NativeEndian
	h.nameRoom = order.Uint32(raw[msgNameLen:])
	if errno = m.addPieces(iov, uintptr(order.Uint64(raw[msgIovLen:]))); errno != 0 {
		return h, errno
	}
	controlLen := uintptr(order.Uint64(raw[msgControlLen:]))
	if !sent {
		m.want, m.room = h.name != 0, int(min(controlLen, 1<<16))
		return h, 0
	}
	if h.name != 0 && h.nameRoom > 0 {
		if m.name, errno = bytesAt(m.call, h.name, uintptr(h.nameRoom), maxName); errno != 0 {
			return h, errno
		}
	}
	m.control, errno = bytesAt(m.call, h.control, controlLen, 1<<16)
	if errno == syscall.EINVAL {
		errno = syscall.ENOBUFS
	}
	return h, errno
}

// writeHeader stores what was received.
func (m *message) writeHeader(h msghdr) syscall.Errno {
	order := binary.NativeEndian
	var size, flags [4]byte
	var long [8]byte
	order.PutUint32(size[:], uint32(len(m.name)))
	order.PutUint32(flags[:], uint32(m.out))
	order.PutUint64(long[:], uint64(len(m.control)))
	name := m.name[:min(len(m.name), int(h.nameRoom))]
	if h.name == 0 {
		name = nil
	}
	if !m.call.Out(h.name, name) || !m.call.Out(h.at+msgNameLen, size[:]) || !m.call.Out(h.control, m.control) ||
		!m.call.Out(h.at+msgControlLen, long[:]) || !m.call.Out(h.at+msgFlags, flags[:]) {
		return syscall.EFAULT
	}
	return 0
}
