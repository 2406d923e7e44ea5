package net

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"syscall"

	"sched9/srv/call"
)

// unixSock is a unix socket: what is sent goes to the queue of the other. unix.lock guards all of them: nothing that is done
// under it waits, and functions that attach got may be called.
type unixSock struct {
	typ    int
	notify func()
	named  []byte // its name, or none
	inode  uint64 // of its name in the file system, else 0

	end      *unixSock // whom it is connected to, which may be closed
	peerName []byte
	ended    [2]bool // by shutdown, by its direction (SHUT_RD, SHUT_WR)
	closed   bool
	err      syscall.Errno // SO_ERROR
	creds    bool          // SO_PASSCRED

	queue   []packet
	size    int                // the bytes in queue
	blocked map[*unixSock]bool // those that wait for room in queue, or in pending

	backlog int // more than 0: it listens
	pending []*unixSock
}

// packet is what was sent by one call.
type packet struct {
	data  []byte
	from  []byte
	files []uintptr // numbers of files, which are open for this packet
}

// unix has the sockets that can be connected to.
var unix = struct {
	lock  sync.Mutex
	names map[abstract]*unixSock
	nodes map[uint64]*unixSock // names in the file system
	next  int                  // of the names that the system chooses
}{names: map[abstract]*unixSock{}, nodes: map[uint64]*unixSock{}}

// abstract is a name that is in no file system, without its zero byte. Each type of socket has its own.
type abstract struct {
	typ  int
	name string
}

// room is how many bytes a queue takes (Linux's net.core.wmem_default).
const room = 212992

// newUnix makes a socket.
func newUnix(typ int) (*unixSock, syscall.Errno) {
	switch typ {
	case syscall.SOCK_STREAM, syscall.SOCK_DGRAM, syscall.SOCK_SEQPACKET:
		return &unixSock{typ: typ, notify: func() {}, blocked: map[*unixSock]bool{}}, 0
	}
	return nil, syscall.ESOCKTNOSUPPORT
}

// tie connects two sockets.
func tie(a, b *unixSock) { a.end, b.end = b, a }

// attach implements sock, as the rest does.
func (s *unixSock) attach(notify func()) {
	unix.lock.Lock()
	s.notify = notify
	unix.lock.Unlock()
}

// release tells those that wait for room.
func (s *unixSock) release() {
	for b := range s.blocked {
		b.notify()
	}
	clear(s.blocked)
}

func (s *unixSock) close() {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	s.closed = true
	if s.inode != 0 && unix.nodes[s.inode] == s {
		delete(unix.nodes, s.inode)
	}
	if len(s.named) > 2 && s.inode == 0 {
		if name := s.abstract(s.named); unix.names[name] == s {
			delete(unix.names, name)
		}
	}
	if p := s.end; p != nil {
		if len(s.queue) > 0 && p.end == s && s.typ != syscall.SOCK_DGRAM {
			p.err = syscall.ECONNRESET
		}
		p.notify()
	}
	for _, p := range s.pending {
		p.closed = true
		p.end.err = syscall.ECONNRESET
		p.end.notify()
	}
	for _, p := range s.queue {
		closeAll(p.files)
	}
	s.queue, s.pending = nil, nil
	s.release()
}

// closeAll closes files that nobody got.
func closeAll(numbers []uintptr) {
	for _, n := range numbers {
		if call.At(n) != nil {
			go call.Close(n) // it may be a unix socket, whose lock is held here
			continue
		}
		call.Close(n)
	}
}

// abstract returns the abstract name that a name is for s.
func (s *unixSock) abstract(name []byte) abstract { return abstract{s.typ, string(name[3:])} }

// path is the file that a name names, or "".
func path(name []byte) string {
	p := name[2:]
	if i := bytes.IndexByte(p, 0); i >= 0 {
		p = p[:i]
	}
	return string(p)
}

// checkName reports what is wrong with a name.
func checkName(name []byte) syscall.Errno {
	const most = 110 // struct sockaddr_un
	if len(name) > most || binary.NativeEndian.Uint16(name) != syscall.AF_UNIX {
		return syscall.EINVAL
	}
	return 0
}

