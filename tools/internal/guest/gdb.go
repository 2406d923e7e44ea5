package guest

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// GDBAddress makes of the user's :PORT or ADDRESS:PORT the address to wait at for a debugger. Without an address it is this
// host alone: a client of the port has full control of the guest, and through it may read files of the host.
func GDBAddress(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", fmt.Errorf("gdb: %q is not of the form :PORT or ADDRESS:PORT", s)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || strings.HasPrefix(port, "+") {
		return "", fmt.Errorf("gdb: %q is no port, 1 to 65535 are", port)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" {
		return "", fmt.Errorf("gdb: %q is no address of this host's", host)
	}
	return net.JoinHostPort(addr.String(), strconv.FormatUint(n, 10)), nil
}
