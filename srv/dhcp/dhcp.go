// Package dhcp gets the network card its IPv4 address from a server on the link, and keeps it: a client of DHCP (RFC 2131). It is part of an image
// only if that was asked for (sched9 run -net user,dhcp, sched9 build -dhcp).
//
// Nothing that comes from the network is believed: an answer counts if it is one to the last question, and says what a machine can have
// (lease.go). Each question is asked again after a while, however much comes that is none.
package dhcp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
)

// card is what the client needs of the network card (package srv/net's Dynamic says what each does).
type card interface {
	Address() [6]byte
	Send(m []byte, from, to netip.Addr)
	Receive(wait time.Duration) (m []byte, ok bool)
	Set(a netip.Prefix, gateways []netip.Addr)
	Unset()
}

// client is the client. Its goroutine is the one that calls run.
type client struct {
	card    card
	mac     net.HardwareAddr
	say     func(format string, a ...any) // a line for who watches
	names   func(servers []netip.Addr)    // is told of name servers, if there are any
	useless atomic.Pointer[error]         // what was wrong with the last answer; any goroutine
}

// newClient makes a client of a card.
func newClient(c card, say func(string, ...any), names func([]netip.Addr)) *client {
	mac := c.Address()
	return &client{card: c, mac: mac[:], say: say, names: names}
}

// Times of the protocol (RFC 2131, 4.1 and 4.4.5).
const (
	firstPause = 4 * time.Second // between a question and the same again; then twice that, and so on
	mostPause  = 64 * time.Second
	blur       = time.Second      // by how much more or less, so that many machines that start together do not ask together
	leastRenew = 60 * time.Second // between questions for a lease that runs
	patience   = 12 * time.Second // how long an offer is asked for
	aLongTime  = 1 << 62
)

// run gets an address, keeps it, and gets another one when it is lost, for ever. bound is called whenever there is one. It returns when there is one
// that lasts for ever.
func (c *client) run(bound func()) {
	for {
		l := c.acquire()
		c.card.Set(l.address, l.gateways)
		c.names(l.servers)
		c.say("%v", l)
		bound()
		if l = c.hold(l); l == nil {
			return
		}
		c.card.Unset()
	}
}

// acquire asks until there is a lease.
func (c *client) acquire() *lease {
	for n := 0; ; n++ {
		var offer *lease
		c.ask(c.discover(), netip.Addr{}, netip.Addr{}, aLongTime, growing, func(a *dhcpv4.DHCPv4) (done bool, err error) {
			if a.MessageType() != dhcpv4.MessageTypeOffer {
				return false, fmt.Errorf("to a question for offers it is %v", a.MessageType())
			}
			offer, err = read(a)
			return err == nil, err
		})
		l, err := c.request(c.selecting(offer), offer, netip.Addr{}, netip.Addr{}, patience, growing)
		if err == nil {
			return l
		}
		c.useless.Store(&err)
		time.Sleep(growing(n, aLongTime)) // a server that offers and refuses is not asked without pause
	}
}

// hold asks for more time, at the times that the lease names, until that is refused or over: then it returns the lease. It returns nil for a lease that
// lasts for ever.
func (c *client) hold(l *lease) *lease {
	for {
		if l.length == forever {
			return nil
		}
		time.Sleep(time.Until(l.since.Add(l.renew)))
		next, err := c.extend(l, l.server, l.rebind)
		if errors.Is(err, errSilent) {
			next, err = c.extend(l, netip.Addr{}, l.length)
		}
		if err != nil {
			c.say("%v is lost: %v", l.address.Addr(), err)
			return l
		}
		l = next
		c.names(l.servers)
	}
}

// extend asks a server, or all of them, for more time, until so long after the lease began. The answer may bring other gateways; they are for the next
// address that the card gets.
func (c *client) extend(l *lease, server netip.Addr, until time.Duration) (*lease, error) {
	left := time.Until(l.since.Add(until))
	return c.request(c.extending(l), l, l.address.Addr(), server, left, halving)
}

// request asks for what was offered, or is had already.
func (c *client) request(m *dhcpv4.DHCPv4, had *lease, from, to netip.Addr, limit time.Duration, pause pauses) (l *lease, err error) {
	since := time.Now()
	silent := c.ask(m, from, to, limit, pause, func(a *dhcpv4.DHCPv4) (bool, error) {
		switch a.MessageType() {
		case dhcpv4.MessageTypeNak:
			if s, ok := netip.AddrFromSlice(a.ServerIdentifier().To4()); !ok || to.IsValid() && s != had.server {
				return false, errors.New("who refuses is not who was asked")
			}
			l, err = nil, fmt.Errorf("the server refuses it%s", reason(a))
			return true, nil
		case dhcpv4.MessageTypeAck:
			var bad error
			if l, bad = read(a); bad == nil && l.address != had.address {
				bad = fmt.Errorf("it gives %v in place of %v", l.address, had.address)
			}
			if bad == nil {
				l.since, err = since, nil
			}
			return bad == nil, bad
		}
		return false, fmt.Errorf("to a request it is %v", a.MessageType())
	})
	if silent != nil {
		return nil, silent
	}
	return l, err
}

// pauses says how long to wait after question number n, from 0 on, when so much time is left.
type pauses func(n int, left time.Duration) time.Duration

// growing are the pauses of who has no address.
func growing(n int, _ time.Duration) time.Duration {
	return min(firstPause<<min(n, 8), mostPause) + rand.N(2*blur) - blur
}

// halving are the pauses of who has one.
func halving(_ int, left time.Duration) time.Duration { return max(left/2, leastRenew) }

// errSilent says that no server has answered in time.
var errSilent = errors.New("no server answers")

// ask sends m, from the card's address if it has one, to a server or to all, until take says that an answer is what was wanted. Other answers do not move the
// times at which it asks again, and those that are of no use are remembered. It returns errSilent after limit.
func (c *client) ask(m *dhcpv4.DHCPv4, from, to netip.Addr, limit time.Duration, pause pauses, take func(*dhcpv4.DHCPv4) (done bool, err error)) error {
	start := time.Now()
	for n := 0; ; n++ {
		left := limit - time.Since(start)
		if left <= 0 {
			return errSilent
		}
		m.NumSeconds = uint16(min(time.Since(start)/time.Second, 0xffff))
		c.card.Send(m.ToBytes(), from, to)
		again := time.Now().Add(min(pause(n, left), left))
		for wait := time.Until(again); wait > 0; wait = time.Until(again) {
			b, ok := c.card.Receive(wait)
			if !ok {
				break
			}
			a, err := answer(b, m)
			done := false
			if err == nil {
				done, err = take(a)
			}
			if done {
				return nil
			}
			c.useless.Store(&err)
		}
	}
}

// why says why there is no address yet.
func (c *client) why() string {
	if err := c.useless.Load(); err != nil {
		return fmt.Sprintf("an answer was of no use: %v", *err)
	}
	return errSilent.Error()
}
