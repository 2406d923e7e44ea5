package net

import (
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
)

// netlink is a socket by which a program asks for interfaces and addresses (NETLINK_ROUTE): as package net does for
// net.Interfaces. Dumps of links and of addresses are answered, everything else with EOPNOTSUPP.
type netlink struct {
	typ    int
	notify func()

	lock    sync.Mutex // guards the rest
	port    uint32     // its address; 0: none yet
	answers [][]byte   // what recv gives, a datagram each
}

// ports are the addresses of sockets: the first has the process's number, as on Linux.
var ports atomic.Uint32

// maxAnswers is how many datagrams wait for recv.
const maxAnswers = 64

// Constants of Linux's that package syscall does not have on all architectures.
const (
	sizeofName    = syscall.SizeofSockaddrNetlink
	arpLoopback   = 772
	arpEthernet   = 1
	flagLowerUp   = 1 << 16
	ifaPermanent  = 0x80
	scopeUniverse = 0
	scopeLink     = 253
	scopeHost     = 254
)

// newNetlink makes a socket.
func newNetlink(typ, protocol int) (sock, syscall.Errno) {
	if typ != syscall.SOCK_RAW && typ != syscall.SOCK_DGRAM {
		return nil, syscall.ESOCKTNOSUPPORT
	}
	if protocol != syscall.NETLINK_ROUTE {
		return nil, syscall.EPROTONOSUPPORT
	}
	return &netlink{typ: typ, notify: func() {}}, 0
}

// attach implements sock, as the rest does.
func (s *netlink) attach(notify func()) { s.notify = notify }

// have gives the socket an address, unless it has one. lock is held.
func (s *netlink) have() {
	if s.port == 0 {
		s.port = ports.Add(1)
	}
}

// parse checks a name: the kernel's, or for bind one's own. Groups that tell of changes have no members here, and nothing
// changes.
func (s *netlink) parse(name []byte) (port uint32, errno syscall.Errno) {
	if len(name) < sizeofName || binary.NativeEndian.Uint16(name) != syscall.AF_NETLINK {
		return 0, syscall.EINVAL
	}
	return binary.NativeEndian.Uint32(name[4:]), 0
}

