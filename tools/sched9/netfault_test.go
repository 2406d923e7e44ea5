//go:build full

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/link/ethernet"
	"gvisor.dev/gvisor/pkg/tcpip/network/arp"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"

	"sched9/qemu"
	"sched9/tools/internal/guest"
)

// A farEnd is a machine at the other end of a guest's cable, 10.9.0.1 there; the guest is 10.9.0.2. It is a network stack in this process, so
// it can be made to behave as no kernel does.
type farEnd struct {
	*stack.Stack
	ln   net.Listener
	gone atomic.Bool // nothing comes from it any more, and nothing reaches it

	again chan struct{} // holds one when a segment has been put on the cable for a second time

	sending sync.Mutex // guards writes to conn: whole frames
	conn    net.Conn   // the cable: QEMU's end of it sends and receives frames with their lengths
}

// The two ends' addresses on the cable.
var (
	peerAddress  = tcpip.AddrFrom4([4]byte{10, 9, 0, 1})
	guestAddress = tcpip.AddrFrom4([4]byte{10, 9, 0, 2})
	peerMAC      = tcpip.LinkAddress("\x52\x54\x00\x00\x00\x01")
)

// newFarEnd makes one. It waits for a guest that is plugged in.
func newFarEnd(t *testing.T) *farEnd {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &farEnd{ln: ln, again: make(chan struct{}, 1), Stack: stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, arp.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol},
	})}
	end := channel.New(4096, header.EthernetMinimumSize+1500, peerMAC)
	if err := p.CreateNIC(1, ethernet.New(end)); err != nil {
		t.Fatal(err)
	}
	a := tcpip.AddressWithPrefix{Address: peerAddress, PrefixLen: 24}
	if err := p.AddProtocolAddress(1, tcpip.ProtocolAddress{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: a}, stack.AddressProperties{}); err != nil {
		t.Fatal(err)
	}
	p.AddRoute(tcpip.Route{Destination: a.Subnet(), NIC: 1})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		ln.Close()
		p.Close()
	})
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		conn.(*net.TCPConn).SetWriteBuffer(32 << 10) // a cable is short
		p.sending.Lock()
		p.conn = conn
		p.sending.Unlock()
		go func() {
			resent := uint64(0)
			for pkt := end.ReadContext(ctx); pkt != nil; pkt = end.ReadContext(ctx) {
				v := pkt.ToView()
				p.send(v.AsSlice())
				v.Release()
				pkt.DecRef()
				// TCP counts a segment that it sends again before it hands it over.
				if n := p.Stats().TCP.Retransmits.Value(); n > resent {
					resent = n
					select {
					case p.again <- struct{}{}:
					default:
					}
				}
			}
			conn.Close()
		}()
		var size [4]byte
		for {
			if _, err := io.ReadFull(conn, size[:]); err != nil {
				return
			}
			frame := make([]byte, binary.BigEndian.Uint32(size[:]))
			if _, err := io.ReadFull(conn, frame); err != nil {
				return
			}
			if !p.gone.Load() {
				pkt := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(frame)})
				end.InjectInbound(0, pkt)
				pkt.DecRef()
			}
		}
	}()
	return p
}

// send puts a frame on the cable, and reports whether there is still one.
func (p *farEnd) send(frame []byte) bool {
	if p.gone.Load() {
		return true
	}
	p.sending.Lock()
	defer p.sending.Unlock()
	_, err := p.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...))
	return err == nil
}

// guestLimit is how long the guest may run, and a connection to it may take.
const guestLimit = 10 * time.Minute

// dial connects to a port of the guest's.
func (p *farEnd) dial(t *testing.T, port uint16) *gonet.TCPConn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := gonet.DialContextTCP(ctx, p.Stack, tcpip.FullAddress{Addr: guestAddress, Port: port}, ipv4.ProtocolNumber)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(guestLimit))
	return c
}

// datagram is a frame with a datagram for a port of the guest's.
func datagram(to tcpip.LinkAddress, port uint16) []byte {
	const room = header.UDPMinimumSize + 1400
	frame := make([]byte, header.EthernetMinimumSize+header.IPv4MinimumSize+room)
	header.Ethernet(frame).Encode(&header.EthernetFields{SrcAddr: peerMAC, DstAddr: to, Type: ipv4.ProtocolNumber})
	ip := header.IPv4(frame[header.EthernetMinimumSize:])
	ip.Encode(&header.IPv4Fields{TotalLength: uint16(len(ip)), TTL: 64, Protocol: uint8(udp.ProtocolNumber), SrcAddr: peerAddress, DstAddr: guestAddress})
	ip.SetChecksum(^ip.CalculateChecksum())
	header.UDP(ip.Payload()).Encode(&header.UDPFields{SrcPort: 5, DstPort: port, Length: room}) // no checksum
	return frame
}

// TestNetFaults: a guest with one vCPU whose network is flooded, goes down and up, and ends.
func TestNetFaults(t *testing.T) {
	for _, arch := range archs() {
		t.Run(arch, func(t *testing.T) { netFaults(t, arch) })
	}
}

