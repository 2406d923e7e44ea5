package net

import (
	"encoding/binary"
	"syscall"

	"sched9/srv/call"
)

// maxName is the size of struct sockaddr_storage.
const maxName = 128

// serve is the Server.
func serve(c call.Call) (r uintptr, served bool) {
	switch c.Num {
	case syscall.SYS_SOCKET, syscall.SYS_SOCKETPAIR:
		return carryOut(c, nil), true
	case syscall.SYS_READ, syscall.SYS_WRITE, syscall.SYS_READV, syscall.SYS_WRITEV, syscall.SYS_SPLICE, syscall.SYS_SENDFILE:
		f := fileAt(c.A)
		if c.Num == syscall.SYS_SPLICE && f == nil {
			f = fileAt(c.C)
		}
		if f == nil {
			return 0, false
		}
		return carryOut(c, f), true
	case syscall.SYS_BIND, syscall.SYS_CONNECT, syscall.SYS_LISTEN, syscall.SYS_ACCEPT, syscall.SYS_ACCEPT4,
		syscall.SYS_GETSOCKNAME, syscall.SYS_GETPEERNAME, syscall.SYS_SENDTO, syscall.SYS_RECVFROM, syscall.SYS_SENDMSG,
		syscall.SYS_RECVMSG, syscall.SYS_SHUTDOWN, syscall.SYS_SETSOCKOPT, syscall.SYS_GETSOCKOPT:
		f := fileAt(c.A)
		if f != nil {
			return carryOut(c, f), true
		}
		if r := call.Kernel(syscall.SYS_FCNTL, c.A, syscall.F_GETFD, 0); call.Failed(r) {
			return r, true
		}
		return call.Fail(syscall.ENOTSOCK), true
	}
	return 0, false
}

// carryOut carries out a call. f is the socket that it names, if it names one.
//
//go:noinline
func carryOut(c call.Call, f *file) uintptr {
	switch c.Num {
	case syscall.SYS_SOCKET:
		s, errno := newSocket(int(c.A), int(c.B)&^typeFlags, int(c.C))
		if errno != 0 {
			return call.Fail(errno)
		}
		return open(s, c.B)
	case syscall.SYS_SOCKETPAIR:
		return pair(&c)
	case syscall.SYS_SPLICE, syscall.SYS_SENDFILE: // package net then reads and writes
		return call.Fail(syscall.EINVAL)
	case syscall.SYS_READ, syscall.SYS_READV, syscall.SYS_RECVFROM, syscall.SYS_RECVMSG:
		return receive(&c, f)
	case syscall.SYS_WRITE, syscall.SYS_WRITEV, syscall.SYS_SENDTO, syscall.SYS_SENDMSG:
		return send(&c, f)
	case syscall.SYS_BIND, syscall.SYS_CONNECT:
		name, errno := bytesAt(&c, c.B, c.C, maxName)
		switch {
		case errno != 0:
		case len(name) < 2:
			errno = syscall.EINVAL
		case c.Num == syscall.SYS_BIND:
			errno = f.bind(name)
		default:
			return connect(&c, f, name)
		}
		return call.Fail(errno)
	case syscall.SYS_LISTEN:
		return call.Fail(f.listen(int(int32(c.B))))
	case syscall.SYS_ACCEPT, syscall.SYS_ACCEPT4:
		return accept(&c, f)
	case syscall.SYS_GETSOCKNAME:
		return give(&c, f.name(), c.B, c.C)
	case syscall.SYS_GETPEERNAME:
		name, errno := f.peer()
		if errno != 0 {
			return call.Fail(errno)
		}
		return give(&c, name, c.B, c.C)
	case syscall.SYS_SHUTDOWN:
		if c.B > syscall.SHUT_RDWR {
			return call.Fail(syscall.EINVAL)
		}
		errno := f.shutdown(int(c.B))
		if errno == 0 {
			f.event()
		}
		return call.Fail(errno)
	case syscall.SYS_SETSOCKOPT:
		value, errno := bytesAt(&c, c.D, c.E, 4096)
		if l := f.limitOf(int(c.B), int(c.C)); errno == 0 && l != nil {
			errno = setLimit(l, value)
		} else if errno == 0 {
			errno = f.setOption(int(c.B), int(c.C), value)
		}
		return call.Fail(errno)
	case syscall.SYS_GETSOCKOPT:
		if l := f.limitOf(int(c.B), int(c.C)); l != nil {
			return giveOption(&c, getLimit(l))
		}
		value, errno := f.option(int(c.B), int(c.C))
		if errno != 0 {
			return call.Fail(errno)
		}
		return giveOption(&c, value)
	}
	return call.Fail(syscall.ENOSYS)
}