func (s *netlink) bind(name []byte) syscall.Errno {
	port, errno := s.parse(name)
	if errno != 0 {
		return errno
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if port != 0 && s.port != 0 && port != s.port {
		return syscall.EINVAL
	}
	if s.port == 0 {
		s.port = port
	}
	s.have()
	return 0
}

func (s *netlink) connect(name []byte) syscall.Errno {
	port, errno := s.parse(name)
	if errno == 0 && port != 0 {
		errno = syscall.EPERM // only the kernel is there
	}
	s.lock.Lock()
	s.have()
	s.lock.Unlock()
	return errno
}

func (s *netlink) connecting() bool              { return false }
func (s *netlink) listen(int) syscall.Errno      { return syscall.EOPNOTSUPP }
func (s *netlink) accept() (sock, syscall.Errno) { return nil, syscall.EOPNOTSUPP }
func (s *netlink) shutdown(int) syscall.Errno    { return syscall.EOPNOTSUPP }
func (s *netlink) close()                        {}
func (s *netlink) peer() ([]byte, syscall.Errno) { return netlinkName(0), 0 }
func (s *netlink) setOption(level, name int, value []byte) syscall.Errno {
	if level == syscall.SOL_SOCKET && (name == syscall.SO_RCVBUF || name == syscall.SO_SNDBUF) {
		return 0
	}
	return syscall.ENOPROTOOPT
}

func (s *netlink) name() []byte {
	s.lock.Lock()
	defer s.lock.Unlock()
	return netlinkName(s.port)
}

// netlinkName makes a name (struct sockaddr_nl).
func netlinkName(port uint32) []byte {
	b := make([]byte, sizeofName)
	binary.NativeEndian.PutUint16(b, syscall.AF_NETLINK)
	binary.NativeEndian.PutUint32(b[4:], port)
	return b
}

func (s *netlink) option(level, name int) ([]byte, syscall.Errno) {
	if level == syscall.SOL_SOCKET {
		switch name {
		case syscall.SO_TYPE:
			return number(s.typ), 0
		case soDomain:
			return number(syscall.AF_NETLINK), 0
		case syscall.SO_ERROR, soProtocol:
			return number(0), 0
		case syscall.SO_SNDBUF, syscall.SO_RCVBUF:
			return number(room), 0
		}
	}
	return nil, syscall.ENOPROTOOPT
}

// send carries requests out: their answers are there when it returns.
func (s *netlink) send(m *message) (int, syscall.Errno) {
	if m.name != nil {
		port, errno := s.parse(m.name)
		if errno == 0 && port != 0 {
			errno = syscall.ECONNREFUSED // nobody is there
		}
		if errno != 0 {
			return 0, errno
		}
	}
	if m.Len() > room {
		return 0, syscall.EMSGSIZE
	}
	b, errno := m.all()
	if errno != 0 {
		return 0, errno
	}
	n := len(b)
	s.lock.Lock()
	s.have()
	for len(b) >= syscall.NLMSG_HDRLEN {
		size := int(binary.NativeEndian.Uint32(b))
		if size < syscall.NLMSG_HDRLEN || size > len(b) {
			break // Linux, too, says nothing
		}
		if len(s.answers) >= maxAnswers {
			s.lock.Unlock()
			return 0, syscall.ENOBUFS
		}
		s.answer(b[:size])
		b = b[min((size+3)&^3, len(b)):]
	}
	s.lock.Unlock()
	s.notify()
	return n, 0
}

// answer queues the answers to a request. lock is held.
func (s *netlink) answer(request []byte) {
	kind, flags := binary.NativeEndian.Uint16(request[4:]), binary.NativeEndian.Uint16(request[6:])
	if flags&syscall.NLM_F_REQUEST == 0 || kind < syscall.NLMSG_MIN_TYPE {
		return
	}
	a := answer{seq: binary.NativeEndian.Uint32(request[8:]), port: s.port}
	const dump = syscall.NLM_F_DUMP
	switch {
	case flags&dump == dump && kind == syscall.RTM_GETLINK:
		for _, id := range interfaces() {
			a.link(id, network().NICInfo()[id])
		}
	case flags&dump == dump && kind == syscall.RTM_GETADDR:
		for _, id := range interfaces() {
			for _, p := range network().NICInfo()[id].ProtocolAddresses {
				a.address(id, network().NICInfo()[id].Name, p)
			}
		}
	default:
		errno := int32(syscall.EOPNOTSUPP)
		a.begin(syscall.NLMSG_ERROR, 0)
		a.data = binary.NativeEndian.AppendUint32(a.data, uint32(-errno))
		a.data = append(a.data, request[:syscall.NLMSG_HDRLEN]...)
		a.end()
		s.answers = append(s.answers, a.data)
		return
	}
	s.answers = append(s.answers, a.data)
	a.data = nil
	a.begin(syscall.NLMSG_DONE, syscall.NLM_F_MULTI)
	a.data = binary.NativeEndian.AppendUint32(a.data, 0)
	a.end()
	s.answers = append(s.answers, a.data)
}

// interfaces are the numbers of the interfaces, in order.
func interfaces() []tcpip.NICID { return slices.Sorted(maps.Keys(network().NICInfo())) }

func (s *netlink) recv(m *message) (int, syscall.Errno) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.answers) == 0 {
		return 0, syscall.EAGAIN
	}
	a := s.answers[0]
	n, err := m.Write(a)
	if err != nil && err != io.ErrShortWrite {
		return 0, syscall.EFAULT
	}
	if m.want {
		m.name = netlinkName(0)
	}
	if n < len(a) {
		m.out |= syscall.MSG_TRUNC
		if m.flags&syscall.MSG_TRUNC != 0 {
			n = len(a)
		}
	}
	if m.flags&syscall.MSG_PEEK == 0 {
		s.answers = s.answers[1:]
	}
	return n, 0
}

// answer is messages that answer a request.
type answer struct {
	seq, port uint32
	data      []byte
	at        int // where the message begins that is being made
}

