package net

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv6"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"

	"sched9/record"
	"sched9/srv/call"
)

// A plug is a card at one end of a cable. It has room for few frames, and sends none while it is held.
type plug struct {
	number byte
	other  *plug
	wake   chan struct{} // its interrupt

	lock           sync.Mutex // of both ends
	in             [][]byte
	room           int // for frames that are sent; the other end's in is as long
	frame          [maxFrame]byte
	listens, wants bool
	received       int
	full           bool
}

// newCable makes a cable with room for n frames in each direction.
func newCable(n int) (a, b *plug) {
	a = &plug{number: 1, room: n, wake: make(chan struct{}, 1)}
	b = &plug{number: 2, room: n, wake: make(chan struct{}, 1), other: a}
	a.other = b
	return a, b
}

func (p *plug) interrupt() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *plug) Address() [6]byte { return [6]byte{0x52, 0x54, 5: p.number} }

func (p *plug) Receive() ([]byte, int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if len(p.in) == 0 {
		return nil, -1
	}
	f := p.in[0]
	p.in = p.in[1:]
	p.received++
	return f, 0
}

// Back lets the other end send again.
func (p *plug) Back(int) {
	o := p.other
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.room++; o.wants {
		o.interrupt()
	}
}

func (p *plug) Tell()      {}
func (p *plug) Push()      {}
func (p *plug) Full() bool { return p.full }

// drops returns how many packets fn makes the network drop for that reason.
func drops(why record.Drop, fn func()) uint64 {
	before := call.Drops[why].Load()
	fn()
	return call.Drops[why].Load() - before
}

func (p *plug) Listen(on bool) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.listens = on
	return len(p.in) > 0
}

func (p *plug) Buffer() []byte {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.room == 0 {
		return nil
	}
	return p.frame[:]
}

func (p *plug) Send(n int) {
	p.lock.Lock()
	p.room--
	p.lock.Unlock()
	o := p.other
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.in = append(o.in, bytes.Clone(p.frame[:n])); o.listens {
		o.interrupt()
	}
}

func (p *plug) WantRoom(on bool) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.wants = on
	return p.room > 0
}

// start plugs p into a stack of its own, with addresses that end in its number.
func (p *plug) start(t *testing.T) (*stack.Stack, *link) {
	c, err := readConfig(strings.NewReader(fmt.Sprintf("address 10.9.0.%d/24\naddress fd00::%d/64\ngateway 10.9.0.%d\n", p.number, p.number, 3-p.number)))
	if err != nil {
		t.Fatal(err)
	}
	s := newStack()
	l := newLink(p, lossesOf(s))
	addCard(s, l, c)
	go l.run(func() { <-p.wake })
	t.Cleanup(s.Close)
	return s, l
}

// TestCable sends much from one stack to another, by IPv4 and by IPv6, through cards that have little room: what does not fit is
// queued, nothing is lost, and both ends wake up for it.
func TestCable(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for _, c := range []struct {
		protocol tcpip.NetworkProtocolNumber
		address  tcpip.Address
	}{{ipv4.ProtocolNumber, tcpip.AddrFrom4([4]byte{10, 9, 0, 2})}, {ipv6.ProtocolNumber, tcpip.AddrFrom16([16]byte{0: 0xfd, 15: 2})}} {
		p, q := newCable(3)
		a, _ := p.start(t)
		before := call.Drops[record.DropSend].Load()
		b, _ := q.start(t)
		ln, err := gonet.ListenTCP(b, tcpip.FullAddress{Port: 80}, c.protocol)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan []byte)
		go func() {
			defer close(got)
			conn, err := ln.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			all, err := io.ReadAll(conn)
			if err != nil {
				t.Error(err)
			}
			got <- all
		}()
		conn, err := gonet.DialContextTCP(context.Background(), a, tcpip.FullAddress{Addr: c.address, Port: 80}, c.protocol)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(data); err != nil {
			t.Fatal(err)
		}
		conn.CloseWrite()
		if all := <-got; !bytes.Equal(all, data) {
			t.Errorf("protocol %#x: %d bytes of %d came", c.protocol, len(all), len(data))
		}
		if n := call.Drops[record.DropSend].Load() - before; n != 0 {
			t.Errorf("%d frames were dropped", n)
		}
	}
}

