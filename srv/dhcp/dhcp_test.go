package dhcp

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
)

// Time is synctest's, so that leases of hours take none.

// asked is a message of the client's.
type asked struct {
	*dhcpv4.DHCPv4
	at       time.Duration // since the test began
	from, to netip.Addr
}

// wire is a card whose other end is a function: it gets each message, and returns what comes back.
type wire struct {
	t       *testing.T
	begin   time.Time
	server  func(m asked) [][]byte
	comes   chan []byte
	log     []asked
	address netip.Prefix
	said    []string
	names   []netip.Addr
}

func (w *wire) Address() [6]byte { return [6]byte{0x52, 0x54, 0, 1, 2, 3} }

func (w *wire) Send(b []byte, from, to netip.Addr) {
	m, err := dhcpv4.FromBytes(b)
	if err != nil {
		w.t.Fatal(err)
	}
	if from.IsValid() != w.address.IsValid() || from.IsValid() && from != w.address.Addr() {
		w.t.Errorf("a message is from %v, and the card has %v", from, w.address)
	}
	a := asked{m, time.Since(w.begin), from, to}
	w.log = append(w.log, a)
	for _, b := range w.server(a) {
		w.comes <- b
	}
}

func (w *wire) Receive(wait time.Duration) ([]byte, bool) {
	select {
	case b := <-w.comes:
		return b, true
	case <-time.After(wait):
		return nil, false
	}
}

func (w *wire) Set(a netip.Prefix, gateways []netip.Addr) {
	if w.address.IsValid() {
		w.t.Errorf("%v is set on top of %v", a, w.address)
	}
	w.address = a
}

func (w *wire) Unset() {
	if !w.address.IsValid() {
		w.t.Error("there is nothing to unset")
	}
	w.address = netip.Prefix{}
}

// start runs a client with a server, in a bubble, for so long, and returns the wire as it is then.
func start(t *testing.T, server func(asked) [][]byte, long time.Duration) (w *wire, c *client) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w = &wire{t: t, begin: time.Now(), server: server, comes: make(chan []byte, 10_000)}
		c = newClient(w, func(format string, a ...any) { w.said = append(w.said, fmt.Sprintf(format, a...)) },
			func(s []netip.Addr) { w.names = s })
		over := make(chan struct{})
		go func() {
			defer close(over)
			defer func() {
				if r := recover(); r != nil && r != "over" {
					panic(r)
				}
			}()
			server := w.server
			w.server = func(m asked) [][]byte {
				if m.at > long {
					panic("over") // the client runs for ever
				}
				return server(m)
			}
			c.run(func() {})
		}()
		<-over
	})
	return w, c
}

var serverIP = net.IPv4(10, 1, 0, 1)

// reply is an answer to m that gives 10.1.2.n/16 for an hour.
func reply(m asked, kind dhcpv4.MessageType, n byte, more ...dhcpv4.Modifier) []byte {
	a, err := dhcpv4.NewReplyFromRequest(m.DHCPv4, append([]dhcpv4.Modifier{
		dhcpv4.WithMessageType(kind),
		dhcpv4.WithYourIP(net.IPv4(10, 1, 2, n)),
		dhcpv4.WithOption(dhcpv4.OptServerIdentifier(serverIP)),
		dhcpv4.WithNetmask(net.CIDRMask(16, 32)),
		dhcpv4.WithOption(dhcpv4.OptRouter(serverIP)),
		dhcpv4.WithOption(dhcpv4.OptDNS(net.IPv4(10, 1, 0, 53))),
		dhcpv4.WithLeaseTime(3600),
	}, more...)...)
	if err != nil {
		panic(err)
	}
	return a.ToBytes()
}

// good is a server as it should be.
func good(m asked) [][]byte {
	if m.MessageType() == dhcpv4.MessageTypeDiscover {
		return [][]byte{reply(m, dhcpv4.MessageTypeOffer, 3)}
	}
	return [][]byte{reply(m, dhcpv4.MessageTypeAck, 3)}
}

// kinds are the types of messages, in a line.
func (w *wire) kinds() string {
	var all []string
	for _, m := range w.log {
		how := "all"
		if m.to.IsValid() {
			how = m.to.String()
		}
		all = append(all, fmt.Sprintf("%v:%v", m.MessageType(), how))
	}
	return strings.Join(all, " ")
}

