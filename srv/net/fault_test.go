package net

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/checksum"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

// listen has a stack listen at a port.
func listen(t *testing.T, s *stack.Stack, port uint16) *gonet.TCPListener {
	ln, err := gonet.ListenTCP(s, tcpip.FullAddress{Port: port}, ipv4.ProtocolNumber)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// dial connects to a port of the stack whose number is 2.
func dial(t *testing.T, s *stack.Stack, port uint16) *gonet.TCPConn {
	c, err := gonet.DialContextTCP(context.Background(), s, tcpip.FullAddress{Addr: tcpip.AddrFrom4([4]byte{10, 9, 0, 2}), Port: port}, ipv4.ProtocolNumber)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// echo has a listener send back what comes.
func echo(ln *gonet.TCPListener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			io.Copy(c, c)
			c.Close()
		}()
	}
}

// syn is a frame from number 1 to number 2 of a cable that asks for a connection to a port, from far away: i makes the
// address and the port.
func syn(i int, port uint16) []byte {
	frame := make([]byte, header.EthernetMinimumSize+header.IPv4MinimumSize+header.TCPMinimumSize)
	from, to := (&plug{number: 1}).Address(), (&plug{number: 2}).Address()
	header.Ethernet(frame).Encode(&header.EthernetFields{SrcAddr: tcpip.LinkAddress(from[:]), DstAddr: tcpip.LinkAddress(to[:]), Type: ipv4.ProtocolNumber})
	ip := header.IPv4(frame[header.EthernetMinimumSize:])
	ip.Encode(&header.IPv4Fields{
		TotalLength: uint16(len(ip)), TTL: 64, Protocol: uint8(tcp.ProtocolNumber),
		SrcAddr: tcpip.AddrFrom4([4]byte{11, 1, byte(i >> 8), byte(i)}), DstAddr: tcpip.AddrFrom4([4]byte{10, 9, 0, 2}),
	})
	ip.SetChecksum(^ip.CalculateChecksum())
	seg := header.TCP(ip.Payload())
	seg.Encode(&header.TCPFields{
		SrcPort: uint16(1024 + i), DstPort: port, SeqNum: uint32(i), DataOffset: header.TCPMinimumSize, Flags: header.TCPFlagSyn, WindowSize: 1 << 15,
	})
	sum := header.PseudoHeaderChecksum(tcp.ProtocolNumber, ip.SourceAddress(), ip.DestinationAddress(), uint16(len(seg)))
	seg.SetChecksum(^seg.CalculateChecksum(checksum.Combine(sum, 0)))
	return frame
}

// TestSYNFlood: a listener whom others ask for connections that they do not want serves who does, during the flood and after it. It
// remembers no more of them than it has room for.
func TestSYNFlood(t *testing.T) {
	p, q := newCable(1000)
	a, _ := p.start(t)
	b, _ := q.start(t)
	go echo(listen(t, b, 80))
	c := dial(t, a, 80) // they know each other's addresses
	flood := func() {
		const frames = 20000
		for i := range frames {
			q.lock.Lock()
			q.in = append(q.in, syn(i, 80))
			q.interrupt()
			q.lock.Unlock()
		}
	}
	asked := b.Stats().TCP.PassiveConnectionOpenings
	flood()
	for _, c := range []*gonet.TCPConn{c, dial(t, a, 80), dial(t, a, 80)} {
		want := []byte("is anybody there?")
		c.Write(want)
		if got := make([]byte, len(want)); true {
			if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q, %v", got, err)
			}
		}
	}
	if b.Stats().TCP.ListenOverflowSynCookieSent.Value() == 0 {
		t.Error("nobody was sent a cookie: it was no flood")
	}
	if n := len(b.RegisteredEndpoints()); n > 4096+10 { // gonet's backlog, and those of this test
		t.Errorf("%d connections are remembered", n)
	}
	if n := asked.Value(); n != 3 {
		t.Errorf("%d connections were made, want 3", n)
	}
}

// TestStall: a peer that does not receive holds up who sends to it until its deadline, and nobody else. What the sender
// was told is sent arrives.
func TestStall(t *testing.T) {
	p, q := newCable(100)
	a, _ := p.start(t)
	b, _ := q.start(t)
	data := make([]byte, 64<<20) // more than there are buffers
	for i := range data {
		data[i] = byte(i >> 12)
	}
	ln := listen(t, b, 80)
	accepted := make(chan net.Conn)
	type sent struct {
		n   int
		err error
	}
	done := make(chan sent, 1)
	go func() {
		c, err := ln.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		accepted <- c
		n, err := c.Write(data)
		done <- sent{n, err}
		c.Close()
	}()
	stalled := dial(t, a, 80)
	sender := <-accepted
	go echo(listen(t, b, 81))
	other := dial(t, a, 81)
	for range 1000 {
		var got [4]byte
		other.Write([]byte("ping"))
		if _, err := io.ReadFull(other, got[:]); err != nil || string(got[:]) != "ping" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	sender.SetWriteDeadline(time.Now())
	s := <-done
	if late, ok := errors.AsType[net.Error](s.err); !ok || !late.Timeout() || s.n == 0 || s.n == len(data) {
		t.Errorf("%d bytes of %d were sent, %v", s.n, len(data), s.err)
	}
	if all, err := io.ReadAll(stalled); err != nil || !bytes.Equal(all, data[:s.n]) {
		t.Errorf("%d bytes came of %d that were sent, %v", len(all), s.n, err)
	}
}

// TestPorts: who wants a port of its own when all are taken is told so, as by Linux, and gets one when one is free again.
func TestPorts(t *testing.T) {
	const first, last = 40000, 40003
	all := network()
	old, oldLast := all.PortRange()
	if err := all.SetPortRange(first, last); err != nil {
		t.Fatal(err)
	}
	defer all.SetPortRange(old, oldLast)
	s := &side{t: t, call: ours}
	ln := s.socket(syscall.AF_INET, syscall.SOCK_STREAM)
	s.bind(ln, in4(39999, 127, 0, 0, 1))
	s.do(syscall.SYS_LISTEN, ln, 10)
	connect := func() (n, r int) {
		n = s.socket(syscall.AF_INET, syscall.SOCK_STREAM)
		return n, s.connect(n, in4(39999, 127, 0, 0, 1))
	}
	var one int
	for range last - first + 1 {
		n, r := connect()
		if r != 0 {
			t.Fatal(syscall.Errno(-r))
		}
		one = n
	}
	if _, r := connect(); r != -int(syscall.EADDRNOTAVAIL) {
		t.Errorf("a connection more: %d, want EADDRNOTAVAIL", r)
	}
	// By a reset the port is free at once.
	s.do(syscall.SYS_SETSOCKOPT, one, syscall.SOL_SOCKET, syscall.SO_LINGER, binary.NativeEndian.AppendUint32(number(1), 0), 8)
	s.do(syscall.SYS_CLOSE, one)
	if _, r := connect(); r != 0 {
		t.Errorf("when one is free: %v", syscall.Errno(-r))
	}
	for _, n := range s.open {
		s.do(syscall.SYS_CLOSE, n)
	}
}