// begin begins a message, and end ends it.
func (a *answer) begin(kind, flags uint16) {
	a.at = len(a.data)
	a.data = binary.NativeEndian.AppendUint32(a.data, 0)
	a.data = binary.NativeEndian.AppendUint16(a.data, kind)
	a.data = binary.NativeEndian.AppendUint16(a.data, flags)
	a.data = binary.NativeEndian.AppendUint32(a.data, a.seq)
	a.data = binary.NativeEndian.AppendUint32(a.data, a.port)
}

// end: see begin.
func (a *answer) end() { binary.NativeEndian.PutUint32(a.data[a.at:], uint32(len(a.data)-a.at)) }

// attribute adds an attribute (struct rtattr).
func (a *answer) attribute(kind uint16, value []byte) {
	a.data = binary.NativeEndian.AppendUint16(a.data, uint16(syscall.SizeofRtAttr+len(value)))
	a.data = binary.NativeEndian.AppendUint16(a.data, kind)
	a.data = append(a.data, value...)
	for len(a.data)%4 != 0 {
		a.data = append(a.data, 0)
	}
}

// link adds an interface (struct ifinfomsg).
func (a *answer) link(id tcpip.NICID, i stack.NICInfo) {
	kind, flags := uint16(arpEthernet), uint32(syscall.IFF_BROADCAST|syscall.IFF_MULTICAST)
	address, all := []byte(i.LinkAddress), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	if i.Flags.Loopback {
		kind, flags, address, all = arpLoopback, syscall.IFF_LOOPBACK, make([]byte, 6), make([]byte, 6)
	}
	if i.Flags.Up {
		flags |= syscall.IFF_UP
	}
	if i.Flags.Running {
		flags |= syscall.IFF_RUNNING | flagLowerUp
	}
	a.begin(syscall.RTM_NEWLINK, syscall.NLM_F_MULTI)
	a.data = append(a.data, syscall.AF_UNSPEC, 0)
	a.data = binary.NativeEndian.AppendUint16(a.data, kind)
	a.data = binary.NativeEndian.AppendUint32(a.data, uint32(id))
	a.data = binary.NativeEndian.AppendUint32(a.data, flags)
	a.data = binary.NativeEndian.AppendUint32(a.data, 0)
	a.attribute(syscall.IFLA_IFNAME, append([]byte(i.Name), 0))
	a.attribute(syscall.IFLA_MTU, binary.NativeEndian.AppendUint32(nil, i.MTU))
	a.attribute(syscall.IFLA_ADDRESS, address)
	a.attribute(syscall.IFLA_BROADCAST, all)
	a.end()
}

// address adds an address of an interface (struct ifaddrmsg).
func (a *answer) address(id tcpip.NICID, name string, p tcpip.ProtocolAddress) {
	ip := p.AddressWithPrefix.Address
	family, scope := byte(syscall.AF_INET6), byte(scopeUniverse)
	switch {
	case header.IsV4LoopbackAddress(ip) || header.IsV6LoopbackAddress(ip):
		scope = scopeHost
	case header.IsV6LinkLocalUnicastAddress(ip) || header.IsV4LinkLocalUnicastAddress(ip):
		scope = scopeLink
	}
	if p.Protocol == ipv4.ProtocolNumber {
		family = syscall.AF_INET
	}
	a.begin(syscall.RTM_NEWADDR, syscall.NLM_F_MULTI)
	a.data = append(a.data, family, byte(p.AddressWithPrefix.PrefixLen), ifaPermanent, scope)
	a.data = binary.NativeEndian.AppendUint32(a.data, uint32(id))
	a.attribute(syscall.IFA_ADDRESS, ip.AsSlice())
	if family == syscall.AF_INET {
		a.attribute(syscall.IFA_LOCAL, ip.AsSlice())
		if scope != scopeHost {
			last := binary.BigEndian.Uint32(ip.AsSlice()) | uint32(1<<(32-p.AddressWithPrefix.PrefixLen)-1)
			a.attribute(syscall.IFA_BROADCAST, binary.BigEndian.AppendUint32(nil, last))
		}
		a.attribute(syscall.IFA_LABEL, append([]byte(name), 0))
	}
	a.end()
}