// TestLease: an address is asked for, and again each half hour, of the server that has given it.
func TestLease(t *testing.T) {
	w, _ := start(t, good, 2*time.Hour)
	if got, want := w.kinds(), "DISCOVER:all REQUEST:all REQUEST:10.1.0.1 REQUEST:10.1.0.1 REQUEST:10.1.0.1 REQUEST:10.1.0.1 REQUEST:10.1.0.1"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for i, m := range w.log[2:] {
		if want := time.Duration(i+1) * 30 * time.Minute; m.at != want || !m.ClientIPAddr.Equal(net.IPv4(10, 1, 2, 3)) || m.ServerIdentifier() != nil || m.RequestedIPAddress() != nil {
			t.Errorf("renewal %d at %v\n%s", i, m.at, m.Summary())
		}
	}
	if q := w.log[1]; !q.ServerIdentifier().Equal(serverIP) || !q.RequestedIPAddress().Equal(net.IPv4(10, 1, 2, 3)) || !q.IsBroadcast() || !w.log[0].IsBroadcast() {
		t.Errorf("the request is\n%s", q.Summary())
	}
	want := "10.1.2.3/16 by DHCP from 10.1.0.1, gateway 10.1.0.1, for 1h0m0s"
	if len(w.said) != 1 || w.said[0] != want || w.address.String() != "10.1.2.3/16" || fmt.Sprint(w.names) != "[10.1.0.53]" {
		t.Errorf("%q, %v, %v", w.said, w.address, w.names)
	}
}

// TestForever: a lease without an end is not asked for again.
func TestForever(t *testing.T) {
	w, _ := start(t, func(m asked) [][]byte {
		kind := dhcpv4.MessageTypeAck
		if m.MessageType() == dhcpv4.MessageTypeDiscover {
			kind = dhcpv4.MessageTypeOffer
		}
		return [][]byte{reply(m, kind, 3, dhcpv4.WithLeaseTime(1<<32-1))}
	}, time.Hour)
	if len(w.log) != 2 || len(w.said) != 1 || !strings.HasSuffix(w.said[0], ", for ever") {
		t.Errorf("%s\n%q", w.kinds(), w.said)
	}
}

// TestSilent: nobody answers, or nobody says anything that is of use, however much it is. The client asks on, and not more often.
func TestSilent(t *testing.T) {
	for _, c := range []struct {
		name, why string
		server    func(m asked) [][]byte
	}{
		{"nothing", "no server answers", func(asked) [][]byte { return nil }},
		{"garbage", "an answer was of no use", func(m asked) [][]byte { return slices.Repeat([][]byte{[]byte("garbage")}, 1000) }},
		{"itself", "it is no answer", func(m asked) [][]byte { return [][]byte{m.ToBytes()} }},
		{"acknowledged", "it is ACK", func(m asked) [][]byte { return [][]byte{reply(m, dhcpv4.MessageTypeAck, 3)} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, client := start(t, c.server, time.Hour)
			if n := len(w.log); n < 55 || n > 65 {
				t.Errorf("%d questions in an hour", n)
			}
			for i, m := range w.log[1:] {
				pause, want := m.at-w.log[i].at, min(firstPause<<min(i, 8), mostPause)
				if pause < want-blur || pause > want+blur {
					t.Errorf("%v between questions %d and the next, want %v", pause, i, want)
				}
			}
			if why := client.why(); !strings.Contains(why, c.why) || w.address.IsValid() {
				t.Errorf("%v, %q", w.address, why)
			}
		})
	}
}

