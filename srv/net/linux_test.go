package net

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"sched9/srv/call"
)

// These tests make the same calls twice: of the host, which is Linux, and of the server. What comes of them is written down,
// and must be the same. Sockets wait, so nothing hangs on who is faster.

// side is who carries the calls out.
type side struct {
	t    *testing.T
	call func(num, a, b, c, d, e, f uintptr) uintptr
	dir  string // for names of sockets
	log  []string
	open []int
}

func host(num, a, b, c, d, e, f uintptr) uintptr {
	r, _, errno := syscall.Syscall6(num, a, b, c, d, e, f)
	if errno != 0 {
		return call.Fail(errno)
	}
	return r
}

func init() { call.Serve(serve) }

func ours(num, a, b, c, d, e, f uintptr) uintptr {
	r, served := call.Do(num, a, b, c, d, e, f)
	if !served {
		return host(num, a, b, c, d, e, f)
	}
	return r
}

// do makes a call. Arguments are numbers, and bytes, which are memory.
func (s *side) do(num uintptr, args ...any) int {
	var a [6]uintptr
	var keep runtime.Pinner
	defer keep.Unpin()
	for i, x := range args {
		switch x := x.(type) {
		case int:
			a[i] = uintptr(x)
		case []byte:
			if len(x) > 0 {
				keep.Pin(&x[0])
				a[i] = uintptr(unsafe.Pointer(&x[0]))
			}
		}
	}
	return int(s.call(num, a[0], a[1], a[2], a[3], a[4], a[5]))
}

// says writes down a result: what for, and an error or that there was none.
func (s *side) says(what string, r int) int {
	text := "ok"
	if r < 0 {
		text = syscall.Errno(-r).Error()
	}
	s.log = append(s.log, what+": "+text)
	return r
}

// note writes something down.
func (s *side) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

func (s *side) socket(family, typ int) int {
	n := s.do(syscall.SYS_SOCKET, family, typ, 0)
	if n < 0 {
		s.t.Fatalf("socket: %v", syscall.Errno(-n))
	}
	s.open = append(s.open, n)
	return n
}

func in4(port int, ip ...byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, syscall.AF_INET)
	b = append(binary.BigEndian.AppendUint16(b, uint16(port)), ip...)
	return append(b, make([]byte, 8)...)
}

func in6(port int, ip ...byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, syscall.AF_INET6)
	b = append(binary.BigEndian.AppendUint16(b, uint16(port)), 0, 0, 0, 0)
	return append(append(append(b, make([]byte, 16-len(ip))...), ip...), 0, 0, 0, 0)
}

func un(name string) []byte {
	return append(binary.NativeEndian.AppendUint16(nil, syscall.AF_UNIX), name...)
}

func (s *side) bind(n int, name []byte) int { return s.do(syscall.SYS_BIND, n, name, len(name)) }

func (s *side) connect(n int, name []byte) int { return s.do(syscall.SYS_CONNECT, n, name, len(name)) }

// name is getsockname, or getpeername.
func (s *side) name(call uintptr, n int) ([]byte, int) {
	b, size := make([]byte, 128), number(128)
	r := s.do(call, n, b, size)
	return b[:binary.NativeEndian.Uint32(size)], r
}

func (s *side) port(n int) int {
	b, r := s.name(syscall.SYS_GETSOCKNAME, n)
	if r < 0 {
		s.t.Fatal(syscall.Errno(-r))
	}
	return int(binary.BigEndian.Uint16(b[2:]))
}

func (s *side) write(n int, text string) int {
	return s.do(syscall.SYS_WRITE, n, []byte(text), len(text))
}

// read writes down what a read of up to size bytes brings.
func (s *side) read(what string, n, size int) {
	b := make([]byte, size+1)
	if r := s.do(syscall.SYS_READ, n, b, size); r < 0 {
		s.says(what, r)
	} else {
		s.note("%s: %q", what, b[:r])
	}
}

func (s *side) get(n, level, name int) (int, int) {
	b, size := make([]byte, 64), number(64)
	r := s.do(syscall.SYS_GETSOCKOPT, n, level, name, b, size)
	return int(int32(binary.NativeEndian.Uint32(b))), r
}

func (s *side) set(n, level, name, v int) int {
	return s.do(syscall.SYS_SETSOCKOPT, n, level, name, number(v), 4)
}

