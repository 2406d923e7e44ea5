package net

import (
	"bytes"
	"net/netip"
	"sync/atomic"
	"time"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/checksum"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// The ports of DHCP (RFC 2131, 4.1).
const (
	portServer = 67
	portClient = 68
)

// Dynamic is the card for a client of DHCP (package dhcp): messages of its protocol, and the address that comes of them. A socket would not do,
// because the first messages leave while the card has no address.
type Dynamic struct {
	stack    *stack.Stack
	mac      tcpip.LinkAddress
	ep       tcpip.Endpoint
	readable chan struct{}
	address  tcpip.Address // Set's, to be taken away
}

// asks is set once there is a client of DHCP. It is part of an image only if that was asked for.
var asks atomic.Bool

// dynamic is the card if it is to get its address from a server. network sets it.
var dynamic *Dynamic

// OpenDynamic returns the card if it is to get its address from a server, as the file /etc/network says, or because there is no such file; nil if
// there is no such card. One client calls it, before the program begins.
func OpenDynamic() *Dynamic {
	asks.Store(true)
	network()
	return dynamic
}

// newDynamic makes a Dynamic of a stack's card.
func newDynamic(s *stack.Stack, mac tcpip.LinkAddress) *Dynamic {
	d := &Dynamic{stack: s, mac: mac}
	var queue waiter.Queue
	ep, err := s.NewEndpoint(udp.ProtocolNumber, ipv4.ProtocolNumber, &queue)
	must(err)
	must(ep.Bind(tcpip.FullAddress{NIC: nicCard, Port: portClient}))
	entry, readable := waiter.NewChannelEntry(waiter.ReadableEvents)
	queue.EventRegister(&entry)
	d.ep, d.readable = ep, readable
	return d
}

// Address returns the card's Ethernet address.
func (d *Dynamic) Address() (a [6]byte) {
	copy(a[:], d.mac)
	return a
}

// Send sends a message to all servers on the link, or to that at to, if to is valid. from is the card's address, or not valid while it has
// none. What cannot be sent is lost, as anything on a network may be.
func (d *Dynamic) Send(m []byte, from, to netip.Addr) {
	if to.IsValid() {
		d.ep.Write(bytes.NewReader(m), tcpip.WriteOptions{To: &tcpip.FullAddress{NIC: nicCard, Addr: addressOf(to), Port: portServer}})
		return
	}
	if !from.IsValid() {
		from = netip.IPv4Unspecified()
	}
	d.stack.WritePacketToRemote(nicCard, header.EthernetBroadcastAddress, ipv4.ProtocolNumber, buffer.MakeWithData(broadcast(m, addressOf(from))))
}

// addressOf is an address as the stack has it.
func addressOf(a netip.Addr) tcpip.Address { return tcpip.AddrFromSlice(a.AsSlice()) }

// broadcast is a packet with a message for all servers on the link.
func broadcast(m []byte, from tcpip.Address) []byte {
	size := header.UDPMinimumSize + len(m)
	packet := make([]byte, header.IPv4MinimumSize+size)
	ip := header.IPv4(packet)
	ip.Encode(&header.IPv4Fields{
		TotalLength: uint16(len(packet)), TTL: 64, Protocol: uint8(udp.ProtocolNumber), SrcAddr: from, DstAddr: header.IPv4Broadcast,
	})
	ip.SetChecksum(^ip.CalculateChecksum())
	u := header.UDP(ip.Payload())
	u.Encode(&header.UDPFields{SrcPort: portClient, DstPort: portServer, Length: uint16(size)})
	copy(u.Payload(), m)
	sum := header.PseudoHeaderChecksum(udp.ProtocolNumber, from, header.IPv4Broadcast, uint16(size))
	u.SetChecksum(^u.CalculateChecksum(checksum.Checksum(m, sum)))
	return packet
}

// Receive returns the next message that has come, or false if none comes for so long.
func (d *Dynamic) Receive(wait time.Duration) (m []byte, ok bool) {
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		var b bytes.Buffer
		if _, err := d.ep.Read(&b, tcpip.ReadOptions{}); err == nil {
			return b.Bytes(), true
		}
		select {
		case <-d.readable:
		case <-late.C:
			return nil, false
		}
	}
}

// Set gives the card an address, with the way to its network and, by the gateways, to others. It has none from Set before, or Unset has
// taken that away.
func (d *Dynamic) Set(p netip.Prefix, gateways []netip.Addr) {
	addAddresses(d.stack, config{addresses: []netip.Prefix{p}, gateways: gateways})
	d.address = addressOf(p.Addr())
}

// Unset takes the address away that Set has given, and all ways of IPv4 by the card: it has no other address (readConfig). Connections from that address end by their time limits.
func (d *Dynamic) Unset() {
	must(d.stack.RemoveAddress(nicCard, d.address))
	d.stack.RemoveRoutes(func(r tcpip.Route) bool {
		return r.NIC == nicCard && r.Destination.ID().BitLen() == header.IPv4AddressSizeBits
	})
}
