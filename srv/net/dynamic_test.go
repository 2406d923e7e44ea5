package net

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// TestDynamic: messages leave and arrive before there is an address, with one, and after it was taken away.
func TestDynamic(t *testing.T) {
	a, b := newCable(16)
	other, _ := b.start(t) // 10.9.0.2
	var queue waiter.Queue
	ep, err := other.NewEndpoint(udp.ProtocolNumber, ipv4.ProtocolNumber, &queue)
	must(err)
	must(ep.Bind(tcpip.FullAddress{NIC: nicCard, Port: portServer}))
	ep.SocketOptions().SetBroadcast(true)
	server := gonet.NewUDPConn(&queue, ep)
	defer server.Close()
	server.SetDeadline(time.Now().Add(time.Minute))

	s := newStack()
	l := newLink(a, lossesOf(s))
	addCard(s, l, config{dynamic: true})
	go l.run(func() { <-a.wake })
	t.Cleanup(s.Close)
	d := newDynamic(s, l.address)
	if d.Address() != a.Address() {
		t.Errorf("the address is %x", d.Address())
	}
	// asks sends a question and has the server answer, to all or to who has asked.
	asks := func(from, to, want string, answer net.IP) {
		t.Helper()
		address := func(s string) (a netip.Addr) {
			if s != "" {
				a = netip.MustParseAddr(s)
			}
			return a
		}
		d.Send([]byte("question"), address(from), address(to))
		var m [100]byte
		n, who, err := server.ReadFrom(m[:])
		if err != nil || string(m[:n]) != "question" || who.String() != want+":68" {
			t.Fatalf("%q from %v, %v, want it from %s", m[:n], who, err, want)
		}
		if _, err := server.WriteTo([]byte("answer"), &net.UDPAddr{IP: answer, Port: portClient}); err != nil {
			t.Fatal(err)
		}
		if m, ok := d.Receive(time.Minute); !ok || string(m) != "answer" {
			t.Fatalf("%q, %v", m, ok)
		}
	}
	mine, ways := netip.MustParsePrefix("10.9.0.7/24"), len(s.GetRouteTable())
	for range 2 {
		asks("", "", "0.0.0.0", net.IPv4bcast)
		d.Set(mine, []netip.Addr{netip.MustParseAddr("10.9.0.2")})
		asks("10.9.0.7", "10.9.0.2", "10.9.0.7", net.IPv4(10, 9, 0, 7))
		asks("10.9.0.7", "", "10.9.0.7", net.IPv4bcast)
		if r, err := s.FindRoute(0, tcpip.Address{}, tcpip.AddrFrom4([4]byte{9, 9, 9, 9}), ipv4.ProtocolNumber, false); err != nil {
			t.Errorf("no way to other networks: %v", err)
		} else {
			r.Release()
		}
		d.Unset()
		if r, err := s.FindRoute(0, tcpip.Address{}, addressOf(netip.MustParseAddr("10.9.0.2")), ipv4.ProtocolNumber, false); err == nil {
			r.Release()
			t.Error("without an address there is a way")
		}
		if n := len(s.GetRouteTable()); n != ways {
			t.Errorf("%d ways are left, before there were %d", n, ways)
		}
	}
	if m, ok := d.Receive(time.Millisecond); ok {
		t.Errorf("from nobody: %q", m)
	}
}
