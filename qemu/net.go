package qemu

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Net is the guest's network card, and what it is plugged into. Exactly one of User, Tap, Listen and Connect is set.
type Net struct {
	User    bool   // QEMU's user network: the guest reaches what this host reaches; without privileges
	Tap     string // the tap interface of that name, which must be there
	Listen  string // HOST:PORT where another QEMU connects: a cable between two guests
	Connect string // the other end

	Forward []Forward // with User: ways to the guest
	Address string    // the card's Ethernet address; QEMU's usual one if empty
}

// Forward has a port of this host lead to one of the guest's.
type Forward struct {
	UDP   bool
	Host  string // address of this host; "" is 127.0.0.1
	Port  int    // 0: a free one, which VM.Forwards tells
	Guest int
}

// protocol is the forward's, as QEMU calls it.
func (f Forward) protocol() string {
	if f.UDP {
		return "udp"
	}
	return "tcp"
}

// From is the forward's end at this host.
func (f Forward) From() string {
	host := f.Host
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, strconv.Itoa(f.Port))
}

// Check says what is wrong with n.
func (n *Net) Check() error {
	ways := 0
	for _, is := range []bool{n.User, n.Tap != "", n.Listen != "", n.Connect != ""} {
		if is {
			ways++
		}
	}
	if ways != 1 {
		return errors.New("a network card is plugged into one network")
	}
	if !n.User && len(n.Forward) > 0 {
		return errors.New("ports are forwarded by the user network alone")
	}
	if strings.ContainsAny(n.Tap, ", ") || len(n.Tap) > 15 {
		return fmt.Errorf("%q is no interface's name", n.Tap)
	}
	if a := n.Listen + n.Connect; a != "" {
		host, port, err := net.SplitHostPort(a)
		if err != nil {
			return fmt.Errorf("%q is not HOST:PORT", a)
		}
		if err := checkPlace(host, port, 1); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, f := range n.Forward {
		if err := checkPlace(f.Host, strconv.Itoa(f.Port), 0); err != nil {
			return err
		}
		if f.Guest < 1 || f.Guest > 65535 {
			return fmt.Errorf("the guest has no port %d", f.Guest)
		}
		if key := f.protocol() + f.From(); f.Port != 0 && seen[key] {
			return fmt.Errorf("port %d is forwarded twice", f.Port)
		} else {
			seen[key] = true
		}
	}
	return nil
}

// checkPlace says what is wrong with an address of this host, which may be empty, and a port, of which least is the first.
func checkPlace(host, port string, least int) error {
	if p, err := strconv.Atoi(port); err != nil || p < least || p > 65535 {
		return fmt.Errorf("there is no port %s", port)
	}
	if host != "" && net.ParseIP(host).To4() == nil {
		return fmt.Errorf("%q is no IPv4 address", host)
	}
	return nil
}

// args are QEMU's arguments for n.
func (n *Net) args(machine string) []string {
	dev := ""
	place := func(a string) string { // QEMU takes an empty host for all of them
		if strings.HasPrefix(a, ":") {
			return "127.0.0.1" + a
		}
		return a
	}
	switch {
	case n.User:
		dev = "user,id=net"
		for _, f := range n.Forward {
			dev += fmt.Sprintf(",hostfwd=%s:%s-:%d", f.protocol(), f.From(), f.Guest)
		}
	case n.Tap != "":
		dev = "tap,id=net,script=no,downscript=no,ifname=" + n.Tap
	case n.Listen != "":
		dev = "socket,id=net,listen=" + place(n.Listen)
	default:
		dev = "socket,id=net,connect=" + place(n.Connect)
	}
	// The card's ROM is for booting by the network.
	card, bus := "virtio-net-pci,romfile=", mmioBus(machine, placeNet)
	if bus != "" {
		card, bus = "virtio-net-device", ","+bus
	}
	card += ",netdev=net"
	if n.Address != "" {
		card += ",mac=" + n.Address
	}
	return []string{"-netdev", dev, "-device", card + bus}
}

// Forwards returns the guest's forwards as they are, with the ports that QEMU chose for those which had 0, in an order of QEMU's.
func (vm *VM) Forwards() ([]Forward, error) {
	if vm.proc.waited(0) {
		return nil, errEnded
	}
	reply, err := vm.mon.send("human-monitor-command", map[string]string{"command-line": "info usernet"}, commandLimit)
	if err != nil {
		return nil, err
	}
	var text string
	if err := json.Unmarshal(reply, &text); err != nil {
		return nil, fmt.Errorf("QEMU's reply is not understood: %w", err)
	}
	return readForwards(text), nil
}

// readForwards reads what QEMU says of its user network: a line for each socket, with the protocol and state, a descriptor, and
// the two ends.
func readForwards(text string) (all []Forward) {
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		if len(w) < 6 || !strings.HasSuffix(w[0], "[HOST_FORWARD]") {
			continue
		}
		port, err := strconv.Atoi(w[3])
		guest, err2 := strconv.Atoi(w[5])
		if err != nil || err2 != nil {
			continue
		}
		all = append(all, Forward{UDP: strings.HasPrefix(w[0], "UDP"), Host: w[2], Port: port, Guest: guest})
	}
	return all
}