// accepted makes a connection to a listener of the family, and returns its two ends and the listener.
func (s *side) accepted(family int) (client, server, l int) {
	l = s.socket(family, syscall.SOCK_STREAM)
	name := in4(0, 127, 0, 0, 1)
	if family == syscall.AF_INET6 {
		name = in6(0, 1)
	}
	if family == syscall.AF_UNIX {
		name = un(filepath.Join(s.dir, fmt.Sprint("listener", l)))
	}
	s.says("bind", s.bind(l, name))
	s.says("listen", s.do(syscall.SYS_LISTEN, l, 5))
	if family != syscall.AF_UNIX {
		binary.BigEndian.PutUint16(name[2:], uint16(s.port(l)))
	}
	client = s.socket(family, syscall.SOCK_STREAM)
	s.says("connect", s.connect(client, name))
	server = s.says("accept", s.do(syscall.SYS_ACCEPT4, l, 0, 0, 0))
	s.open = append(s.open, server)
	return client, server, l
}

type script struct {
	name string
	run  func(s *side)
}

var scripts = []script{
	{"netlink", func(s *side) {
		for _, c := range [][2]int{{syscall.SOCK_STREAM, 0}, {syscall.SOCK_RAW, 99}} {
			s.says("socket", s.do(syscall.SYS_SOCKET, syscall.AF_NETLINK, c[0], c[1]))
		}
		n := s.socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC)
		s.says("bind to another family", s.bind(n, un("x\x00\x00\x00\x00\x00\x00\x00\x00\x00")))
		s.says("bind to little", s.bind(n, un("")))
		s.says("bind", s.bind(n, append(binary.NativeEndian.AppendUint16(nil, syscall.AF_NETLINK), make([]byte, 10)...)))
		s.says("nothing", s.do(syscall.SYS_RECVFROM, n, make([]byte, 8), 8, syscall.MSG_DONTWAIT, 0, 0))
		const dump = syscall.NLM_F_REQUEST | syscall.NLM_F_DUMP
		s.answers(n, syscall.RTM_GETLINK, dump)
		s.answers(n, syscall.RTM_GETADDR, dump)
		s.answers(n, 9999, dump)
		s.says("listen", s.do(syscall.SYS_LISTEN, n, 1))
		s.says("accept", s.do(syscall.SYS_ACCEPT4, n, 0, 0, 0))
		s.says("shutdown", s.do(syscall.SYS_SHUTDOWN, n, syscall.SHUT_WR))
		s.says("a piece of a request", s.write(n, "1234"))
		s.says("no answer", s.do(syscall.SYS_RECVFROM, n, make([]byte, 8), 8, syscall.MSG_DONTWAIT, 0, 0))
		domain, _ := s.get(n, syscall.SOL_SOCKET, soDomain)
		kind, _ := s.get(n, syscall.SOL_SOCKET, syscall.SO_TYPE)
		s.note("domain %d, type %d", domain, kind)
	}},
	{"stream4", func(s *side) { stream(s, syscall.AF_INET) }},
	{"stream6", func(s *side) { stream(s, syscall.AF_INET6) }},
	{"streamUnix", func(s *side) { stream(s, syscall.AF_UNIX) }},
	{"errors", func(s *side) {
		b := make([]byte, 10)
		tcp, udp := s.socket(syscall.AF_INET, syscall.SOCK_STREAM), s.socket(syscall.AF_INET, syscall.SOCK_DGRAM)
		s.says("read, not connected", s.do(syscall.SYS_READ, tcp, b, 10))
		s.says("write, not connected", s.do(syscall.SYS_SENDTO, tcp, b, 10, syscall.MSG_NOSIGNAL, 0, 0))
		s.says("shutdown, not connected", s.do(syscall.SYS_SHUTDOWN, tcp, syscall.SHUT_WR))
		s.says("accept, not listening", s.do(syscall.SYS_ACCEPT4, tcp, 0, 0, 0))
		s.says("accept of datagrams", s.do(syscall.SYS_ACCEPT4, udp, 0, 0, 0))
		s.says("listen for datagrams", s.do(syscall.SYS_LISTEN, udp, 5))
		s.says("datagram to nobody", s.do(syscall.SYS_WRITE, udp, b, 10))
		s.says("datagram too long", s.do(syscall.SYS_SENDTO, udp, make([]byte, 70000), 70000, 0, in4(9, 127, 0, 0, 1), 16))
		_, r := s.name(syscall.SYS_GETPEERNAME, tcp)
		s.says("peer", r)
		s.says("bind to another machine's", s.bind(tcp, in4(0, 8, 8, 8, 8)))
		s.says("bind with another family", s.bind(tcp, in6(0, 1)))
		s.says("bind with a short name", s.bind(tcp, in4(0, 127, 0, 0, 1)[:8]))
		s.says("bind", s.bind(tcp, in4(0, 127, 0, 0, 1)))
		s.says("bind again", s.bind(tcp, in4(0, 127, 0, 0, 1)))
		s.says("connect to nobody", s.connect(s.socket(syscall.AF_INET, syscall.SOCK_STREAM), in4(1, 127, 0, 0, 1)))
		s.says("connect to nobody, 6", s.connect(s.socket(syscall.AF_INET6, syscall.SOCK_STREAM), in6(1, 1)))
		s.says("connect to nobody's name", s.connect(s.socket(syscall.AF_UNIX, syscall.SOCK_STREAM), un(s.dir+"/nobody")))
		s.says("connect to an abstract name", s.connect(s.socket(syscall.AF_UNIX, syscall.SOCK_STREAM), un("\x00sched9/nobody")))
		s.says("family", s.do(syscall.SYS_SOCKET, 99, syscall.SOCK_STREAM, 0))
		s.says("type", s.do(syscall.SYS_SOCKET, syscall.AF_INET, 99, 0))
		s.says("protocol", s.do(syscall.SYS_SOCKET, syscall.AF_INET, syscall.SOCK_STREAM, syscall.IPPROTO_UDP))
		s.says("type of unix", s.do(syscall.SYS_SOCKET, syscall.AF_UNIX, 9, 0))
		f, err := os.Open(os.DevNull)
		if err != nil {
			s.t.Fatal(err)
		}
		defer f.Close()
		s.says("listen on a file", s.do(syscall.SYS_LISTEN, int(f.Fd()), 1))
		s.says("listen on no file", s.do(syscall.SYS_LISTEN, 1999, 1))
		v, r := s.get(tcp, syscall.SOL_SOCKET, 9999)
		s.says("no option", r)
		s.says("no option to set", s.set(tcp, syscall.SOL_SOCKET, 9999, v))
		s.says("option too short", s.do(syscall.SYS_SETSOCKOPT, tcp, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, number(1), 2))
	}},
	{"options", func(s *side) {
		tcp, tcp6, udp := s.socket(syscall.AF_INET, syscall.SOCK_STREAM), s.socket(syscall.AF_INET6, syscall.SOCK_STREAM), s.socket(syscall.AF_INET, syscall.SOCK_DGRAM)
		for _, o := range []struct {
			what                  string
			n, level, name, value int
		}{
			{"reuse", tcp, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1},
			{"keepalive", tcp, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1},
			{"nodelay", tcp, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1},
			{"delay", tcp, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 0},
			{"keepidle", tcp, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, 15},
			{"keepintvl", tcp, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, 16},
			{"keepcnt", tcp, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 7},
			{"keepidle of 0", tcp, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, 0},
			{"user timeout", tcp, syscall.IPPROTO_TCP, tcpUserTimeout, 12345},
			{"v6only", tcp6, syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY, 1},
			{"broadcast", udp, syscall.SOL_SOCKET, syscall.SO_BROADCAST, 1},
			{"ttl", udp, syscall.IPPROTO_IP, syscall.IP_TTL, 17},
			{"type", udp, syscall.SOL_SOCKET, syscall.SO_TYPE, -1},
			{"error", udp, syscall.SOL_SOCKET, syscall.SO_ERROR, -1},
			{"listening", tcp, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN, -1},
			{"protocol", tcp, syscall.SOL_SOCKET, soProtocol, -1},
			{"domain", tcp6, syscall.SOL_SOCKET, soDomain, -1},
		} {
			if o.value >= 0 {
				s.says("set "+o.what, s.set(o.n, o.level, o.name, o.value))
			}
			v, r := s.get(o.n, o.level, o.name)
			s.says("get "+o.what, r)
			s.note("%s is %d", o.what, v)
		}
	}},
	{"datagrams", func(s *side) {
		a, b := s.socket(syscall.AF_INET, syscall.SOCK_DGRAM), s.socket(syscall.AF_INET, syscall.SOCK_DGRAM)
		s.says("bind", s.bind(a, in4(0, 127, 0, 0, 1)))
		s.says("connect", s.connect(b, in4(s.port(a), 127, 0, 0, 1)))
		s.says("write", s.write(b, "one"))
		s.says("write nothing", s.write(b, ""))
		s.says("write", s.write(b, "three, which is long"))
		buf, name, size := make([]byte, 100), make([]byte, 128), number(128)
		r := s.do(syscall.SYS_RECVFROM, a, buf, 100, syscall.MSG_PEEK, 0, 0)
		s.note("peek %q", buf[:r])
		r = s.do(syscall.SYS_RECVFROM, a, buf, 100, 0, name, size)
		s.note("%q from whom it is: %t", buf[:r], int(binary.BigEndian.Uint16(name[2:])) == s.port(b))
		s.read("nothing", a, 100)
		r = s.do(syscall.SYS_RECVFROM, a, buf, 5, syscall.MSG_TRUNC, 0, 0)
		s.note("of %d bytes %q", r, buf[:5])
		s.says("no more", s.do(syscall.SYS_RECVFROM, a, buf, 5, syscall.MSG_DONTWAIT, 0, 0))
		s.says("answer", s.do(syscall.SYS_SENDTO, a, []byte("back"), 4, 0, name, 16))
		s.read("answered", b, 100)
		c := s.socket(syscall.AF_INET, syscall.SOCK_DGRAM)
		s.says("bind to one that is taken", s.bind(c, in4(s.port(a), 127, 0, 0, 1)))
		s.says("connect to nobody", s.connect(c, in4(1, 127, 0, 0, 1)))
		s.says("write to nobody", s.write(c, "x"))
		s.read("it comes back", c, 10)
	}},
	{"unixDatagrams", func(s *side) {
		for _, prefix := range []string{s.dir + "/", "\x00sched9." + filepath.Base(s.dir)} {
			a, b := s.socket(syscall.AF_UNIX, syscall.SOCK_DGRAM), s.socket(syscall.AF_UNIX, syscall.SOCK_DGRAM)
			s.says("bind", s.bind(a, un(prefix+"a")))
			s.says("bind again", s.bind(a, un(prefix+"c")))
			s.says("bind to one that is taken", s.bind(b, un(prefix+"a")))
			s.says("bind", s.bind(b, un(prefix+"b")))
			s.says("stream to it", s.connect(s.socket(syscall.AF_UNIX, syscall.SOCK_STREAM), un(prefix+"a")))
			to := un(prefix + "a")
			s.says("send", s.do(syscall.SYS_SENDTO, b, []byte("to a"), 4, 0, to, len(to)))
			buf, name, size := make([]byte, 100), make([]byte, 128), number(128)
			r := s.do(syscall.SYS_RECVFROM, a, buf, 100, 0, name, size)
			got := string(bytes.TrimRight(name[2:binary.NativeEndian.Uint32(size)], "\x00"))
			s.note("%q from %q", buf[:r], strings.TrimPrefix(got, prefix))
			s.says("empty", s.do(syscall.SYS_SENDTO, b, buf, 0, 0, to, len(to)))
			s.read("empty", a, 10)
			s.says("none", s.do(syscall.SYS_RECVFROM, a, buf, 5, syscall.MSG_DONTWAIT, 0, 0))
			s.says("connect", s.connect(b, to))
			s.says("close", s.do(syscall.SYS_CLOSE, a))
			s.says("write to a closed one", s.write(b, "x"))
		}
	}},
	{"pairs", func(s *side) {
		for _, typ := range []int{syscall.SOCK_STREAM, syscall.SOCK_DGRAM, syscall.SOCK_SEQPACKET} {
			two := make([]byte, 8)
			s.says("pair", s.do(syscall.SYS_SOCKETPAIR, syscall.AF_UNIX, typ, 0, two))
			a, b := int(binary.NativeEndian.Uint32(two)), int(binary.NativeEndian.Uint32(two[4:]))
			s.open = append(s.open, b)
			s.says("write", s.write(a, "first"))
			s.says("write", s.write(a, "second"))
			s.read("part", b, 3)
			s.read("next", b, 100)
			s.says("write back", s.write(b, "back"))
			s.says("close", s.do(syscall.SYS_CLOSE, a))
			s.says("write to a closed one", s.do(syscall.SYS_SENDTO, b, []byte("x"), 1, syscall.MSG_NOSIGNAL, 0, 0))
			if typ != syscall.SOCK_DGRAM {
				s.read("reset, by what was not read", b, 10)
				s.read("end", b, 10)
			}
		}
	}},
	{"duplicates", func(s *side) {
		a, b, _ := s.accepted(syscall.AF_INET)
		c := s.do(syscall.SYS_FCNTL, a, syscall.F_DUPFD_CLOEXEC, 0)
		d := s.says("dup", s.do(syscall.SYS_DUP, c))
		s.open = append(s.open, c)
		s.says("close", s.do(syscall.SYS_CLOSE, a))
		s.says("close again", s.do(syscall.SYS_CLOSE, a))
		s.says("dup3", s.do(syscall.SYS_DUP3, d, c, 0)-c)
		s.says("close", s.do(syscall.SYS_CLOSE, d))
		s.says("write", s.write(c, "still here"))
		s.read("it comes", b, 20)
	}},
	{"files", func(s *side) { // sent over a socket, and one of them is a socket
		two := make([]byte, 8)
		s.says("pair", s.do(syscall.SYS_SOCKETPAIR, syscall.AF_UNIX, syscall.SOCK_STREAM, 0, two))
		a, b := int(binary.NativeEndian.Uint32(two)), int(binary.NativeEndian.Uint32(two[4:]))
		s.open = append(s.open, a, b)
		x, y, _ := s.accepted(syscall.AF_INET)
		control := appendControl(nil, syscall.SOL_SOCKET, syscall.SCM_RIGHTS, number(x))
		s.says("send", s.message(syscall.SYS_SENDMSG, a, []byte("here"), control, nil))
		s.says("close", s.do(syscall.SYS_CLOSE, x))
		got, buf := make([]byte, 64), make([]byte, 10)
		s.says("receive", s.message(syscall.SYS_RECVMSG, b, buf, got, nil))
		level, kind, data, _, errno := nextControl(got)
		s.note("%q, %d %d %d bytes, %v", buf[:4], level, kind, len(data), errno)
		n := int(binary.NativeEndian.Uint32(data))
		s.open = append(s.open, n)
		s.says("write to it", s.write(n, "it is the same"))
		s.read("it comes", y, 100)
	}},
}

