package net

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/stack"

	"sched9/record"
	"sched9/srv/call"
)

// The network card as the stack sees it. Frames are copied once in each direction, between the card's buffers and the stack's:
// the card could change what the stack has looked at already.

const (
	// budget is how many buffers of the card's are looked at before other goroutines run.
	budget = 64
	// maxQueued is how many frames wait for room in the card; more are dropped.
	maxQueued = 1000
	// maxFrame is what a card's buffer holds.
	maxFrame = header.EthernetMinimumSize + 1500
)

// link is a card as an endpoint of the stack. Package ethernet gives it headers.
type link struct {
	card    call.Card
	address tcpip.LinkAddress
	stack   atomic.Pointer[stack.NetworkDispatcher]

	sending sync.Mutex // guards what follows, and the sending half of the card
	queue   []*stack.PacketBuffer

	losses func() // tells what the stack has dropped
}

// newLink makes an endpoint of a card. losses is called now and then, to tell what the stack has dropped.
func newLink(c call.Card, losses func()) *link {
	a := c.Address()
	return &link{card: c, address: tcpip.LinkAddress(a[:]), losses: losses}
}

// Attach implements stack.LinkEndpoint, as the rest does that begins with a capital letter.
func (l *link) Attach(d stack.NetworkDispatcher) { l.stack.Store(&d) }

func (l *link) IsAttached() bool                             { return l.stack.Load() != nil }
func (l *link) MTU() uint32                                  { return maxFrame }
func (l *link) SetMTU(uint32)                                {}
func (l *link) MaxHeaderLength() uint16                      { return 0 }
func (l *link) LinkAddress() tcpip.LinkAddress               { return l.address }
func (l *link) SetLinkAddress(tcpip.LinkAddress)             {}
func (l *link) Capabilities() stack.LinkEndpointCapabilities { return 0 }
func (l *link) Wait()                                        {}
func (l *link) ARPHardwareType() header.ARPHardwareType      { return header.ARPHardwareEther }
func (l *link) AddHeader(*stack.PacketBuffer)                {}
func (l *link) ParseHeader(*stack.PacketBuffer) bool         { return true }
func (l *link) Close()                                       {}
func (l *link) SetOnCloseAction(func())                      {}

// WritePackets gives packets to the card. It never waits: what the card has no room for is queued, until it has, or dropped.
func (l *link) WritePackets(pkts stack.PacketBufferList) (n int, err tcpip.Error) {
	l.sending.Lock()
	defer l.sending.Unlock()
	lost := uint64(0)
	for _, p := range pkts.AsSlice() {
		switch {
		case len(l.queue) == 0 && l.give(p):
		case len(l.queue) < maxQueued:
			l.queue = append(l.queue, p.IncRef())
		default:
			lost++
			err = &tcpip.ErrNoBufferSpace{}
			continue
		}
		n++
	}
	if lost > 0 {
		call.Dropped(record.DropSend, lost)
	}
	if len(l.queue) > 0 {
		l.drain()
	}
	l.card.Push()
	return n, err
}

// give copies a packet into a buffer of the card's, and reports whether there was one. sending is held.
func (l *link) give(p *stack.PacketBuffer) bool {
	b := l.card.Buffer()
	if b == nil {
		return false
	}
	if p.Size() > len(b) { // the stack keeps to the MTU
		call.Dropped(record.DropSend, 1)
		return true
	}
	n := 0
	for _, s := range p.AsSlices() {
		n += copy(b[n:], s)
	}
	l.card.Send(n)
	return true
}

// drain gives the card what is queued. While something is left the card interrupts when it has room. sending is held.
//
// No room is missed: WantRoom looks once more after it has said that the card shall interrupt.
func (l *link) drain() {
	for len(l.queue) > 0 {
		if !l.give(l.queue[0]) {
			l.card.Push()
			if !l.card.WantRoom(true) {
				return
			}
			continue
		}
		l.queue[0].DecRef()
		l.queue[0] = nil
		l.queue = l.queue[1:]
	}
	l.queue = nil
	l.card.WantRoom(false)
}

// run drives the card for ever: it passes on what the card has received, and what is queued. wait returns when the card has
// interrupted.
//
// No frame is missed: after Listen has the card interrupt it looks once more.
func (l *link) run(wait func()) {
	for {
		for l.card.Listen(false) {
			l.poll()
			runtime.Gosched() // others run between two budgets, however much comes
		}
		l.sending.Lock()
		if len(l.queue) > 0 {
			l.drain()
			l.card.Push()
		}
		l.sending.Unlock()
		if !l.card.Listen(true) {
			wait()
		}
	}
}

// poll passes on what the card has received, from at most budget buffers.
func (l *link) poll() {
	d := l.stack.Load()
	if l.card.Full() {
		call.Dropped(record.DropCard, 1)
	}
	for range budget {
		frame, i := l.card.Receive()
		if i < 0 {
			break
		}
		if frame == nil {
			continue
		}
		p := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(frame)})
		l.card.Back(i)
		if d != nil {
			(*d).DeliverNetworkPacket(0, p)
		}
		p.DecRef()
	}
	l.card.Tell()
	l.losses()
}
