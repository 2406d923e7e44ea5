package net

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// configFile says what addresses the network card has, a line for each:
//
//	address 10.0.2.15/24
//	gateway 10.0.2.2
//	dhcp
//
// The last one is for an IPv4 address from a server on the link. Lines may be empty, and comments begin with #. Without the file an image with a
// client of DHCP asks for an address, and others have those of QEMU's user network.
const configFile = "/etc/network"

// defaultConfig is that of QEMU's user network.
const defaultConfig = "address 10.0.2.15/24\naddress fec0::15/64\ngateway 10.0.2.2\ngateway fec0::2\n"

// cardConfig returns what the file says, and prints what is wrong with it.
func cardConfig() config {
	f, err := os.Open(configFile)
	if err != nil {
		if asks.Load() {
			return config{dynamic: true}
		}
		c, _ := readConfig(strings.NewReader(defaultConfig))
		return c
	}
	defer f.Close()
	c, err := readConfig(f)
	if err != nil {
		fmt.Fprintf(os.Stderr, "network: %v\n", err)
	}
	if c.dynamic && !asks.Load() {
		fmt.Fprintf(os.Stderr, "network: %s says dhcp, and this image asks for no address before now: sched9 build -dhcp makes one that does\n", configFile)
		c.dynamic = false
	}
	return c
}

// config is what a file of that form says.
type config struct {
	addresses []netip.Prefix
	gateways  []netip.Addr
	dynamic   bool // an IPv4 address comes from a server
}

// readConfig reads a file of that form. The error names the line; what the others say is there.
func readConfig(r io.Reader) (c config, wrong error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := c.add(words); err != nil && wrong == nil {
			wrong = fmt.Errorf("%s: line %d: %w", configFile, n, err)
		}
	}
	if err := lines.Err(); err != nil && wrong == nil {
		wrong = fmt.Errorf("%s: %w", configFile, err)
	}
	if c.dynamic && slices.ContainsFunc(c.addresses, func(p netip.Prefix) bool { return p.Addr().Is4() }) {
		c.dynamic = false
		if wrong == nil {
			wrong = fmt.Errorf("%s: an IPv4 address, and dhcp for another one", configFile)
		}
	}
	return c, wrong
}

// add adds what a line says.
func (c *config) add(words []string) error {
	if len(words) == 1 && words[0] == "dhcp" {
		c.dynamic = true
		return nil
	}
	if len(words) != 2 {
		return fmt.Errorf("%d words, and not 2", len(words))
	}
	switch words[0] {
	case "address":
		p, err := netip.ParsePrefix(words[1])
		if err != nil {
			return err
		}
		c.addresses = append(c.addresses, p)
	case "gateway":
		a, err := netip.ParseAddr(words[1])
		if err != nil {
			return err
		}
		c.gateways = append(c.gateways, a)
	default:
		return fmt.Errorf("%q is none of address, gateway, dhcp", words[0])
	}
	return nil
}