// typeFlags may be given with a socket's type.
const typeFlags = syscall.SOCK_NONBLOCK | syscall.SOCK_CLOEXEC

// newSocket makes a socket, which has no number yet.
func newSocket(family, typ, protocol int) (sock, syscall.Errno) {
	switch family {
	case syscall.AF_INET, syscall.AF_INET6:
		return newInet(family, typ, protocol)
	case syscall.AF_UNIX:
		if protocol != 0 && protocol != syscall.AF_UNIX {
			return nil, syscall.EPROTONOSUPPORT
		}
		return newUnix(typ)
	case syscall.AF_NETLINK:
		return newNetlink(typ, protocol)
	}
	return nil, syscall.EAFNOSUPPORT
}

// pair is socketpair.
func pair(c *call.Call) uintptr {
	if c.A != syscall.AF_UNIX {
		return call.Fail(syscall.EOPNOTSUPP)
	}
	a, errno := newUnix(int(c.B) &^ typeFlags)
	if errno != 0 {
		return call.Fail(errno)
	}
	b, _ := newUnix(int(c.B) &^ typeFlags)
	tie(a, b)
	var numbers [8]byte
	for i, s := range []sock{a, b} {
		n := open(s, c.B)
		if call.Failed(n) {
			if i == 0 {
				b.close()
			} else {
				call.Close(uintptr(binary.NativeEndian.Uint32(numbers[:])))
			}
			return n
		}
		binary.NativeEndian.PutUint32(numbers[4*i:], uint32(n))
	}
	if !c.Out(c.D, numbers[:]) {
		for i := range 2 {
			call.Close(uintptr(binary.NativeEndian.Uint32(numbers[4*i:])))
		}
		return call.Fail(syscall.EFAULT)
	}
	return 0
}

// connect is connect.
func connect(c *call.Call, f *file, name []byte) uintptr {
	errno := f.connect(name)
	if errno != syscall.EINPROGRESS && errno != syscall.EAGAIN || !waits(c.A) {
		return call.Fail(errno)
	}
	if errno == syscall.EAGAIN { // a unix listener's queue is full
		return f.try(true, &f.sends, func() uintptr { return call.Fail(f.connect(name)) })
	}
	r := f.try(true, &f.sends, func() uintptr {
		if f.connecting() {
			return call.Fail(syscall.EAGAIN)
		}
		return 0
	})
	if call.Failed(r) {
		return call.Fail(syscall.EINPROGRESS)
	}
	value, _ := f.option(syscall.SOL_SOCKET, syscall.SO_ERROR)
	return call.Fail(syscall.Errno(binary.NativeEndian.Uint32(value)))
}

// accept is accept4.
func accept(c *call.Call, f *file) uintptr {
	flags := c.D
	if c.Num == syscall.SYS_ACCEPT {
		flags = 0
	}
	if flags&^typeFlags != 0 {
		return call.Fail(syscall.EINVAL)
	}
	var s sock
	r := f.try(waits(c.A), &f.receives, func() (r uintptr) {
		var errno syscall.Errno
		s, errno = f.accept()
		return call.Fail(errno)
	})
	if call.Failed(r) {
		return r
	}
	name, _ := s.peer()
	n := open(s, flags)
	if !call.Failed(n) && c.B != 0 {
		if r := give(c, name, c.B, c.C); call.Failed(r) {
			call.Close(n)
			return r
		}
	}
	return n
}