func (s *unixSock) bind(name []byte) syscall.Errno {
	if errno := checkName(name); errno != 0 {
		return errno
	}
	unix.lock.Lock()
	defer unix.lock.Unlock()
	if s.named != nil {
		return syscall.EINVAL
	}
	if len(name) == 2 { // the system chooses
		for s.named == nil {
			auto := fmt.Sprintf("%05x", unix.next&0xfffff)
			unix.next++
			full := append(bytes.Clone(name), "\x00"+auto...)
			if at := s.abstract(full); unix.names[at] == nil {
				unix.names[at] = s
				s.named = full
			}
		}
		return 0
	}
	if name[2] == 0 {
		if unix.names[s.abstract(name)] != nil {
			return syscall.EADDRINUSE
		}
		unix.names[s.abstract(name)] = s
		s.named = bytes.Clone(name)
		return 0
	}
	p := path(name)
	switch err := syscall.Mknod(p, syscall.S_IFSOCK|0o777, 0); err {
	case nil:
	case syscall.EEXIST:
		return syscall.EADDRINUSE
	default:
		return err.(syscall.Errno)
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(p, &st); err != nil {
		return err.(syscall.Errno)
	}
	s.inode = st.Ino
	unix.nodes[s.inode] = s
	s.named = append(bytes.Clone(name[:2]), p+"\x00"...)
	return 0
}

// find returns the socket of a name. unix.lock is held.
func (s *unixSock) find(name []byte) (*unixSock, syscall.Errno) {
	if errno := checkName(name); errno != 0 {
		return nil, errno
	}
	if len(name) == 2 {
		return nil, syscall.EINVAL
	}
	var other *unixSock
	if name[2] == 0 {
		other = unix.names[s.abstract(name)]
	} else {
		var st syscall.Stat_t
		if err := syscall.Stat(path(name), &st); err != nil {
			return nil, err.(syscall.Errno)
		}
		if st.Mode&syscall.S_IFMT == syscall.S_IFSOCK {
			other = unix.nodes[st.Ino]
		}
	}
	switch {
	case other == nil:
		return nil, syscall.ECONNREFUSED
	case other.typ != s.typ:
		return nil, syscall.EPROTOTYPE
	}
	return other, 0
}

func (s *unixSock) connect(name []byte) syscall.Errno {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	if s.typ == syscall.SOCK_DGRAM && binary.NativeEndian.Uint16(name) == syscall.AF_UNSPEC {
		s.end, s.peerName = nil, nil
		return 0
	}
	if s.backlog > 0 || len(name) == 2 {
		return syscall.EINVAL
	}
	if s.end != nil && s.typ != syscall.SOCK_DGRAM {
		return syscall.EISCONN
	}
	other, errno := s.find(name)
	if errno != 0 {
		return errno
	}
	if s.typ == syscall.SOCK_DGRAM {
		s.end, s.peerName = other, other.named
		return 0
	}
	if other.backlog == 0 {
		return syscall.ECONNREFUSED
	}
	if len(other.pending) > other.backlog {
		other.blocked[s] = true
		return syscall.EAGAIN
	}
	served, _ := newUnix(s.typ)
	tie(s, served)
	s.peerName, served.named, served.peerName = other.named, other.named, s.named
	served.creds = other.creds
	other.pending = append(other.pending, served)
	other.notify()
	return 0
}

// connecting is false: a connection is there at once, or there is no room for it.
func (s *unixSock) connecting() bool { return false }

func (s *unixSock) listen(backlog int) syscall.Errno {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	switch {
	case s.typ == syscall.SOCK_DGRAM:
		return syscall.EOPNOTSUPP
	case s.named == nil || s.end != nil:
		return syscall.EINVAL
	}
	const most = 4096 // Linux's net.core.somaxconn
	if backlog < 0 || backlog > most {
		backlog = most
	}
	s.backlog = max(backlog, 1)
	s.release()
	return 0
}

func (s *unixSock) accept() (sock, syscall.Errno) {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	switch {
	case s.typ == syscall.SOCK_DGRAM:
		return nil, syscall.EOPNOTSUPP
	case s.backlog == 0 || s.closed || s.ended[syscall.SHUT_RD]:
		return nil, syscall.EINVAL
	case len(s.pending) == 0:
		return nil, syscall.EAGAIN
	}
	next := s.pending[0]
	s.pending = s.pending[1:]
	s.release()
	return next, 0
}

// nameOr is a name, or that of a socket that has none.
func nameOr(name []byte) []byte {
	if name == nil {
		return binary.NativeEndian.AppendUint16(nil, syscall.AF_UNIX)
	}
	return name
}

func (s *unixSock) name() []byte {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	return nameOr(s.named)
}

func (s *unixSock) peer() ([]byte, syscall.Errno) {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	if s.end == nil {
		return nil, syscall.ENOTCONN
	}
	return nameOr(s.peerName), 0
}

func (s *unixSock) shutdown(how int) syscall.Errno {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	if s.end == nil && s.typ != syscall.SOCK_DGRAM && s.backlog == 0 {
		return syscall.ENOTCONN
	}
	for direction := range s.ended {
		s.ended[direction] = s.ended[direction] || how == direction || how == syscall.SHUT_RDWR
	}
	if s.end != nil {
		s.end.notify()
	}
	s.release()
	return 0
}

// takes reports whether there is somebody to read what is sent to it from s.
func (s *unixSock) takes(from *unixSock) syscall.Errno {
	switch {
	case from.ended[syscall.SHUT_WR]:
		return syscall.EPIPE
	case s.closed && s.typ == syscall.SOCK_DGRAM:
		return syscall.ECONNREFUSED
	case s.closed || s.ended[syscall.SHUT_RD]:
		return syscall.EPIPE
	}
	return 0
}

func (s *unixSock) send(m *message) (n int, errno syscall.Errno) {
	if m.flags&syscall.MSG_OOB != 0 {
		return 0, syscall.EOPNOTSUPP
	}
	files, errno := sentFiles(m.control)
	if errno != 0 {
		return 0, errno
	}
	unix.lock.Lock()
	defer unix.lock.Unlock()
	defer func() {
		if errno != 0 {
			closeAll(files)
		}
	}()
	to := s.end
	if len(m.name) > 0 {
		switch {
		case s.typ == syscall.SOCK_DGRAM:
			if to, errno = s.find(m.name); errno != 0 {
				return 0, errno
			}
		case s.end != nil:
			return 0, syscall.EISCONN
		case s.typ == syscall.SOCK_STREAM:
			return 0, syscall.EOPNOTSUPP
		}
	}
	if to == nil {
		return 0, syscall.ENOTCONN
	}
	if s.err != 0 && s.typ == syscall.SOCK_SEQPACKET {
		errno, s.err = s.err, 0
		return 0, errno
	}
	if errno := to.takes(s); errno != 0 {
		return 0, errno
	}
	n = m.Len()
	if s.typ == syscall.SOCK_STREAM {
		if n == 0 {
			return 0, 0
		}
		n = max(0, min(n, room-to.size))
	} else if n > room {
		return 0, syscall.EMSGSIZE
	}
	if n == 0 && s.typ == syscall.SOCK_STREAM || s.typ != syscall.SOCK_STREAM && to.size > 0 && to.size+n > room {
		to.blocked[s] = true
		return 0, syscall.EAGAIN
	}
	data := make([]byte, n)
	if _, err := m.Read(data); err != nil && err != io.EOF {
		return 0, syscall.EFAULT
	}
	to.queue = append(to.queue, packet{data, s.named, files})
	to.size += n + 1
	to.notify()
	return n, 0
}

// sentFiles opens the files whose numbers ancillary data has, for whoever receives them.
func sentFiles(control []byte) (numbers []uintptr, errno syscall.Errno) {
	for len(control) > 0 && errno == 0 {
		var level, kind int
		var data []byte
		level, kind, data, control, errno = nextControl(control)
		if level != syscall.SOL_SOCKET || kind != syscall.SCM_RIGHTS {
			continue
		}
		for ; len(data) >= 4 && errno == 0; data = data[4:] {
			n := call.Duplicate(syscall.SYS_FCNTL, uintptr(binary.NativeEndian.Uint32(data)), syscall.F_DUPFD_CLOEXEC, 0)
			if call.Failed(n) {
				errno = syscall.Errno(-n)
				break
			}
			numbers = append(numbers, n)
		}
	}
	if errno != 0 {
		closeAll(numbers)
	}
	return numbers, errno
}

func (s *unixSock) recv(m *message) (n int, errno syscall.Errno) {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	if m.flags&syscall.MSG_OOB != 0 {
		return 0, syscall.EOPNOTSUPP
	}
	stream := s.typ == syscall.SOCK_STREAM
	if len(s.queue) == 0 {
		switch {
		case s.err != 0:
			errno, s.err = s.err, 0
			return 0, errno
		case s.ended[syscall.SHUT_RD] || s.closed:
			return 0, 0
		case s.typ == syscall.SOCK_DGRAM:
			return 0, syscall.EAGAIN
		case s.end == nil && stream:
			return 0, syscall.EINVAL
		case s.end == nil:
			return 0, syscall.ENOTCONN
		case s.end.closed || s.end.ended[syscall.SHUT_WR]:
			return 0, 0
		}
		return 0, syscall.EAGAIN
	}
	peek := m.flags&syscall.MSG_PEEK != 0
	for i := 0; i < len(s.queue); {
		p := &s.queue[i]
		if n > 0 && len(p.files) > 0 {
			break // what comes with files begins a call
		}
		k, err := m.Write(p.data)
		n += k
		if err != nil && err != io.ErrShortWrite {
			return 0, syscall.EFAULT
		}
		if m.want && p.from != nil {
			m.name = p.from
		}
		if !peek {
			s.giveFiles(p, m)
			s.size -= k
		}
		if !stream {
			if k < len(p.data) {
				m.out |= syscall.MSG_TRUNC
				if m.flags&syscall.MSG_TRUNC != 0 {
					n = len(p.data)
				}
				s.size -= len(p.data) - k
			}
			k = len(p.data)
		}
		if peek {
			i++
		} else if p.data = p.data[k:]; len(p.data) == 0 {
			s.size--
			s.queue = s.queue[1:]
		}
		if !stream || err != nil || m.Len() == 0 {
			break
		}
	}
	if !peek {
		s.release()
	}
	return n, 0
}

// giveFiles hands the files of a packet out, and who sent it.
func (s *unixSock) giveFiles(p *packet, m *message) {
	if s.creds && m.room >= align(cmsgHeader+12) && len(m.control) == 0 {
		m.control = appendControl(m.control, syscall.SOL_SOCKET, syscall.SCM_CREDENTIALS, credentials())
	}
	var data []byte
	for i, n := range p.files {
		if len(m.control)+align(cmsgHeader+4*(i+1)) > align(m.room) {
			m.out |= syscall.MSG_CTRUNC
			closeAll(p.files[i:])
			break
		}
		data = binary.NativeEndian.AppendUint32(data, uint32(n))
	}
	if p.files = nil; data != nil {
		m.control = appendControl(m.control, syscall.SOL_SOCKET, syscall.SCM_RIGHTS, data)
		m.control = m.control[:min(len(m.control), m.room)]
	}
}

// credentials is the program's own struct ucred: there is no other process.
func credentials() []byte {
	return append(number(syscall.Getpid()), append(number(syscall.Getuid()), number(syscall.Getgid())...)...)
}

func (s *unixSock) option(level, name int) ([]byte, syscall.Errno) {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	if level != syscall.SOL_SOCKET {
		return nil, syscall.EOPNOTSUPP
	}
	switch name {
	case syscall.SO_ERROR:
		errno := s.err
		s.err = 0
		return number(int(errno)), 0
	case syscall.SO_TYPE:
		return number(s.typ), 0
	case soDomain:
		return number(syscall.AF_UNIX), 0
	case soProtocol:
		return number(0), 0
	case syscall.SO_ACCEPTCONN:
		return truth(s.backlog > 0), 0
	case syscall.SO_PASSCRED:
		return truth(s.creds), 0
	case syscall.SO_PEERCRED:
		return credentials(), 0
	case syscall.SO_SNDBUF, syscall.SO_RCVBUF:
		return number(room), 0
	case syscall.SO_REUSEADDR, syscall.SO_BROADCAST, syscall.SO_KEEPALIVE:
		return number(0), 0
	}
	return nil, syscall.ENOPROTOOPT
}

func (s *unixSock) setOption(level, name int, value []byte) syscall.Errno {
	unix.lock.Lock()
	defer unix.lock.Unlock()
	v, ok := toNumber(level, value)
	switch {
	case level != syscall.SOL_SOCKET:
		return syscall.EOPNOTSUPP
	case !ok:
		return syscall.EINVAL
	}
	switch name {
	case syscall.SO_PASSCRED:
		s.creds = v != 0
		return 0
	case syscall.SO_REUSEADDR, syscall.SO_BROADCAST, syscall.SO_KEEPALIVE, syscall.SO_SNDBUF, syscall.SO_RCVBUF:
		return 0 // they mean nothing here, and a queue has one size
	}
	return syscall.ENOPROTOOPT
}
