package net

import (
	"bytes"
	"encoding/binary"
	"syscall"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// inet is a socket of the internet's: an endpoint of the stack's.
type inet struct {
	family int
	typ    int
	ep     tcpip.Endpoint
	queue  *waiter.Queue
	entry  waiter.Entry
}

// events are what a waiter hears of.
const events = waiter.ReadableEvents | waiter.WritableEvents | waiter.EventErr | waiter.EventHUp

// newInet makes a socket of the given family (AF_INET or AF_INET6).
func newInet(family, typ, protocol int) (sock, syscall.Errno) {
	var number tcpip.TransportProtocolNumber
	switch {
	case typ == syscall.SOCK_STREAM && (protocol == 0 || protocol == syscall.IPPROTO_TCP):
		number = tcp.ProtocolNumber
	case typ == syscall.SOCK_DGRAM && (protocol == 0 || protocol == syscall.IPPROTO_UDP):
		number = udp.ProtocolNumber
	case typ == syscall.SOCK_STREAM || typ == syscall.SOCK_DGRAM || typ == syscall.SOCK_RAW:
		return nil, syscall.EPROTONOSUPPORT
	case typ > 0 && typ <= 10:
		return nil, syscall.ESOCKTNOSUPPORT
	default:
		return nil, syscall.EINVAL
	}
	net := ipv4.ProtocolNumber
	if family == syscall.AF_INET6 {
		net = ipv6.ProtocolNumber
	}
	s := &inet{family: family, typ: typ, queue: new(waiter.Queue)}
	ep, err := network().NewEndpoint(number, net, s.queue)
	if err != nil {
		return nil, errnoOf(err)
	}
	s.ep = ep
	return s, 0
}

// attach implements sock, as the rest does.
func (s *inet) attach(notify func()) {
	s.entry = waiter.NewFunctionEntry(events, func(waiter.EventMask) { notify() })
	s.queue.EventRegister(&s.entry)
}

func (s *inet) close() {
	if s.entry != (waiter.Entry{}) {
		s.queue.EventUnregister(&s.entry)
	}
	s.ep.Close()
}

// parse reads a name. An unspecified address is empty.
func (s *inet) parse(name []byte) (a tcpip.FullAddress, errno syscall.Errno) {
	family := int(binary.NativeEndian.Uint16(name))
	switch {
	case family != s.family:
		return a, syscall.EAFNOSUPPORT
	case family == syscall.AF_INET && len(name) >= syscall.SizeofSockaddrInet4:
		a.Addr = tcpip.AddrFrom4Slice(name[4:8])
	case family == syscall.AF_INET6 && len(name) >= syscall.SizeofSockaddrInet6-4:
		a.Addr = tcpip.AddrFrom16Slice(name[8:24])
		if scoped := header.IsV6LinkLocalUnicastAddress(a.Addr); scoped && len(name) >= syscall.SizeofSockaddrInet6 {
			a.NIC = tcpip.NICID(binary.NativeEndian.Uint32(name[24:]))
		}
	default:
		return a, syscall.EINVAL
	}
	a.Port = binary.BigEndian.Uint16(name[2:])
	if a.Addr.Unspecified() {
		a.Addr = tcpip.Address{}
	}
	return a, 0
}

// target is parse for an address to send to: no address is this machine's.
func (s *inet) target(name []byte) (tcpip.FullAddress, syscall.Errno) {
	a, errno := s.parse(name)
	if a.Addr == (tcpip.Address{}) {
		if a.Addr = local6; s.family == syscall.AF_INET {
			a.Addr = local4
		}
	}
	return a, errno
}

// v4InV6 begins an IPv4 address as one of IPv6.
var v4InV6 = []byte{10: 0xff, 11: 0xff}

// format makes a name.
func (s *inet) format(a tcpip.FullAddress) []byte {
	if s.family == syscall.AF_INET {
		name := make([]byte, syscall.SizeofSockaddrInet4)
		binary.NativeEndian.PutUint16(name, syscall.AF_INET)
		binary.BigEndian.PutUint16(name[2:], a.Port)
		copy(name[4:8], a.Addr.AsSlice())
		return name
	}
	name := make([]byte, syscall.SizeofSockaddrInet6)
	binary.NativeEndian.PutUint16(name, syscall.AF_INET6)
	binary.BigEndian.PutUint16(name[2:], a.Port)
	ip := a.Addr.AsSlice()
	if len(ip) == 4 {
		ip = append(bytes.Clone(v4InV6), ip...)
	}
	copy(name[8:24], ip)
	if header.IsV6LinkLocalUnicastAddress(a.Addr) {
		binary.NativeEndian.PutUint32(name[24:], uint32(a.NIC))
	}
	return name
}

func (s *inet) bind(name []byte) syscall.Errno {
	a, errno := s.parse(name)
	if errno != 0 {
		return errno
	}
	return errnoOf(s.ep.Bind(a))
}

func (s *inet) connect(name []byte) syscall.Errno {
	if binary.NativeEndian.Uint16(name) == syscall.AF_UNSPEC {
		return errnoOf(s.ep.Disconnect())
	}
	if _, err := s.ep.GetRemoteAddress(); err == nil && s.typ == syscall.SOCK_STREAM && !s.connecting() {
		return syscall.EISCONN // whatever the name
	}
	a, errno := s.target(name)
	if errno != 0 {
		return errno
	}
	err := s.ep.Connect(a)
	losses()
	return errnoOf(err)
}

func (s *inet) connecting() bool { return s.ep.Readiness(events&^waiter.ReadableEvents) == 0 }

func (s *inet) listen(backlog int) syscall.Errno {
	const most = 4096 // Linux's net.core.somaxconn
	if backlog < 0 || backlog > most {
		backlog = most
	}
	if s.typ != syscall.SOCK_STREAM {
		return syscall.EOPNOTSUPP
	}
	return errnoOf(s.ep.Listen(backlog))
}

func (s *inet) accept() (sock, syscall.Errno) {
	if s.typ != syscall.SOCK_STREAM {
		return nil, syscall.EOPNOTSUPP
	}
	ep, queue, err := s.ep.Accept(nil)
	losses()
	if err != nil {
		return nil, errnoOf(err)
	}
	return &inet{family: s.family, typ: s.typ, ep: ep, queue: queue}, 0
}

func (s *inet) name() []byte {
	a, _ := s.ep.GetLocalAddress()
	return s.format(a)
}

func (s *inet) peer() ([]byte, syscall.Errno) {
	a, err := s.ep.GetRemoteAddress()
	if err != nil {
		return nil, errnoOf(err)
	}
	return s.format(a), 0
}

func (s *inet) shutdown(how int) syscall.Errno {
	return errnoOf(s.ep.Shutdown([]tcpip.ShutdownFlags{
		syscall.SHUT_RD: tcpip.ShutdownRead, syscall.SHUT_WR: tcpip.ShutdownWrite,
		syscall.SHUT_RDWR: tcpip.ShutdownRead | tcpip.ShutdownWrite,
	}[how]))
}

func (s *inet) send(m *message) (int, syscall.Errno) {
	if m.flags&syscall.MSG_OOB != 0 {
		return 0, syscall.EOPNOTSUPP
	}
	if m.Len() == 0 && s.typ == syscall.SOCK_STREAM {
		return 0, s.writable()
	}
	o := tcpip.WriteOptions{Atomic: s.typ != syscall.SOCK_STREAM}
	if len(m.name) > 0 && s.typ != syscall.SOCK_STREAM {
		if len(m.name) < 2 {
			return 0, syscall.EINVAL
		}
		to, errno := s.target(m.name)
		if errno != 0 {
			return 0, errno
		}
		o.To = &to
	}
	n, err := s.ep.Write(m, o)
	losses()
	return int(n), errnoOf(err)
}

// writable is the error of a write of nothing.
func (s *inet) writable() syscall.Errno {
	if _, err := s.ep.GetRemoteAddress(); err != nil {
		return errnoOf(err)
	}
	return 0
}

func (s *inet) recv(m *message) (int, syscall.Errno) {
	if m.flags&syscall.MSG_OOB != 0 {
		return 0, syscall.EINVAL
	}
	if m.Len() == 0 && s.typ == syscall.SOCK_STREAM {
		return 0, 0
	}
	datagram := s.typ != syscall.SOCK_STREAM
	r, err := s.ep.Read(m, tcpip.ReadOptions{Peek: m.flags&syscall.MSG_PEEK != 0, NeedRemoteAddr: datagram && m.want})
	switch err.(type) {
	case nil:
	case *tcpip.ErrClosedForReceive:
		if m.flags&syscall.MSG_DONTWAIT != 0 && datagram {
			return 0, syscall.EAGAIN
		}
		return 0, 0
	case *tcpip.ErrBadBuffer:
		if !datagram || r.Total == 0 && m.at != (position{}) {
			return 0, syscall.EFAULT
		}
	default:
		return 0, errnoOf(err)
	}
	s.ep.ModerateRecvBuf(r.Count)
	if !datagram {
		return r.Count, 0
	}
	if m.want {
		m.name = s.format(r.RemoteAddr)
	}
	m.control = s.ancillary(&r.ControlMessages, m)
	if r.Count < r.Total {
		m.out |= syscall.MSG_TRUNC
		if m.flags&syscall.MSG_TRUNC != 0 {
			return r.Total, 0
		}
	}
	return r.Count, 0
}

// ancillary returns what came with a datagram and was asked for by an option.
func (s *inet) ancillary(c *tcpip.ReceivableControlMessages, m *message) (b []byte) {
	add := func(level, kind int, data []byte) {
		if len(b)+align(cmsgHeader+len(data)) > m.room {
			m.out |= syscall.MSG_CTRUNC
			return
		}
		b = appendControl(b, level, kind, data)
	}
	if c.HasIPPacketInfo {
		info := make([]byte, 12) // struct in_pktinfo
		binary.NativeEndian.PutUint32(info, uint32(c.PacketInfo.NIC))
		copy(info[4:], c.PacketInfo.LocalAddr.AsSlice())
		copy(info[8:], c.PacketInfo.DestinationAddr.AsSlice())
		add(syscall.IPPROTO_IP, syscall.IP_PKTINFO, info)
	}
	if c.HasIPv6PacketInfo {
		info := make([]byte, 20) // struct in6_pktinfo
		copy(info, c.IPv6PacketInfo.Addr.AsSlice())
		binary.NativeEndian.PutUint32(info[16:], uint32(c.IPv6PacketInfo.NIC))
		add(syscall.IPPROTO_IPV6, syscall.IPV6_PKTINFO, info)
	}
	return b
}
