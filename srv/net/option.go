package net

import (
	"encoding/binary"
	"syscall"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

// Options that package syscall has no names for (Linux's include/uapi/asm-generic/socket.h).
const (
	soProtocol = 38
	soDomain   = 39

	tcpUserTimeout = 18 // include/uapi/linux/tcp.h
)

// number makes an option's value of an int.
func number(v int) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(v)) }

// truth is number of a bool.
func truth(v bool) []byte {
	if v {
		return number(1)
	}
	return number(0)
}

// toNumber reads an option's value that is an int. One byte will do at the level of IP.
func toNumber(level int, value []byte) (int, bool) {
	if len(value) >= 4 {
		return int(int32(binary.NativeEndian.Uint32(value))), true
	}
	if len(value) > 0 && level == syscall.IPPROTO_IP {
		return int(value[0]), true
	}
	return 0, false
}

// An option of the stack's is one of these.
type (
	flagOption struct { // at one of the levels, true or false
		get func(*tcpip.SocketOptions) bool
		set func(*tcpip.SocketOptions, bool)
	}
	optionName struct{ level, name int }
)

// flags are the options that are true or false.
var flags = map[optionName]flagOption{
	{syscall.SOL_SOCKET, syscall.SO_BROADCAST}:          {(*tcpip.SocketOptions).GetBroadcast, (*tcpip.SocketOptions).SetBroadcast},
	{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE}:          {(*tcpip.SocketOptions).GetKeepAlive, (*tcpip.SocketOptions).SetKeepAlive},
	{syscall.SOL_SOCKET, syscall.SO_REUSEADDR}:          {(*tcpip.SocketOptions).GetReuseAddress, (*tcpip.SocketOptions).SetReuseAddress},
	{syscall.SOL_SOCKET, soReusePort}:                   {(*tcpip.SocketOptions).GetReusePort, (*tcpip.SocketOptions).SetReusePort},
	{syscall.SOL_SOCKET, syscall.SO_NO_CHECK}:           {(*tcpip.SocketOptions).GetNoChecksum, (*tcpip.SocketOptions).SetNoChecksum},
	{syscall.IPPROTO_TCP, syscall.TCP_NODELAY}:          {noDelay, setNoDelay},
	{syscall.IPPROTO_TCP, syscall.TCP_CORK}:             {(*tcpip.SocketOptions).GetCorkOption, (*tcpip.SocketOptions).SetCorkOption},
	{syscall.IPPROTO_TCP, syscall.TCP_QUICKACK}:         {(*tcpip.SocketOptions).GetQuickAck, (*tcpip.SocketOptions).SetQuickAck},
	{syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY}:         {(*tcpip.SocketOptions).GetV6Only, (*tcpip.SocketOptions).SetV6Only},
	{syscall.IPPROTO_IP, syscall.IP_MULTICAST_LOOP}:     {(*tcpip.SocketOptions).GetMulticastLoop, (*tcpip.SocketOptions).SetMulticastLoop},
	{syscall.IPPROTO_IPV6, syscall.IPV6_MULTICAST_LOOP}: {(*tcpip.SocketOptions).GetMulticastLoop, (*tcpip.SocketOptions).SetMulticastLoop},
	{syscall.IPPROTO_IP, syscall.IP_PKTINFO}:            {(*tcpip.SocketOptions).GetReceivePacketInfo, (*tcpip.SocketOptions).SetReceivePacketInfo},
	{syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO}:    {(*tcpip.SocketOptions).GetIPv6ReceivePacketInfo, (*tcpip.SocketOptions).SetIPv6ReceivePacketInfo},
}

// soReusePort is missing in package syscall.
const soReusePort = 15

// noDelay is the opposite of the stack's option.
func noDelay(o *tcpip.SocketOptions) bool { return !o.GetDelayOption() }

// setNoDelay: see noDelay.
func setNoDelay(o *tcpip.SocketOptions, v bool) { o.SetDelayOption(!v) }

// numbers are the options that are numbers.
var numbers = map[optionName]tcpip.SockOptInt{
	{syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT}:          tcpip.KeepaliveCountOption,
	{syscall.IPPROTO_TCP, syscall.TCP_MAXSEG}:           tcpip.MaxSegOption,
	{syscall.IPPROTO_TCP, syscall.TCP_SYNCNT}:           tcpip.TCPSynCountOption,
	{syscall.IPPROTO_TCP, syscall.TCP_WINDOW_CLAMP}:     tcpip.TCPWindowClampOption,
	{syscall.IPPROTO_IP, syscall.IP_TOS}:                tcpip.IPv4TOSOption,
	{syscall.IPPROTO_IP, syscall.IP_TTL}:                tcpip.IPv4TTLOption,
	{syscall.IPPROTO_IP, syscall.IP_MULTICAST_TTL}:      tcpip.MulticastTTLOption,
	{syscall.IPPROTO_IPV6, syscall.IPV6_TCLASS}:         tcpip.IPv6TrafficClassOption,
	{syscall.IPPROTO_IPV6, syscall.IPV6_UNICAST_HOPS}:   tcpip.IPv6HopLimitOption,
	{syscall.IPPROTO_IPV6, syscall.IPV6_MULTICAST_HOPS}: tcpip.MulticastTTLOption,
}

