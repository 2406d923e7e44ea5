//go:build full

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// lessor is a server of DHCP at a farEnd. What it does is chosen while it runs; it counts the client's messages.
type lessor struct {
	does  atomic.Pointer[func(m *dhcpv4.DHCPv4) []byte] // its answer to a message, nil for none
	lock  sync.Mutex
	count map[string]int // of each type, those that renew apart

	renewed chan struct{} // one for each of the client's messages that renew
}

// lease starts a lessor, which says nothing yet.
func (p *farEnd) lease(t *testing.T) *lessor {
	l := &lessor{count: map[string]int{}, renewed: make(chan struct{}, 100)}
	var queue waiter.Queue
	ep, err := p.NewEndpoint(udp.ProtocolNumber, ipv4.ProtocolNumber, &queue)
	if err == nil {
		err = ep.Bind(tcpip.FullAddress{Port: dhcpv4.ServerPort})
	}
	if err != nil {
		t.Fatal(err)
	}
	ep.SocketOptions().SetBroadcast(true)
	p.AddRoute(tcpip.Route{Destination: header.IPv4EmptySubnet, NIC: 1})
	conn := gonet.NewUDPConn(&queue, ep)
	t.Cleanup(func() { conn.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			m, err := dhcpv4.FromBytes(b[:n])
			if err != nil {
				t.Errorf("a message cannot be read: %v", err)
				return
			}
			l.told(m)
			to := &net.UDPAddr{IP: net.IPv4bcast, Port: dhcpv4.ClientPort}
			if !m.ClientIPAddr.IsUnspecified() {
				to = from.(*net.UDPAddr)
			}
			if does := l.does.Load(); does != nil {
				if answer := (*does)(m); answer != nil {
					conn.WriteTo(answer, to)
				}
			}
		}
	}()
	return l
}

// told counts a message.
func (l *lessor) told(m *dhcpv4.DHCPv4) {
	kind := m.MessageType().String()
	if !m.ClientIPAddr.IsUnspecified() {
		kind = "renewal"
		select {
		case l.renewed <- struct{}{}:
		default: // nobody waits for so many
		}
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	l.count[kind]++
}

// times is how many messages of a type there were.
func (l *lessor) times(kind string) int {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.count[kind]
}

// turn has the lessor do something else.
func (l *lessor) turn(does func(m *dhcpv4.DHCPv4) []byte) { l.does.Store(&does) }

// gives answers with 10.9.0.n for 16 seconds, of which half pass until the guest asks again.
func gives(t *testing.T, n byte) func(m *dhcpv4.DHCPv4) []byte {
	return func(m *dhcpv4.DHCPv4) []byte {
		kind := dhcpv4.MessageTypeAck
		switch {
		case m.MessageType() == dhcpv4.MessageTypeDiscover:
			kind = dhcpv4.MessageTypeOffer
		case !m.ClientIPAddr.IsUnspecified() && m.ClientIPAddr.To4()[3] != n:
			kind = dhcpv4.MessageTypeNak
		}
		server := net.IP(peerAddress.AsSlice())
		a, err := dhcpv4.NewReplyFromRequest(m, dhcpv4.WithMessageType(kind), dhcpv4.WithYourIP(net.IPv4(10, 9, 0, n)),
			dhcpv4.WithOption(dhcpv4.OptServerIdentifier(server)), dhcpv4.WithNetmask(net.CIDRMask(24, 32)),
			dhcpv4.WithOption(dhcpv4.OptRouter(server)), dhcpv4.WithOption(dhcpv4.OptDNS(server)), dhcpv4.WithLeaseTime(16),
			dhcpv4.WithOption(dhcpv4.OptMessage("moved")))
		if err != nil {
			t.Error(err)
			return nil
		}
		return a.ToBytes()
	}
}

// page asks the guest, which is testdata/fetch at an address, for a page.
func (p *farEnd) page(ctx context.Context, guest, path string) (string, error) {
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			to := tcpip.FullAddress{Addr: tcpip.AddrFromSlice(netip.MustParseAddr(guest).AsSlice()), Port: 80}
			return gonet.DialContextTCP(ctx, p.Stack, to, ipv4.ProtocolNumber)
		},
	}}
	request, err := http.NewRequestWithContext(ctx, "GET", "http://"+guest+path, nil)
	if err != nil {
		return "", err
	}
	r, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return string(body), err
}

// TestNetDHCP: a server says what is no answer, until the guest's program begins without an address; then it gives one, and more time, and then another one.
func TestNetDHCP(t *testing.T) {
	for _, arch := range archs() {
		t.Run(arch, func(t *testing.T) {
			p := newFarEnd(t)
			l := p.lease(t)
			l.turn(func(*dhcpv4.DHCPv4) []byte { return []byte("garbage") })
			s, _ := serve(t, []string{"-arch", arch, "-smp", "2", "-timeout", "10m", "-net", "socket=connect:" + p.ln.Addr().String() + ",dhcp",
				"./testdata/fetch", "serve"}, "^network: no address by DHCP after 10s: an answer was of no use: .+; it is asked for on$")
			// said waits for lines of the guest's, in any order.
			said := func(want ...string) {
				t.Helper()
				late := time.After(5 * time.Minute)
				for len(want) > 0 {
					select {
					case got := <-s.lines:
						want = slices.DeleteFunc(want, func(w string) bool { return strings.HasPrefix(got, w) })
					case <-late:
						t.Fatalf("no lines %q\n%s", want, s.text())
					}
				}
			}
			l.turn(gives(t, 2))
			said("network: 10.9.0.2/24 by DHCP from 10.9.0.1, gateway 10.9.0.1, for 16s", "fetch: serves")
			for range 2 {
				select {
				case <-l.renewed:
				case <-time.After(5 * time.Minute):
					t.Fatalf("%d renewals\n%s", l.times("renewal"), s.text())
				}
				if body, err := p.page(t.Context(), "10.9.0.2", "/"); err != nil || body != "four" {
					t.Fatalf("%q, %v\n%s", body, err, s.text())
				}
			}
			if n := l.times("REQUEST"); n != 1 {
				t.Errorf("%d requests for an offer", n)
			}
			l.turn(gives(t, 3))
			said("network: 10.9.0.2 is lost: the server refuses it: moved")
			said("network: 10.9.0.3/24 by DHCP from 10.9.0.1")
			if body, err := p.page(t.Context(), "10.9.0.3", "/"); err != nil || body != "four" {
				t.Errorf("%q, %v", body, err)
			}
			if servers, err := p.page(t.Context(), "10.9.0.3", "/servers"); err != nil || servers != "nameserver 10.9.0.1\n" {
				t.Errorf("the name servers are %q, %v", servers, err)
			}
		})
	}
}