// answers asks a netlink socket, and writes down what comes about the loopback interface, and how it ends.
func (s *side) answers(n int, kind, flags uint16) {
	request := make([]byte, syscall.NLMSG_HDRLEN+4)
	binary.NativeEndian.PutUint32(request, uint32(len(request)))
	binary.NativeEndian.PutUint16(request[4:], kind)
	binary.NativeEndian.PutUint16(request[6:], flags)
	binary.NativeEndian.PutUint32(request[8:], 7)
	kernel := append(binary.NativeEndian.AppendUint16(nil, syscall.AF_NETLINK), make([]byte, 10)...)
	s.note("request %d: %d", kind, s.do(syscall.SYS_SENDTO, n, request, len(request), 0, kernel, len(kernel)))
	own, _ := s.name(syscall.SYS_GETSOCKNAME, n)
	for {
		b := make([]byte, 1<<16)
		r := s.do(syscall.SYS_RECVFROM, n, b, len(b), 0, 0, 0)
		if s.says("answer", min(r, 0)); r < 0 {
			return
		}
		messages, err := syscall.ParseNetlinkMessage(b[:r])
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range messages {
			if m.Header.Seq != 7 || m.Header.Pid != binary.NativeEndian.Uint32(own[4:]) {
				s.t.Fatalf("number %d, for %d", m.Header.Seq, m.Header.Pid)
			}
			if m.Header.Type == syscall.NLMSG_DONE || m.Header.Type == syscall.NLMSG_ERROR {
				s.note("the end is %d: %d", m.Header.Type, int32(binary.NativeEndian.Uint32(m.Data)))
				return
			}
			s.loopback(m)
		}
		s.log = slices.Compact(s.log) // Linux may send several datagrams
	}
}

