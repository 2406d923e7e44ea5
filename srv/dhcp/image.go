//go:build sched9

package dhcp

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"time"

	"sched9/srv/net"
)

// limit is how long the program waits for an address before it begins.
const limit = 10 * time.Second

// serversFile is where package net reads what name servers there are.
const serversFile = "/etc/resolv.conf"

// init gets an address before the program begins, if a server is there that gives one. If not it says so, and asks on.
func init() {
	c := net.OpenDynamic()
	if c == nil {
		return
	}
	_, err := os.Stat(serversFile)
	d := newClient(c, say, names(errors.Is(err, fs.ErrNotExist)))
	bound := make(chan struct{}, 1)
	go d.run(func() {
		select {
		case bound <- struct{}{}:
		default:
		}
	})
	select {
	case <-bound:
	case <-time.After(limit):
		say("no address by DHCP after %v: %s; it is asked for on", limit, d.why())
	}
}

// say prints a line.
func say(format string, a ...any) { fmt.Fprintf(os.Stderr, "network: "+format+"\n", a...) }

// names returns what writes the name servers' file. It does so only if the file is ours: the program's files may have brought one. Who reads the file finds the old one or
// the new one, whole.
func names(ours bool) func([]netip.Addr) {
	return func(servers []netip.Addr) {
		if !ours || len(servers) == 0 {
			return
		}
		var text []byte
		for _, s := range servers {
			text = fmt.Appendf(text, "nameserver %v\n", s)
		}
		err := os.WriteFile(serversFile+".new", text, 0o644)
		if err == nil {
			err = os.Rename(serversFile+".new", serversFile)
		}
		if err != nil {
			say("%v", err)
		}
	}
}