// has reports whether the socket has options of a level.
func (s *inet) has(level int) bool {
	switch level {
	case syscall.IPPROTO_TCP:
		return s.typ == syscall.SOCK_STREAM
	case syscall.IPPROTO_IPV6:
		return s.family == syscall.AF_INET6
	}
	return true
}

func (s *inet) option(level, name int) ([]byte, syscall.Errno) {
	if !s.has(level) {
		return nil, syscall.EOPNOTSUPP
	}
	at := optionName{level, name}
	o := s.ep.SocketOptions()
	if f, ok := flags[at]; ok {
		return truth(f.get(o)), 0
	}
	if opt, ok := numbers[at]; ok {
		v, err := s.ep.GetSockOptInt(opt)
		return number(v), errnoOf(err)
	}
	switch at {
	case optionName{syscall.SOL_SOCKET, syscall.SO_ERROR}:
		return number(int(errnoOf(s.ep.LastError()))), 0
	case optionName{syscall.SOL_SOCKET, syscall.SO_TYPE}:
		return number(s.typ), 0
	case optionName{syscall.SOL_SOCKET, soDomain}:
		return number(s.family), 0
	case optionName{syscall.SOL_SOCKET, soProtocol}:
		if s.typ == syscall.SOCK_STREAM {
			return number(syscall.IPPROTO_TCP), 0
		}
		return number(syscall.IPPROTO_UDP), 0
	case optionName{syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN}:
		return truth(o.GetAcceptConn()), 0
	case optionName{syscall.SOL_SOCKET, syscall.SO_SNDBUF}:
		return number(int(o.GetSendBufferSize())), 0
	case optionName{syscall.SOL_SOCKET, syscall.SO_RCVBUF}:
		return number(int(o.GetReceiveBufferSize())), 0
	case optionName{syscall.SOL_SOCKET, syscall.SO_LINGER}:
		l := o.GetLinger()
		return append(truth(l.Enabled), number(int(l.Timeout/time.Second))...), 0
	case optionName{syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE}:
		var v tcpip.KeepaliveIdleOption
		err := s.ep.GetSockOpt(&v)
		return number(int(time.Duration(v) / time.Second)), errnoOf(err)
	case optionName{syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL}:
		var v tcpip.KeepaliveIntervalOption
		err := s.ep.GetSockOpt(&v)
		return number(int(time.Duration(v) / time.Second)), errnoOf(err)
	case optionName{syscall.IPPROTO_TCP, tcpUserTimeout}:
		var v tcpip.TCPUserTimeoutOption
		err := s.ep.GetSockOpt(&v)
		return number(int(time.Duration(v) / time.Millisecond)), errnoOf(err)
	case optionName{syscall.IPPROTO_TCP, syscall.TCP_INFO}:
		return s.info()
	}
	return nil, syscall.ENOPROTOOPT
}

// congestion are Linux's numbers of the stack's states of congestion (enum tcp_ca_state).
var congestion = map[tcpip.CongestionControlState]uint8{tcpip.Disorder: 1, tcpip.FastRecovery: 3, tcpip.SACKRecovery: 3, tcpip.RTORecovery: 4}

// info is what the stack tells of a connection, as a struct tcp_info; what it does not tell is 0.
func (s *inet) info() ([]byte, syscall.Errno) {
	var v tcpip.TCPInfoOption
	if err := s.ep.GetSockOpt(&v); err != nil {
		return nil, errnoOf(err)
	}
	i := syscall.TCPInfo{
		State: uint8(v.State), Ca_state: congestion[v.CcState], Rto: micro(v.RTO), Rtt: micro(v.RTT), Rttvar: micro(v.RTTVar),
		Snd_ssthresh: v.SndSsthresh, Snd_cwnd: v.SndCwnd,
	}
	// The stack's states up to this one have Linux's numbers, others are its own.
	switch state := tcp.EndpointState(v.State); {
	case state == tcp.StateConnecting:
		i.State = uint8(tcp.StateSynSent)
	case state > tcp.StateClosing:
		i.State = uint8(tcp.StateClose)
	}
	b, err := binary.Append(nil, binary.NativeEndian, i)
	if err != nil {
		panic(err) // the struct has numbers only
	}
	return b, 0
}

// micro is a time in microseconds.
func micro(d time.Duration) uint32 { return uint32(d / time.Microsecond) }

