package net

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/ethernet"
	"gvisor.dev/gvisor/pkg/tcpip/link/loopback"
	"gvisor.dev/gvisor/pkg/tcpip/network/arp"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"

	"sched9/record"
	"sched9/srv/call"
)

// Numbers of the interfaces, as on Linux: loopback, and the network card's.
const (
	nicLoopback = 1
	nicCard     = 2
)

// The addresses of the loopback interface.
var (
	local4 = tcpip.AddrFrom4([4]byte{127, 0, 0, 1})
	local6 = tcpip.AddrFrom16([16]byte{15: 1})
)

// network returns the network stack. It is made when the program first wants a socket of the internet's: until then a program
// that only imports package net has none of its goroutines.
var network = sync.OnceValue(func() *stack.Stack {
	s := newStack()
	losses = lossesOf(s)
	if c := call.OpenCard(); c != nil {
		l := newLink(c, losses)
		conf := cardConfig()
		addCard(s, l, conf)
		if conf.dynamic {
			dynamic = newDynamic(s, l.address)
		}
		go l.run(call.AwaitCard)
	}
	return s
})

// losses tells what the network has dropped. The stack counts it and calls nobody, so it is looked at after each budget of frames and
// after each call that sends: what goes over loopback has been sent by one. network sets it.
var losses func()

// lossesOf makes losses of a stack. Any goroutines may call it at a time.
func lossesOf(s *stack.Stack) func() {
	all := s.Stats()
	tcp, udp, dropped := all.TCP, all.UDP, all.DroppedPackets
	var told [record.NumDrops]atomic.Uint64
	// Each packet is told once: by the caller whose exchange takes told past it.
	tell := func(why record.Drop, n uint64) {
		for was := told[why].Load(); n > was; was = told[why].Load() {
			if told[why].CompareAndSwap(was, n) {
				call.Dropped(why, n-was)
				return
			}
		}
	}
	return func() {
		// dropped comprises those of listeners, and is counted after them: so it is looked at before them, and none is told twice.
		n := dropped.Value()
		backlog := tcp.ListenOverflowSynDrop.Value() + tcp.ListenOverflowAckDrop.Value()
		others := backlog + tcp.ListenOverflowInvalidSynCookieRcvd.Value()
		tell(record.DropBacklog, backlog)
		tell(record.DropSocket, udp.ReceiveBufferErrors.Value()+max(n, others)-others)
	}
}

// newStack makes a stack with the loopback interface.
func newStack() *stack.Stack {
	s := stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, newIPv6, arp.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol},
		HandleLocal:        true,
	})
	sack := tcpip.TCPSACKEnabled(true)
	s.SetTransportProtocolOption(tcp.ProtocolNumber, &sack)
	tune := tcpip.TCPModerateReceiveBufferOption(true)
	s.SetTransportProtocolOption(tcp.ProtocolNumber, &tune)
	s.SetPortRange(32768, 60999) // Linux's net.ipv4.ip_local_port_range
	must(s.CreateNICWithOptions(nicLoopback, loopback.New(), stack.NICOptions{Name: "lo"}))
	for _, a := range []tcpip.ProtocolAddress{
		{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: tcpip.AddressWithPrefix{Address: local4, PrefixLen: 8}},
		{Protocol: ipv6.ProtocolNumber, AddressWithPrefix: tcpip.AddressWithPrefix{Address: local6, PrefixLen: 128}},
	} {
		must(s.AddProtocolAddress(nicLoopback, a, stack.AddressProperties{}))
		s.AddRoute(tcpip.Route{Destination: a.AddressWithPrefix.Subnet(), NIC: nicLoopback})
	}
	return s
}

// newIPv6 is IPv6 for an interface that finds its own address on the link. It takes addresses that it is given for its own at
// once, and no others from routers.
func newIPv6(s *stack.Stack) stack.NetworkProtocol {
	return ipv6.NewProtocolWithOptions(ipv6.Options{AutoGenLinkLocal: true})(s)
}

// addCard makes the card an interface with the addresses of c. Without a gateway, only its links' machines are reached.
func addCard(s *stack.Stack, l *link, c config) {
	must(s.CreateNICWithOptions(nicCard, ethernet.New(l), stack.NICOptions{Name: "eth0"}))
	s.AddRoute(tcpip.Route{Destination: header.IPv6LinkLocalPrefix.Subnet(), NIC: nicCard})
	addAddresses(s, c)
}