// loopback writes down a message about the loopback interface's link, or about its address of IPv4: what both sides have.
func (s *side) loopback(m syscall.NetlinkMessage) {
	index := binary.NativeEndian.Uint32(m.Data[4:])
	if index != 1 || m.Header.Type == syscall.RTM_NEWADDR && m.Data[0] != syscall.AF_INET {
		return
	}
	attributes, err := syscall.ParseNetlinkRouteAttr(&m)
	if err != nil {
		s.t.Fatal(err)
	}
	if m.Header.Type == syscall.RTM_NEWADDR {
		s.note("address % x", m.Data[:8])
	} else {
		const flags = syscall.IFF_UP | syscall.IFF_LOOPBACK | syscall.IFF_RUNNING | syscall.IFF_BROADCAST | syscall.IFF_MULTICAST
		s.note("link of kind %d, flags %#x", binary.NativeEndian.Uint16(m.Data[2:]), binary.NativeEndian.Uint32(m.Data[8:])&flags)
	}
	for kind := uint16(1); kind <= syscall.IFLA_MTU; kind++ {
		for _, a := range attributes {
			if a.Attr.Type == kind {
				s.note("%d: % x", kind, a.Value)
			}
		}
	}
}

// message is sendmsg, or recvmsg.
func (s *side) message(call uintptr, n int, data, control, name []byte) int {
	var iov syscall.Iovec
	var h syscall.Msghdr
	var keep runtime.Pinner
	defer keep.Unpin()
	keep.Pin(&data[0])
	keep.Pin(&iov)
	keep.Pin(&control[0])
	iov.Base = &data[0]
	iov.SetLen(len(data))
	h.Iov, h.Iovlen = &iov, 1
	h.Control = &control[0]
	h.SetControllen(len(control))
	keep.Pin(&h)
	return s.do(call, n, unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), 0)
}