// TestUseless: what no machine can have, or is no answer to this one's question, is not taken.
func TestUseless(t *testing.T) {
	for name, more := range map[string]dhcpv4.Modifier{
		"answers somebody else":          dhcpv4.WithTransactionID(dhcpv4.TransactionID{1, 2, 3, 4}),
		"or another question":            dhcpv4.WithHwAddr(net.HardwareAddr{1, 2, 3, 4, 5, 6}),
		"0.0.0.0, which is no machine's": dhcpv4.WithYourIP(net.IPv4zero),
		"127.0.0.1, which":               dhcpv4.WithYourIP(net.IPv4(127, 0, 0, 1)),
		"224.0.0.9, which":               dhcpv4.WithYourIP(net.IPv4(224, 0, 0, 9)),
		"255.255.255.255, which":         dhcpv4.WithYourIP(net.IPv4bcast),
		"10.1.0.0/16, which is the subn": dhcpv4.WithYourIP(net.IPv4(10, 1, 0, 0)),
		"10.1.255.255/16, which is the":  dhcpv4.WithYourIP(net.IPv4(10, 1, 255, 255)),
		"which server":                   dhcpv4.WithoutOption(dhcpv4.OptionServerIdentifier),
		"mask is 00000000":               dhcpv4.WithNetmask(net.IPv4Mask(0, 0, 0, 0)),
		"mask is ff00ff00":               dhcpv4.WithNetmask(net.IPv4Mask(255, 0, 255, 0)),
		"for 9s":                         dhcpv4.WithLeaseTime(9),
		"for 0s":                         dhcpv4.WithoutOption(dhcpv4.OptionIPAddressLeaseTime),
	} {
		t.Run(name, func(t *testing.T) {
			w, c := start(t, func(m asked) [][]byte { return [][]byte{reply(m, dhcpv4.MessageTypeOffer, 3, more)} }, 10*time.Minute)
			if why := c.why(); w.address.IsValid() || !strings.Contains(why, name) || strings.Contains(w.kinds(), "REQUEST") {
				t.Errorf("%v: %s\n%s", w.address, why, w.kinds())
			}
		})
	}
	// What is wrong with a part is not taken, and the rest is.
	w, _ := start(t, func(m asked) [][]byte {
		kind := dhcpv4.MessageTypeAck
		if m.MessageType() == dhcpv4.MessageTypeDiscover {
			kind = dhcpv4.MessageTypeOffer
		}
		return [][]byte{reply(m, kind, 3, dhcpv4.WithOption(dhcpv4.OptRouter(net.IPv4(192, 168, 0, 1), net.IPv4(10, 1, 2, 3))),
			dhcpv4.WithOption(dhcpv4.OptDNS(net.IPv4(0, 0, 0, 0), net.IPv4(9, 9, 9, 9))), dhcpv4.WithoutOption(dhcpv4.OptionSubnetMask),
			dhcpv4.WithOption(dhcpv4.OptRenewTimeValue(2*time.Hour)))}
	}, 40*time.Minute)
	if len(w.said) != 1 || w.said[0] != "10.1.2.3/8 by DHCP from 10.1.0.1, for 1h0m0s" || fmt.Sprint(w.names) != "[9.9.9.9]" || w.log[2].at != 30*time.Minute {
		t.Errorf("%q, %v\n%s", w.said, w.names, w.kinds())
	}
}

// TestRefused: a server takes its offer back, gives something else than it offered, and refuses more time: the address is gone, and another is asked for.
func TestRefused(t *testing.T) {
	refuse := dhcpv4.WithOption(dhcpv4.OptMessage("no\n\x1bmore"))
	n, acks := byte(0), 0
	w, c := start(t, func(m asked) [][]byte {
		switch {
		case m.MessageType() == dhcpv4.MessageTypeDiscover:
			n++
			return [][]byte{reply(m, dhcpv4.MessageTypeOffer, n)}
		case n == 1:
			return [][]byte{reply(m, dhcpv4.MessageTypeNak, 0, refuse)}
		case n == 2:
			return [][]byte{reply(m, dhcpv4.MessageTypeAck, 9)}
		case acks == 0:
			acks++
			return [][]byte{reply(m, dhcpv4.MessageTypeAck, n)}
		}
		acks = 0
		return [][]byte{
			reply(m, dhcpv4.MessageTypeNak, 0, dhcpv4.WithOption(dhcpv4.OptServerIdentifier(net.IPv4(10, 1, 0, 99)))), // somebody else
			reply(m, dhcpv4.MessageTypeNak, 0, refuse),
		}
	}, 40*time.Minute)
	want := []string{
		"10.1.2.3/16 by DHCP from 10.1.0.1, gateway 10.1.0.1, for 1h0m0s", "10.1.2.3 is lost: the server refuses it: nomore",
		"10.1.2.4/16 by DHCP from 10.1.0.1, gateway 10.1.0.1, for 1h0m0s",
	}
	if !slices.Equal(w.said, want) || w.address.String() != "10.1.2.4/16" {
		t.Errorf("%q\nwant %q\n%s", w.said, want, w.kinds())
	}
	if why := c.why(); !strings.Contains(why, "who refuses is not who was asked") {
		t.Errorf("%s", why)
	}
	if gap := w.log[2].at - w.log[1].at; gap < firstPause-blur {
		t.Errorf("%v after the refusal it is asked again", gap)
	}
}