// receive is read, readv, recvfrom and recvmsg.
func receive(c *call.Call, f *file) uintptr {
	m := &message{call: c}
	var h msghdr
	var errno syscall.Errno
	switch c.Num {
	case syscall.SYS_READ:
		m.pieces = []piece{{c.B, c.C}}
	case syscall.SYS_READV:
		errno = m.addPieces(c.B, c.C)
	case syscall.SYS_RECVFROM:
		m.pieces, m.flags, m.want = []piece{{c.B, c.C}}, int(c.D), c.E != 0
	case syscall.SYS_RECVMSG:
		m.flags = int(c.C)
		h, errno = m.readHeader(c.B, false)
	}
	if errno != 0 {
		return call.Fail(errno)
	}
	r := f.try(m.flags&syscall.MSG_DONTWAIT == 0 && waits(c.A), &f.receives, func() uintptr {
		m.at = position{}
		n, errno := f.recv(m)
		if errno != 0 {
			return call.Fail(errno)
		}
		return uintptr(n)
	})
	if call.Failed(r) {
		return r
	}
	if c.Num == syscall.SYS_RECVMSG {
		if errno := m.writeHeader(h); errno != 0 {
			return call.Fail(errno)
		}
	}
	if c.Num == syscall.SYS_RECVFROM && m.want {
		if e := give(c, m.name, c.E, c.F); call.Failed(e) {
			return e
		}
	}
	return r
}

// send is write, writev, sendto and sendmsg. A call that may wait sends everything, unless an error or a signal comes between.
func send(c *call.Call, f *file) uintptr {
	m := &message{call: c}
	var errno syscall.Errno
	switch c.Num {
	case syscall.SYS_WRITE:
		m.pieces = []piece{{c.B, c.C}}
	case syscall.SYS_WRITEV:
		errno = m.addPieces(c.B, c.C)
	case syscall.SYS_SENDTO:
		m.pieces, m.flags = []piece{{c.B, c.C}}, int(c.D)
		if c.E != 0 && c.F != 0 {
			m.name, errno = bytesAt(c, c.E, c.F, maxName)
		}
	case syscall.SYS_SENDMSG:
		m.flags = int(c.C)
		_, errno = m.readHeader(c.B, true)
	}
	if errno != 0 {
		return call.Fail(errno)
	}
	sent, size := 0, m.Len()
	may := m.flags&syscall.MSG_DONTWAIT == 0 && waits(c.A)
	r := f.try(may, &f.sends, func() uintptr {
		for {
			from := m.at
			n, errno := f.send(m)
			m.at = from // more may have been read than was taken
			if errno != 0 {
				return call.Fail(errno)
			}
			m.skip(n)
			if sent += n; sent == size || !may {
				return uintptr(sent)
			}
		}
	})
	if call.Failed(r) && sent > 0 {
		return uintptr(sent)
	}
	return r
}

// giveOption stores an option's value: as much of it as there is room for.
func giveOption(c *call.Call, value []byte) uintptr {
	var word [4]byte
	if !c.In(word[:], c.E) {
		return call.Fail(syscall.EFAULT)
	}
	room := int32(binary.NativeEndian.Uint32(word[:]))
	if room < 0 {
		return call.Fail(syscall.EINVAL)
	}
	value = value[:min(len(value), int(room))]
	binary.NativeEndian.PutUint32(word[:], uint32(len(value)))
	if !c.Out(c.D, value) || !c.Out(c.E, word[:]) {
		return call.Fail(syscall.EFAULT)
	}
	return 0
}
