package net

import (
	"encoding/binary"
	"syscall"
)

func init() {
	scripts = append(scripts, script{"limits", limits}, script{"info", info})
}

// timeval is the value of an option that is a time.
func timeval(seconds, micro int) []byte {
	return binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, uint64(seconds)), uint64(micro))
}

// limits are calls that wait no longer than their sockets say.
func limits(s *side) {
	for _, family := range []int{syscall.AF_INET, syscall.AF_UNIX} {
		client, server, l := s.accepted(family)
		set := func(what string, n, name int, value []byte) {
			s.says(what, s.do(syscall.SYS_SETSOCKOPT, n, syscall.SOL_SOCKET, name, value, len(value)))
			got, size := make([]byte, 64), number(64)
			r := s.do(syscall.SYS_GETSOCKOPT, n, syscall.SOL_SOCKET, name, got, size)
			s.note("%s: %d % x", what, r, got[:binary.NativeEndian.Uint32(size)])
		}
		for _, name := range []int{syscall.SO_RCVTIMEO, syscall.SO_SNDTIMEO} {
			set("half", client, name, make([]byte, 8))
			set("part of a second", client, name, timeval(7, 500_000))
			set("too many parts", client, name, timeval(1, 1_000_000))
			set("less than no part", client, name, timeval(1, -1))
			set("less than nothing", client, name, timeval(-1, 0))
			set("for ever", client, name, timeval(0, 0))
			set("as good as for ever", client, name, timeval(1<<62, 0))
		}
		set("before now", client, syscall.SO_RCVTIMEO, timeval(-1, 0))
		s.read("at once", client, 10)
		set("soon", client, syscall.SO_RCVTIMEO, timeval(0, 20_000))
		s.read("soon", client, 10)
		s.says("write", s.write(server, "in time"))
		s.read("in time", client, 10)
		set("soon", l, syscall.SO_RCVTIMEO, timeval(0, 20_000))
		s.says("accept", s.do(syscall.SYS_ACCEPT4, l, 0, 0, 0))
		set("soon", server, syscall.SO_SNDTIMEO, timeval(0, 20_000))
		much := make([]byte, 1<<26)
		r := s.do(syscall.SYS_WRITE, server, much, len(much))
		s.note("much, to who does not read: %t", r > 0 && r < len(much))
	}
}

// info is what is told of a connection: the state alone is the same on both sides.
func info(s *side) {
	state := func(what string, n int) {
		b, size := make([]byte, 512), number(512)
		r := s.do(syscall.SYS_GETSOCKOPT, n, syscall.IPPROTO_TCP, syscall.TCP_INFO, b, size)
		s.note("%s: %d, state %d, congestion %d, %t", what, r, b[0], b[1], binary.NativeEndian.Uint32(size) >= syscall.SizeofTCPInfo)
	}
	state("new", s.socket(syscall.AF_INET, syscall.SOCK_STREAM))
	client, server, l := s.accepted(syscall.AF_INET)
	state("connected", client)
	state("accepted", server)
	state("listener", l)
	s.says("half close", s.do(syscall.SYS_SHUTDOWN, client, syscall.SHUT_WR))
	s.read("end", server, 10)
	state("half closed", server)
	s.says("close", s.do(syscall.SYS_SHUTDOWN, server, syscall.SHUT_WR))
	s.read("end", client, 10)
}