func netFaults(t *testing.T, arch string) {
	name := filepath.Join(t.TempDir(), "netfault")
	if _, stderr, status := sched9(t, "build", "-arch", arch, "-o", name, "./testdata/netfault"); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	img, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := newFarEnd(t)
	card, err := guest.ParseNet("socket=connect:" + p.ln.Addr().String() + ",ip=10.9.0.2/24")
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	out := &lockedBuffer{lines: lines}
	vms := make(chan *qemu.VM, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan guest.Outcome, 1)
	go func() {
		o, err := guest.Run(ctx, guest.Guest{
			Name: "netfault", Image: img, Arch: arch, SMP: 1, Mem: "256M", Accel: "tcg", Timeout: guestLimit, Net: card,
			Stdout: out, Stderr: out, Started: func(vm *qemu.VM) { vms <- vm },
		})
		if err != nil {
			t.Error(err)
		}
		done <- o
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	vm := <-vms
	// next returns the rest of the guest's next line that begins with prefix.
	next := func(prefix string) string {
		t.Helper()
		for {
			select {
			case line := <-lines:
				if rest, is := strings.CutPrefix(line, prefix); is {
					return rest
				}
			case o := <-done:
				done <- o
				t.Fatalf("status %d, %s", o.Status, o.Why)
			}
		}
	}
	next("netfault: serves")

	// A goroutine that computes, the stack and its users all have their turns, however much comes; what is too much is dropped.
	t.Run("flood", func(t *testing.T) {
		c := p.dial(t, 9)
		said := bufio.NewReader(c)
		if line, err := said.ReadString('\n'); err != nil || line != "begins\n" {
			t.Fatalf("%q, %v", line, err)
		}
		mac := make([]byte, 6)
		if _, err := fmt.Sscanf(card.Net.Address, "%x:%x:%x:%x:%x:%x", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4], &mac[5]); err != nil {
			t.Fatal(err)
		}
		frame := datagram(tcpip.LinkAddress(mac), 5)
		var over atomic.Bool
		var flood sync.WaitGroup
		flood.Go(func() {
			for !over.Load() && p.send(frame) {
			}
		})
		defer flood.Wait()
		defer over.Store(true)
		echoes(t, p.dial(t, 7), 2)
		line, err := said.ReadString('\n')
		var frames, receiver, computer, dropped int
		if n, _ := fmt.Sscanf(line, "frames %d receiver %d computer %d dropped %d\n", &frames, &receiver, &computer, &dropped); n != 4 {
			t.Fatalf("%q, %v", line, err)
		}
		t.Log(strings.TrimSpace(line))
		const budget = 64 // srv/net's
		if frames > budget*(receiver+1) {
			t.Errorf("%d frames were received in %d turns: more than %d in one", frames, receiver, budget)
		}
		if receiver > 2*computer+10 {
			t.Errorf("the receiver had %d turns, who computes had %d", receiver, computer)
		}
		if dropped < frames/2 { // the socket that nobody reads holds much less
			t.Errorf("%d datagrams were dropped, of some %d frames", dropped, frames)
		}
	})

	// What was sent while the link was down is sent again, and arrives once and as it was.
	t.Run("link", func(t *testing.T) {
		c := p.dial(t, 7)
		random := rand.New(rand.NewSource(1))
		for part := range 12 {
			data, got := make([]byte, 64<<10), make([]byte, 64<<10)
			random.Read(data)
			down := part%4 == 3
			if down {
				if err := vm.Human("set_link net off"); err != nil {
					t.Fatal(err)
				}
				select {
				case <-p.again: // of an earlier part
				default:
				}
			}
			go c.Write(data)
			if down {
				select {
				case <-p.again:
				case o := <-done:
					done <- o
					t.Fatalf("status %d, %s", o.Status, o.Why)
				case <-time.After(time.Minute):
					t.Fatal("nothing was sent again for a minute, while the link was down")
				}
				if err := vm.Human("set_link net on"); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("part %d: %v; what came back is what was sent: %v", part, err, bytes.Equal(got, data))
			}
		}
		c.CloseWrite()
		if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("at the end %d bytes, %v", n, err)
		}
	})

	// Who is gone is missed, and one who was never there: with the errors that programs know.
	t.Run("gone", func(t *testing.T) {
		p.dial(t, 8).Write([]byte("1"))
		next("netfault: watches")
		p.gone.Store(true)
		if said := next("netfault: lost: "); !strings.HasSuffix(said, "read: connection timed out") {
			t.Errorf("the connection's end: %s", said)
		}
		if said := next("netfault: dial: "); !strings.HasSuffix(said, "connect: no route to host") {
			t.Errorf("a new one: %s", said)
		}
	})
}

// echoes has an echo return so many messages.
func echoes(t *testing.T, c net.Conn, n int) {
	for i := range n {
		want := fmt.Sprintf("message %d", i)
		got := make([]byte, len(want))
		c.Write([]byte(want))
		if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	}
}
