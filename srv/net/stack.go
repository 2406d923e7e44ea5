package net

import (
	"sync"
	"syscall"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/link/loopback"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
)

// nicLoopback is the number of the loopback interface.
const nicLoopback = 1

// The addresses of the loopback interface.
var (
	local4 = tcpip.AddrFrom4([4]byte{127, 0, 0, 1})
	local6 = tcpip.AddrFrom16([16]byte{15: 1})
)

// network returns the network stack. It is made when the program first wants a socket of the internet's: until then a program
// that only imports package net has none of its goroutines.
var network = sync.OnceValue(func() *stack.Stack {
	s := stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, ipv6.NewProtocol},
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
})

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