// TestLost: the server has gone. The client asks it, then all, and when its time is over it has no address; then the server is back.
func TestLost(t *testing.T) {
	acks := 0
	w, _ := start(t, func(m asked) [][]byte {
		switch {
		case m.at > 0 && m.at < 70*time.Minute:
			return nil
		case m.MessageType() == dhcpv4.MessageTypeRequest:
			acks++
		}
		return good(m)
	}, 80*time.Minute)
	var phases []string
	for _, m := range w.log {
		phase := fmt.Sprintf("%v:%v:%v", m.MessageType(), m.to.IsValid(), m.from.IsValid())
		if len(phases) == 0 || phases[len(phases)-1] != phase {
			phases = append(phases, phase)
		}
		if m.from.IsValid() && m.at >= time.Hour && m.at < 70*time.Minute {
			t.Errorf("a message from %v after %v, when the lease is over", m.from, m.at)
		}
	}
	want := []string{"DISCOVER:false:false", "REQUEST:false:false", "REQUEST:true:true", "REQUEST:false:true", "DISCOVER:false:false", "REQUEST:false:false"}
	if len(phases) > len(want) {
		phases = phases[:len(want)]
	}
	if !slices.Equal(phases, want) || len(w.said) != 3 || w.said[1] != "10.1.2.3 is lost: no server answers" || w.address.String() != "10.1.2.3/16" || acks != 2 {
		t.Errorf("%q\nwant %q\n%q, %d", phases, want, w.said, acks)
	}
}

// FuzzAnswer gives the client any bytes for an offer and for an acknowledgement. What it takes is what a machine can have.
func FuzzAnswer(f *testing.F) {
	m, err := dhcpv4.NewDiscovery(net.HardwareAddr{0x52, 0x54, 0, 1, 2, 3})
	if err != nil {
		f.Fatal(err)
	}
	offer := reply(asked{DHCPv4: m}, dhcpv4.MessageTypeOffer, 3)
	f.Add(offer)
	f.Add(reply(asked{DHCPv4: m}, dhcpv4.MessageTypeNak, 3))
	f.Add(offer[:240])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 34 { // the number of the question, and the card's address, which any server knows
			copy(b[4:], m.TransactionID[:])
			copy(b[28:], m.ClientHWAddr)
		}
		a, err := answer(b, m)
		if err != nil {
			return
		}
		if r := reason(a); len(r) > 110 || strings.ContainsFunc(r, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("the reason is %q", r)
		}
		l, err := read(a)
		if err != nil {
			return
		}
		for _, ip := range append(append([]netip.Addr{l.address.Addr(), l.server}, l.gateways...), l.servers...) {
			if !ip.Is4() || ip.IsUnspecified() || ip.IsMulticast() || ip.IsLoopback() {
				t.Errorf("%v", ip)
			}
		}
		if l.renew <= 0 || l.renew >= l.rebind || l.rebind >= l.length || l.length < leastLength || len(l.servers) > mostServers || l.String() == "" {
			t.Errorf("%v, %v, %v, %v", l.renew, l.rebind, l.length, l.servers)
		}
		c := newClient(&wire{t: t}, nil, nil)
		for _, q := range []*dhcpv4.DHCPv4{c.selecting(l), c.extending(l)} {
			if _, err := dhcpv4.FromBytes(q.ToBytes()); err != nil || q.OpCode != dhcpv4.OpcodeBootRequest || q.TransactionID == m.TransactionID {
				t.Errorf("%v\n%s", err, q.Summary())
			}
		}
	})
}