// TestOverload: a card that sends nothing makes nobody wait. So much is queued, the rest is dropped and counted, and all that is
// queued leaves in order when the card goes on.
func TestOverload(t *testing.T) {
	p, _ := newCable(2)
	l := newLink(p, func() {})
	write := func(from, to int) {
		for i := from; i < to; i++ {
			var list stack.PacketBufferList
			list.PushBack(stack.NewPacketBuffer(stack.PacketBufferOptions{ReserveHeaderBytes: 2}))
			copy(list.AsSlice()[0].LinkHeader().Push(2), []byte{byte(i >> 8), byte(i)})
			_, err := l.WritePackets(list)
			if lost := i >= 2+maxQueued; lost != (err != nil) {
				t.Fatalf("frame %d: %v", i, err)
			}
			list.Reset()
		}
	}
	if n := drops(record.DropSend, func() { write(0, 2+maxQueued+10) }); n != 10 || !p.wants {
		t.Errorf("%d frames were dropped; it wants to know of room: %v", n, p.wants)
	}
	p.lock.Lock()
	p.room = 5000
	p.lock.Unlock()
	l.sending.Lock()
	l.drain()
	l.sending.Unlock()
	if n := len(p.other.in); n != 2+maxQueued || p.wants {
		t.Fatalf("%d frames left; it wants to know of room: %v", n, p.wants)
	}
	for i, f := range p.other.in {
		if !slices.Equal(f, []byte{byte(i >> 8), byte(i)}) {
			t.Fatalf("frame %d is % x", i, f)
		}
	}
}

// TestBudget: other goroutines run between two budgets, however much comes.
func TestBudget(t *testing.T) {
	p, _ := newCable(1)
	looks := 0
	l := newLink(p, func() { looks++ })
	for range 3*budget - 1 {
		p.in = append(p.in, make([]byte, 60))
	}
	for i, want := range []int{budget, 2 * budget, 3*budget - 1} {
		if l.poll(); p.received != want || looks != i+1 {
			t.Errorf("after poll %d %d frames have come, want %d; %d looks at what was dropped", i, p.received, want, looks)
		}
	}
	p.full = true
	if n := drops(record.DropCard, l.poll); n != 1 {
		t.Errorf("a full card counts for %d", n)
	}
}

// TestLosses: what the stack drops is told once, however often one looks: datagrams for a socket that holds as much as it may, and
// connections that nobody accepts.
func TestLosses(t *testing.T) {
	s := newStack()
	t.Cleanup(s.Close)
	look := lossesOf(s)
	to := &tcpip.FullAddress{Addr: local4, Port: 7}
	sink, err := gonet.DialUDP(s, to, nil, ipv4.ProtocolNumber)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	from, err := gonet.DialUDP(s, nil, to, ipv4.ProtocolNumber)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	datagram := make([]byte, 60000)
	want := func(lost uint64) {
		t.Helper()
		if n := drops(record.DropSocket, look); n != lost {
			t.Errorf("%d datagrams were dropped, want %d", n, lost)
		}
	}
	for s.Stats().UDP.ReceiveBufferErrors.Value() < 3 {
		if _, err := from.Write(datagram); err != nil {
			t.Fatal(err)
		}
	}
	want(3)
	want(0)
	from.Write(datagram)
	want(1)

	queue := new(waiter.Queue)
	ln, e := s.NewEndpoint(tcp.ProtocolNumber, ipv4.ProtocolNumber, queue)
	if e != nil {
		t.Fatal(e)
	}
	defer ln.Close()
	if e := ln.Bind(*to); e != nil {
		t.Fatal(e)
	}
	if e := ln.Listen(1); e != nil {
		t.Fatal(e)
	}
	if n := drops(record.DropBacklog, func() {
		// Each of these gets no answer while it is dropped, and asks again after a second.
		for s.Stats().TCP.ListenOverflowSynDrop.Value() == 0 {
			ep, e := s.NewEndpoint(tcp.ProtocolNumber, ipv4.ProtocolNumber, new(waiter.Queue))
			if e != nil {
				t.Fatal(e)
			}
			defer ep.Close()
			ep.Connect(*to)
			runtime.Gosched()
		}
		look()
	}); n == 0 {
		t.Error("no connection was dropped")
	}
}

func TestConfig(t *testing.T) {
	c, err := readConfig(strings.NewReader("# mine\n\naddress 10.0.2.15/24 # IPv4\n\taddress fec0::15/64\ngateway 10.0.2.2\n"))
	if got := fmt.Sprint(c.addresses, c.gateways); err != nil || got != "[10.0.2.15/24 fec0::15/64] [10.0.2.2]" {
		t.Errorf("%s, %v", got, err)
	}
	if c, err := readConfig(strings.NewReader("dhcp\naddress fec0::15/64\n")); err != nil || !c.dynamic || len(c.addresses) != 1 {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := readConfig(strings.NewReader(defaultConfig)); err != nil || len(c.addresses) != 2 || len(c.gateways) != 2 {
		t.Errorf("%v, %v", c, err)
	}
	for text, want := range map[string]string{
		"address 10.0.2.15":            "line 1",
		"\ngateway x":                  "line 2",
		"route 1":                      "line 1: \"route\" is none",
		"dhcp x":                       "\"dhcp\" is none",
		"address 1.2.3.4/8\ndhcp":      "dhcp for another",
		"gateway":                      "1 words",
		"address 10.0.0.1/24 x\n":      "3 words",
		strings.Repeat("x", 1<<17):     "too long",
		"address 1.2.3.4/33\naddress ": "1.2.3.4/33",
	} {
		if _, err := readConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