// stream is a connection's life.
func stream(s *side, family int) {
	client, server, l := s.accepted(family)
	s.says("connect again", s.connect(client, un("x")[:2:2]))
	s.says("write", s.write(client, "a request"))
	s.read("part", server, 3)
	s.read("rest", server, 100)
	b := make([]byte, 10)
	s.says("nothing", s.do(syscall.SYS_RECVFROM, server, b, 10, syscall.MSG_DONTWAIT, 0, 0))
	s.says("half close", s.do(syscall.SYS_SHUTDOWN, client, syscall.SHUT_WR))
	s.read("end", server, 10)
	s.read("end again", server, 10)
	s.says("write after the end", s.do(syscall.SYS_SENDTO, client, b, 1, syscall.MSG_NOSIGNAL, 0, 0))
	s.says("answer", s.write(server, "an answer"))
	s.read("answered", client, 100)
	s.says("shutdown", s.do(syscall.SYS_SHUTDOWN, server, syscall.SHUT_RDWR))
	s.read("end of both", client, 10)
	// Much, in both directions, through sockets that wait.
	client, server, _ = s.accepted(family)
	const size = 1 << 21
	data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	var wait sync.WaitGroup
	wait.Go(func() {
		s.do(syscall.SYS_WRITE, client, data, size)
		s.do(syscall.SYS_SHUTDOWN, client, syscall.SHUT_WR)
	})
	var got []byte
	for part := make([]byte, 70000); ; {
		r := s.do(syscall.SYS_READ, server, part, len(part))
		if r <= 0 {
			s.says("end of much", r)
			break
		}
		got = append(got, part[:r]...)
	}
	wait.Wait()
	s.note("%d bytes, the same: %t", len(got), bytes.Equal(got, data))
	// A call that waits ends when the listener is shut down.
	s.says("shutdown of a listener", s.do(syscall.SYS_SHUTDOWN, l, syscall.SHUT_RDWR))
	s.says("accept then", s.do(syscall.SYS_ACCEPT4, l, 0, 0, 0))
}

func TestLikeLinux(t *testing.T) {
	for _, script := range scripts {
		t.Run(script.name, func(t *testing.T) {
			var logs [2][]string
			for i, call := range []func(num, a, b, c, d, e, f uintptr) uintptr{host, ours} {
				s := &side{t: t, call: call, dir: t.TempDir()}
				script.run(s)
				for _, n := range s.open {
					s.do(syscall.SYS_CLOSE, n)
				}
				logs[i] = s.log
			}
			for i := range max(len(logs[0]), len(logs[1])) {
				var lines [2]string
				for j := range lines {
					if i < len(logs[j]) {
						lines[j] = logs[j][i]
					}
				}
				if lines[0] != lines[1] {
					t.Errorf("step %d: on Linux %q, here %q", i, lines[0], lines[1])
				}
			}
		})
	}
}
