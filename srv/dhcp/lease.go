package dhcp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
)

// lease is what a server gives, and for how long.
type lease struct {
	address  netip.Prefix
	gateways []netip.Addr
	servers  []netip.Addr // of names
	server   netip.Addr   // who gives it
	message  *dhcpv4.DHCPv4

	since                 time.Time     // when it was asked for
	renew, rebind, length time.Duration // from since on: when the server is asked for more, when all are, when it ends
}

// forever is the length of a lease without an end.
const forever = time.Duration(1<<32-1) * time.Second

// leastLength is the shortest lease that is taken: one that is asked for more often has no use.
const leastLength = 10 * time.Second

// mostServers is how many name servers are taken: package net asks no more.
const mostServers = 3

// String is the lease in a line.
func (l *lease) String() string {
	s := fmt.Sprintf("%v by DHCP from %v", l.address, l.server)
	for _, g := range l.gateways {
		s += fmt.Sprintf(", gateway %v", g)
	}
	if l.length == forever {
		return s + ", for ever"
	}
	return s + fmt.Sprintf(", for %v", l.length)
}

// answer reads an answer to m. The error says why it is none.
func answer(b []byte, m *dhcpv4.DHCPv4) (*dhcpv4.DHCPv4, error) {
	a, err := dhcpv4.FromBytes(b)
	switch {
	case err != nil:
		return nil, err
	case a.OpCode != dhcpv4.OpcodeBootReply:
		return nil, errors.New("it is no answer")
	case a.TransactionID != m.TransactionID || !bytes.Equal(a.ClientHWAddr, m.ClientHWAddr):
		return nil, errors.New("it answers somebody else, or another question")
	}
	return a, nil
}

// read takes out of an offer or an acknowledgement what it gives. The error says what this machine cannot have.
func read(a *dhcpv4.DHCPv4) (*lease, error) {
	l := &lease{message: a}
	mine, ok := unicast(a.YourIPAddr)
	if !ok {
		return nil, fmt.Errorf("it gives %v, which is no machine's address", a.YourIPAddr)
	}
	if l.server, ok = unicast(a.ServerIdentifier()); !ok {
		return nil, errors.New("it does not say which server it is from")
	}
	mask := a.SubnetMask()
	if mask == nil {
		mask = net.IP(mine.AsSlice()).DefaultMask()
	}
	ones, size := mask.Size()
	if size != 32 || ones == 0 {
		return nil, fmt.Errorf("its subnet's mask is %v", mask)
	}
	if l.address = netip.PrefixFrom(mine, ones); isEnd(l.address) {
		return nil, fmt.Errorf("it gives %v, which is the subnet's own address", l.address)
	}
	for _, r := range a.Router() {
		if g, ok := unicast(r); ok && g != mine && l.address.Contains(g) {
			l.gateways = append(l.gateways, g)
		}
	}
	for _, d := range a.DNS() {
		if s, ok := unicast(d); ok && len(l.servers) < mostServers {
			l.servers = append(l.servers, s)
		}
	}
	return l, l.times()
}

// times reads how long the lease lasts.
func (l *lease) times() error {
	l.length = l.message.IPAddressLeaseTime(0)
	if l.length < leastLength {
		return fmt.Errorf("it gives an address for %v, and less than %v is of no use", l.length, leastLength)
	}
	l.renew = l.message.IPAddressRenewalTime(l.length / 2)
	l.rebind = l.message.IPAddressRebindingTime(l.length / 8 * 7)
	if l.renew < time.Second || l.renew >= l.rebind || l.rebind >= l.length {
		l.renew, l.rebind = l.length/2, l.length/8*7
	}
	return nil
}

// unicast is an IPv4 address that one machine on a network can have.
func unicast(ip net.IP) (a netip.Addr, ok bool) {
	a, ok = netip.AddrFromSlice(ip.To4())
	return a, ok && a.As4()[0] != 0 && a.As4()[0] < 224 && !a.IsLoopback()
}

// isEnd reports whether an address is the first or the last of its subnet, which is the subnet's own and that of all on it.
func isEnd(p netip.Prefix) bool {
	if p.Bits() > 30 {
		return false
	}
	first, last := p.Masked().Addr().As4(), p.Addr().As4()
	for i := p.Bits(); i < 32; i++ {
		last[i/8] |= 0x80 >> (i % 8)
	}
	return p.Addr() == netip.AddrFrom4(first) || p.Addr() == netip.AddrFrom4(last)
}

// reason is what a server says about its refusal, as far as it can be printed.
func reason(a *dhcpv4.DHCPv4) string {
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, a.Message())
	if text == "" {
		return ""
	}
	return ": " + text[:min(len(text), 100)]
}

// discover is the question for offers. Answers are to be for all machines on the link, since this one has no address yet.
func (c *client) discover() *dhcpv4.DHCPv4 {
	m, err := dhcpv4.NewDiscovery(c.mac, dhcpv4.WithBroadcast(true))
	return must(m, err)
}

// selecting takes an offer.
func (c *client) selecting(offer *lease) *dhcpv4.DHCPv4 {
	return c.again(dhcpv4.NewRequestFromOffer(offer.message, dhcpv4.WithBroadcast(true), dhcpv4.WithClientIP(net.IPv4zero)))
}

// extending asks for more time.
func (c *client) extending(l *lease) *dhcpv4.DHCPv4 {
	return c.again(dhcpv4.NewRenewFromAck(l.message))
}

// again makes of a message that answers one a question of its own: an answer to an earlier question is none to it.
func (c *client) again(m *dhcpv4.DHCPv4, err error) *dhcpv4.DHCPv4 {
	must(m, err)
	m.OpCode, m.ClientHWAddr, m.HopCount, m.GatewayIPAddr = dhcpv4.OpcodeBootRequest, c.mac, 0, net.IPv4zero
	id, err := dhcpv4.GenerateTransactionID()
	if err != nil {
		panic(err)
	}
	m.TransactionID = id
	return m
}

// must is for a message that cannot be made only if there are no random numbers.
func must(m *dhcpv4.DHCPv4, err error) *dhcpv4.DHCPv4 {
	if err != nil {
		panic(err)
	}
	return m
}