// addAddresses gives the card the addresses of c, and the ways that come with them.
func addAddresses(s *stack.Stack, c config) {
	for _, p := range c.addresses {
		a := tcpip.ProtocolAddress{
			Protocol: protocolOf(p.Addr()),
			AddressWithPrefix: tcpip.AddressWithPrefix{
				Address: addressOf(p.Addr()), PrefixLen: p.Bits(),
			},
		}
		must(s.AddProtocolAddress(nicCard, a, stack.AddressProperties{}))
		s.AddRoute(tcpip.Route{Destination: a.AddressWithPrefix.Subnet(), NIC: nicCard})
	}
	for _, g := range c.gateways {
		all := header.IPv4EmptySubnet
		if g.Is6() {
			all = header.IPv6EmptySubnet
		}
		s.AddRoute(tcpip.Route{Destination: all, Gateway: addressOf(g), NIC: nicCard})
	}
}

// protocolOf returns the protocol that an address is of.
func protocolOf(a netip.Addr) tcpip.NetworkProtocolNumber {
	if a.Is4() {
		return ipv4.ProtocolNumber
	}
	return ipv6.ProtocolNumber
}

// must is for what fails by a mistake of ours only.
func must(err tcpip.Error) {
	if err != nil {
		panic("zsched9/srv/net: " + err.String())
	}
}

// errnoOf returns Linux's number of an error of the stack's.
func errnoOf(err tcpip.Error) syscall.Errno {
	switch err.(type) {
	case nil:
		return 0
	case *tcpip.ErrAborted, *tcpip.ErrClosedForSend:
		return syscall.EPIPE
	case *tcpip.ErrAddressFamilyNotSupported:
		return syscall.EAFNOSUPPORT
	case *tcpip.ErrAlreadyBound, *tcpip.ErrInvalidEndpointState, *tcpip.ErrInvalidOptionValue, *tcpip.ErrInvalidPortRange:
		return syscall.EINVAL
	case *tcpip.ErrAlreadyConnected:
		return syscall.EISCONN
	case *tcpip.ErrAlreadyConnecting:
		return syscall.EALREADY
	case *tcpip.ErrBadBuffer, *tcpip.ErrBadAddress:
		return syscall.EFAULT
	case *tcpip.ErrBadLocalAddress:
		return syscall.EADDRNOTAVAIL
	case *tcpip.ErrBroadcastDisabled:
		return syscall.EACCES
	case *tcpip.ErrConnectStarted:
		return syscall.EINPROGRESS
	case *tcpip.ErrConnectionAborted:
		return syscall.ECONNABORTED
	case *tcpip.ErrConnectionRefused:
		return syscall.ECONNREFUSED
	case *tcpip.ErrConnectionReset:
		return syscall.ECONNRESET
	case *tcpip.ErrDestinationRequired:
		return syscall.EDESTADDRREQ
	case *tcpip.ErrDuplicateAddress:
		return syscall.EEXIST
	case *tcpip.ErrHostDown:
		return syscall.EHOSTDOWN
	case *tcpip.ErrHostUnreachable:
		return syscall.EHOSTUNREACH
	case *tcpip.ErrMessageTooLong:
		return syscall.EMSGSIZE
	case *tcpip.ErrNetworkUnreachable:
		return syscall.ENETUNREACH
	case *tcpip.ErrNoBufferSpace:
		return syscall.ENOBUFS
	case *tcpip.ErrNoPortAvailable:
		return syscall.EADDRNOTAVAIL
	case *tcpip.ErrNotConnected:
		return syscall.ENOTCONN
	case *tcpip.ErrNotPermitted:
		return syscall.EPERM
	case *tcpip.ErrNotSupported:
		return syscall.EOPNOTSUPP
	case *tcpip.ErrPortInUse:
		return syscall.EADDRINUSE
	case *tcpip.ErrTimeout:
		return syscall.ETIMEDOUT
	case *tcpip.ErrUnknownDevice, *tcpip.ErrUnknownNICID, *tcpip.ErrInvalidNICID:
		return syscall.ENODEV
	case *tcpip.ErrUnknownProtocolOption:
		return syscall.ENOPROTOOPT
	case *tcpip.ErrWouldBlock:
		return syscall.EAGAIN
	}
	return syscall.EIO
}