func (s *inet) setOption(level, name int, value []byte) syscall.Errno {
	if !s.has(level) {
		return syscall.ENOPROTOOPT
	}
	at := optionName{level, name}
	o := s.ep.SocketOptions()
	switch at {
	case optionName{syscall.IPPROTO_IP, syscall.IP_ADD_MEMBERSHIP}, optionName{syscall.IPPROTO_IP, syscall.IP_DROP_MEMBERSHIP},
		optionName{syscall.IPPROTO_IPV6, syscall.IPV6_JOIN_GROUP}, optionName{syscall.IPPROTO_IPV6, syscall.IPV6_LEAVE_GROUP}:
		return s.setMember(at, value)
	case optionName{syscall.SOL_SOCKET, syscall.SO_LINGER}:
		if len(value) < 8 {
			return syscall.EINVAL
		}
		seconds := int32(binary.NativeEndian.Uint32(value[4:]))
		o.SetLinger(tcpip.LingerOption{Enabled: binary.NativeEndian.Uint32(value) != 0, Timeout: time.Duration(seconds) * time.Second})
		return 0
	}
	v, ok := toNumber(level, value)
	if !ok {
		return syscall.EINVAL
	}
	if f, ok := flags[at]; ok {
		f.set(o, v != 0)
		return 0
	}
	if opt, ok := numbers[at]; ok {
		return errnoOf(s.ep.SetSockOptInt(opt, v))
	}
	switch at {
	case optionName{syscall.SOL_SOCKET, syscall.SO_SNDBUF}:
		o.SetSendBufferSize(2*int64(max(v, 1024)), true) // Linux doubles it, for its own records
		return 0
	case optionName{syscall.SOL_SOCKET, syscall.SO_RCVBUF}:
		o.SetReceiveBufferSize(2*int64(max(v, 1024)), true)
		return 0
	case optionName{syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE}, optionName{syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL}:
		const most = 32767
		if v < 1 || v > most {
			return syscall.EINVAL
		}
		d := time.Duration(v) * time.Second
		if name == syscall.TCP_KEEPIDLE {
			idle := tcpip.KeepaliveIdleOption(d)
			return errnoOf(s.ep.SetSockOpt(&idle))
		}
		interval := tcpip.KeepaliveIntervalOption(d)
		return errnoOf(s.ep.SetSockOpt(&interval))
	case optionName{syscall.IPPROTO_TCP, tcpUserTimeout}:
		if v < 0 {
			return syscall.EINVAL
		}
		limit := tcpip.TCPUserTimeoutOption(time.Duration(v) * time.Millisecond)
		return errnoOf(s.ep.SetSockOpt(&limit))
	case optionName{syscall.IPPROTO_IPV6, syscall.IPV6_MULTICAST_IF}:
		return errnoOf(s.ep.SetSockOpt(&tcpip.MulticastInterfaceOption{NIC: tcpip.NICID(v)}))
	case optionName{syscall.IPPROTO_IP, syscall.IP_MULTICAST_IF}:
		m := tcpip.MulticastInterfaceOption{InterfaceAddr: tcpip.AddrFrom4Slice(value[:4])}
		if len(value) >= syscall.SizeofIPMreqn {
			m = tcpip.MulticastInterfaceOption{InterfaceAddr: tcpip.AddrFrom4Slice(value[4:8]), NIC: tcpip.NICID(binary.NativeEndian.Uint32(value[8:]))}
		}
		return errnoOf(s.ep.SetSockOpt(&m))
	}
	return syscall.ENOPROTOOPT
}

// setMember joins a group, or leaves it.
func (s *inet) setMember(at optionName, value []byte) syscall.Errno {
	var m tcpip.MembershipOption
	switch {
	case at.level == syscall.IPPROTO_IPV6 && len(value) >= syscall.SizeofIPv6Mreq:
		m.MulticastAddr = tcpip.AddrFrom16Slice(value[:16])
		m.NIC = tcpip.NICID(binary.NativeEndian.Uint32(value[16:]))
	case at.level == syscall.IPPROTO_IP && len(value) >= syscall.SizeofIPMreq:
		m.MulticastAddr, m.InterfaceAddr = tcpip.AddrFrom4Slice(value[:4]), tcpip.AddrFrom4Slice(value[4:8])
		if len(value) >= syscall.SizeofIPMreqn {
			m.NIC = tcpip.NICID(binary.NativeEndian.Uint32(value[8:]))
		}
	default:
		return syscall.EINVAL
	}
	if at.name == syscall.IP_ADD_MEMBERSHIP && at.level == syscall.IPPROTO_IP || at.name == syscall.IPV6_JOIN_GROUP && at.level == syscall.IPPROTO_IPV6 {
		add := tcpip.AddMembershipOption(m)
		return errnoOf(s.ep.SetSockOpt(&add))
	}
	remove := tcpip.RemoveMembershipOption(m)
	return errnoOf(s.ep.SetSockOpt(&remove))
}
