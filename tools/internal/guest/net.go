package guest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/u-root/u-root/pkg/cpio"

	"sched9/qemu"
)

// Net is a guest's network card: what it is plugged into, and what the guest is told of that network.
type Net struct {
	qemu.Net
	Addresses []netip.Prefix // the guest's
	Gateways  []netip.Addr   // where what is not on the network goes
	Servers   []netip.Addr   // name servers
	Dynamic   bool           // its IPv4 address comes from a server on that network, by DHCP
}

// IsDynamic reports whether a guest with the card n, which may be none, has to ask for its address.
func (n *Net) IsDynamic() bool { return n != nil && n.Dynamic }

// UserNet is a card on QEMU's user network, whose addresses QEMU gives by DHCP: always the same.
func UserNet() *Net {
	return &Net{
		Net:       qemu.Net{User: true},
		Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.2.15/24"), netip.MustParsePrefix("fec0::15/64")},
		Gateways:  []netip.Addr{netip.MustParseAddr("10.0.2.2"), netip.MustParseAddr("fec0::2")},
		Servers:   []netip.Addr{netip.MustParseAddr("10.0.2.3")},
	}
}

// ParseNet reads a description of a card: user, tap=NAME, socket=listen:HOST:PORT or socket=connect:HOST:PORT, and behind the
// last three, separated by commas, ip=ADDRESS/BITS, gateway=ADDRESS and dns=ADDRESS, each as often as wanted. dhcp behind any of the four stands for
// addresses of IPv4.
func ParseNet(s string) (*Net, error) {
	words := strings.Split(s, ",")
	if words[0] == "user" {
		n := UserNet()
		switch {
		case len(words) == 1:
		case len(words) == 2 && words[1] == "dhcp":
			// Those of IPv6 stay as they are, without a name server: the guest is told one.
			n.Addresses, n.Gateways, n.Servers, n.Dynamic = n.Addresses[1:], n.Gateways[1:], nil, true
		default:
			return nil, fmt.Errorf("%q: the user network's addresses are fixed, or by dhcp", words[1])
		}
		return n, nil
	}
	n := new(Net)
	what, where, _ := strings.Cut(words[0], "=")
	side, at, _ := strings.Cut(where, ":")
	switch {
	case what == "tap" && where != "":
		n.Tap = where
	case what == "socket" && side == "listen":
		n.Listen = at
	case what == "socket" && side == "connect":
		n.Connect = at
	default:
		return nil, fmt.Errorf("%q is none of user, tap=NAME, socket=listen:HOST:PORT, socket=connect:HOST:PORT", words[0])
	}
	for _, w := range words[1:] {
		if err := n.option(w); err != nil {
			return nil, err
		}
	}
	if len(n.Addresses) == 0 && !n.Dynamic {
		return nil, fmt.Errorf("the guest needs an address there, as in %s,ip=10.0.0.2/24 or %s,dhcp", s, s)
	}
	if n.Dynamic && slices.ContainsFunc(slices.Concat(n.own(), n.Gateways), netip.Addr.Is4) {
		return nil, errors.New("by dhcp the guest gets its IPv4 address and gateway, and cannot be given others")
	}
	// Cards on one network differ in their addresses, as the guests do, or the places where they are plugged in.
	var a [4]byte
	if n.Dynamic {
		h := fnv.New32a()
		h.Write([]byte(words[0]))
		h.Sum(a[:0])
	} else {
		first := n.Addresses[0].Addr().As16()
		copy(a[:], first[12:])
	}
	n.Address = fmt.Sprintf("52:54:%02x:%02x:%02x:%02x", a[0], a[1], a[2], a[3])
	return n, n.Check()
}

// own are the guest's addresses without their networks.
func (n *Net) own() (all []netip.Addr) {
	for _, p := range n.Addresses {
		all = append(all, p.Addr())
	}
	return all
}

// option adds what a word of ParseNet's says.
func (n *Net) option(word string) error {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "dhcp":
		n.Dynamic = true
		if value != "" {
			return fmt.Errorf("%q is not dhcp", word)
		}
		return nil
	case "ip":
		p, err := netip.ParsePrefix(value)
		if err != nil || p.Addr().IsUnspecified() || p.Addr().IsMulticast() {
			return fmt.Errorf("%q is no address of the form 10.0.0.2/24", value)
		}
		n.Addresses = append(n.Addresses, p)
		return nil
	case "gateway", "dns":
		a, err := netip.ParseAddr(value)
		if err != nil || a.Zone() != "" {
			return fmt.Errorf("%q is no address of the form 10.0.0.1", value)
		}
		if key == "dns" {
			n.Servers = append(n.Servers, a)
		} else {
			n.Gateways = append(n.Gateways, a)
		}
		return nil
	}
	return fmt.Errorf("%q is none of ip=ADDRESS/BITS, gateway=ADDRESS, dns=ADDRESS, dhcp", word)
}

// ParseForward reads a forward, [ADDRESS:]PORT:GUESTPORT with /udp or /tcp behind it.
func ParseForward(s string) (f qemu.Forward, err error) {
	rest, protocol, given := strings.Cut(s, "/")
	if f.UDP = protocol == "udp"; given && protocol != "udp" && protocol != "tcp" {
		return f, fmt.Errorf("%q is neither tcp nor udp", protocol)
	}
	words := strings.Split(rest, ":")
	if len(words) == 3 {
		f.Host, words = words[0], words[1:]
	}
	if len(words) != 2 {
		return f, fmt.Errorf("%q is not of the form PORT:GUESTPORT", s)
	}
	var wrong [2]error
	f.Port, wrong[0] = strconv.Atoi(words[0])
	f.Guest, wrong[1] = strconv.Atoi(words[1])
	if errors.Join(wrong[:]...) != nil {
		return f, fmt.Errorf("%q is not of the form PORT:GUESTPORT", s)
	}
	return f, (&qemu.Net{User: true, Forward: []qemu.Forward{f}}).Check()
}

// files are those by which the guest is told, apart from those that it has already.
func (n *Net) files(has []cpio.Record) (all []cpio.Record) {
	if n == nil {
		return nil
	}
	var network, resolv strings.Builder
	for _, a := range n.Addresses {
		fmt.Fprintf(&network, "address %v\n", a)
	}
	for _, g := range n.Gateways {
		fmt.Fprintf(&network, "gateway %v\n", g)
	}
	if n.Dynamic {
		network.WriteString("dhcp\n")
	}
	for _, s := range n.Servers {
		fmt.Fprintf(&resolv, "nameserver %v\n", s)
	}
	taken := map[string]bool{}
	for _, r := range has {
		taken[strings.TrimPrefix(r.Name, "/")] = true
	}
	records := []cpio.Record{cpio.Directory("etc", 0o755), cpio.StaticFile("etc/network", network.String(), 0o644)}
	if !n.Dynamic || len(n.Servers) > 0 { // the file that is not there the guest writes
		records = append(records, cpio.StaticFile("etc/resolv.conf", resolv.String(), 0o644))
	}
	for _, r := range records {
		if !taken[r.Name] {
			all = append(all, r)
		}
	}
	return all
}

// checkNet says what is wrong with the guest's card on the guest's machine.
func (g Guest) checkNet() error {
	switch {
	case g.Net == nil:
		return nil
	case g.ICount:
		return errors.New("a guest whose instructions are counted has no network card: its time does not wait for others")
	case g.Via == ViaBochs:
		return errors.New("by way of bochs there is no network card")
	}
	return g.Net.Check()
}
