//go:build !race

// The device is a goroutine here. The two synchronise by stores to memory outside Go variables, which the race
// detector does not recognise.

package virtioconsole

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"sched9/drivers/internal/memory"
	"sched9/drivers/internal/registers"
	"sched9/drivers/virtio"
)

const pa = 0x20_0000 // of the memory, as the device sees it

// A machine is the other side: registers and memory. The ports that it announces have these names; name "" is a
// port that it does not announce, and a name that begins with ! is one that is closed on the host's side.
type machine struct {
	registers.Registers
	memory      []byte
	names       []string
	avail, used map[*virtio.Queue]uint16
	opened      map[uint32]bool
	stop        atomic.Bool
	stopped     chan struct{}
	extra       []byte // one more control message, behind the others
}

// newMachine makes one with the given ports and lets it answer control messages.
func newMachine(t *testing.T, features uint32, names ...string) *machine {
	t.Helper()
	m := &machine{
		Registers: registers.New(t, kind, features, 64), memory: memory.Pages(t, Memory), names: names,
		avail: map[*virtio.Queue]uint16{}, used: map[*virtio.Queue]uint16{}, opened: map[uint32]bool{},
		stopped: make(chan struct{}),
	}
	m.Put(registers.Config+4, uint32(len(names)))
	device = console{}
	device.t = m.Transport(kind)
	if !device.t.Ready() {
		t.Fatal("the device was not recognised")
	}
	return m
}

// connect makes the device ready, with a goroutine on its side that answers.
func (m *machine) connect(t *testing.T) bool {
	t.Helper()
	m.serve()
	defer m.halt()
	return Connect(m.va(), pa, -1)
}

// serve lets the device answer control messages until halt.
func (m *machine) serve() {
	m.stop.Store(false)
	m.stopped = make(chan struct{})
	go func() {
		defer close(m.stopped)
		for !m.stop.Load() {
			if !m.control() {
				runtime.Gosched()
			}
		}
	}()
}

// halt: see serve.
func (m *machine) halt() {
	m.stop.Store(true)
	<-m.stopped
}

// va is where the memory is mapped.
func (m *machine) va() uintptr { return uintptr(unsafe.Pointer(&m.memory[0])) }

// at is the memory at a physical address.
func (m *machine) at(a uint64) []byte { return m.memory[a-pa:] }

// word is the flags and the index of a ring.
func (m *machine) word(a uint64) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&m.at(a)[0]))
}

// take returns the next buffer that was made available in q.
func (m *machine) take(q *virtio.Queue) (head uint16, data []byte, ok bool) {
	desc, driver, _ := q.Addresses()
	if _, has := m.avail[q]; q.Size() == 0 || !has && m.word(driver).Load()>>16 == 0 {
		return 0, nil, false
	}
	if uint16(m.word(driver).Load()>>16) == m.avail[q] {
		return 0, nil, false
	}
	head = binary.LittleEndian.Uint16(m.at(driver)[4+int(m.avail[q])%q.Size()*2:])
	m.avail[q]++
	d := m.at(desc + uint64(head)*16)
	return head, m.at(binary.LittleEndian.Uint64(d))[:binary.LittleEndian.Uint32(d[8:])], true
}

// give gives a buffer back, with so many bytes in it.
func (m *machine) give(q *virtio.Queue, head uint32, n int) {
	_, _, dev := q.Addresses()
	ring := m.at(dev)
	binary.LittleEndian.PutUint32(ring[4+int(m.used[q])%q.Size()*8:], head)
	binary.LittleEndian.PutUint32(ring[8+int(m.used[q])%q.Size()*8:], uint32(n))
	m.used[q]++
	m.word(dev).Store(uint32(m.used[q]) << 16)
}

// send sends a control message.
func (m *machine) send(id uint32, what, value uint16, name string) {
	msg := binary.LittleEndian.AppendUint32(nil, id)
	msg = binary.LittleEndian.AppendUint16(msg, what)
	msg = binary.LittleEndian.AppendUint16(msg, value)
	m.say(append(msg, name...))
}

// say sends a control message of any bytes.
func (m *machine) say(msg []byte) {
	if head, to, ok := m.take(&device.in); ok {
		m.give(&device.in, uint32(head), copy(to, msg))
	}
}

// control answers one control message, and reports whether there was one.
func (m *machine) control() bool {
	head, msg, ok := m.take(&device.out)
	if !ok {
		return false
	}
	id := binary.LittleEndian.Uint32(msg)
	switch binary.LittleEndian.Uint16(msg[4:]) {
	case deviceReady:
		for i, name := range m.names {
			if name != "" {
				m.send(uint32(i), portAdd, 1, "")
			}
		}
		if m.extra != nil {
			m.say(m.extra)
		}
	case portReady:
		name, closed := strings.CutPrefix(m.names[id], "!")
		m.send(id, portName, 1, name+"\x00")
		if !closed {
			m.send(id, portOpen, 1, "")
		}
	case portOpen:
		m.opened[id] = true
	}
	m.give(&device.out, uint32(head), 0)
	return true
}

// open opens a port.
func (m *machine) open(name string) *Port {
	m.serve()
	defer m.halt()
	return Open(name)
}

func TestConnect(t *testing.T) {
	m := newMachine(t, featurePorts, "", "first", "second", "!third", "fourth", "beyond")
	if !m.connect(t) {
		t.Fatal("the device was not connected")
	}
	if got := m.Get(registers.Status); got != 15 {
		t.Errorf("the device's status is %d", got)
	}
	if p := m.open("second"); p != &device.ports[2] || !m.opened[2] || m.opened[1] {
		t.Errorf("port %p of %p, opened %v", p, &device.ports[2], m.opened)
	}
	for _, name := range []string{"", "third", "beyond", "firs", "first\x00"} {
		if m.open(name) != nil {
			t.Errorf("there is a port %q", name)
		}
	}
	// The host's end can come and go later.
	m.send(3, portOpen, 1, "")
	m.send(1, portRemove, 0, "")
	Control()
	if m.open("third") == nil || m.open("first") != nil {
		t.Error("what the device said later was not heeded")
	}
}

// TestConnectRefuses: devices that cannot be driven are told so.
func TestConnectRefuses(t *testing.T) {
	for name, change := range map[string]func(m *machine){
		"no ports":       func(m *machine) { m.Put(registers.Features, 1) },
		"legacy":         func(m *machine) { m.Put(registers.Features, featurePorts) },
		"small queues":   func(m *machine) { m.Put(registers.QueueMax, numControl-1) },
		"does not reply": func(m *machine) { m.names = nil; m.stop.Store(true) },
	} {
		m := newMachine(t, featurePorts, "", "p")
		change(m)
		ok := false
		if m.stop.Load() {
			ok = Connect(m.va(), pa, -1)
		} else {
			ok = m.connect(t)
		}
		if status := m.Get(registers.Status); ok || status != 128 {
			t.Errorf("%s: connected %v, status %d", name, ok, status)
		}
	}
}

// TestConfused: a device that sends nonsense does no harm.
func TestConfused(t *testing.T) {
	long := append([]byte{1, 0, 0, 0, portName, 0, 1, 0}, bytes.Repeat([]byte("x"), 200)...)
	for _, extra := range [][]byte{{}, {1, 0, 0, 0, 6, 0, 1}, long, {4, 0, 0, 0, 1, 0, 1, 0}, {255, 255, 255, 255, 7, 0, 1, 0, 'x'}, {1, 0, 0, 0, 99, 0, 1, 0}} {
		m := newMachine(t, featurePorts, "", "p", "q", "", "", "", "")
		m.extra = extra
		m.Put(registers.Config+4, ^uint32(0))
		if !m.connect(t) {
			t.Fatal("not connected")
		}
		if m.open("q") == nil {
			t.Errorf("% x: port q is gone", extra)
		}
		// Buffers that there are not, and more bytes than fit.
		for _, head := range []uint32{numControl, 1 << 31, ^uint32(0), 0, 0} {
			m.give(&device.in, head, 1<<30)
		}
		Control()
		p := &device.ports[2]
		for _, head := range []uint32{inEntries, ^uint32(0)} {
			m.give(&p.in, head, 10)
		}
		m.give(&p.in, 1, 0)
		m.give(&p.in, 2, 1<<31)
		n := 0
		for {
			if _, ok := p.Receive(); !ok {
				break
			}
			n++
		}
		if n != inputSize {
			t.Errorf("%d bytes were received from one buffer", n)
		}
	}
}

// TestSend sends through a port, and last words behind earlier output.
func TestSend(t *testing.T) {
	m := newMachine(t, featurePorts, "", "p")
	if !m.connect(t) {
		t.Fatal("not connected")
	}
	p := m.open("p")
	if p.Busy() {
		t.Error("busy before anything was sent")
	}
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(p.Buffer())), BufferSize)
	words := memory.Pages(t, 4096)
	var want, got bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 70_000 { // the ring's index wraps
		n := 1 + r.IntN(40)
		if i%1000 == 0 {
			n = BufferSize
		}
		for k := range buffer[:n] {
			buffer[k] = byte(r.Uint32())
		}
		want.Write(buffer[:n])
		p.Send(uintptr(n))
		var mark uint16
		last := i%100 == 0
		if last {
			text := words[:copy(words, fmt.Sprint("last words ", i))]
			want.Write(text)
			mark = p.Last(uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
		}
		if !p.Busy() || last && p.Past(mark) {
			t.Fatal("not busy before the device has taken anything")
		}
		head, data, ok := m.take(&p.out)
		if !ok {
			t.Fatal("the device sees nothing")
		}
		got.Write(data)
		m.give(&p.out, uint32(head), 0)
		if p.Busy() {
			t.Fatal("busy though the device has passed it on")
		}
		if last {
			head, data, ok := m.take(&p.out)
			if !ok || p.Past(mark) {
				t.Fatal("the last words are gone")
			}
			got.Write(data)
			m.give(&p.out, uint32(head), 0)
			if !p.Past(mark) {
				t.Fatal("the last words are still on their way")
			}
		}
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes arrived of %d, or others", got.Len(), want.Len())
	}
}

// TestReceive: all bytes come in order, however they are cut, and a guest that does not read gives no more
// buffers.
func TestReceive(t *testing.T) {
	m := newMachine(t, featurePorts, "", "p")
	if !m.connect(t) {
		t.Fatal("not connected")
	}
	p := m.open("p")
	r := rand.New(rand.NewPCG(3, 4))
	sent, read := byte(0), byte(0)
	for range 20_000 {
		if r.IntN(2) == 0 {
			if head, data, ok := m.take(&p.in); ok {
				n := 1 + r.IntN(len(data))
				for i := range data[:n] {
					data[i] = sent
					sent++
				}
				m.give(&p.in, uint32(head), n)
			}
			continue
		}
		for range r.IntN(3000) {
			c, ok := p.Receive()
			if !ok {
				break
			}
			if c != read {
				t.Fatalf("got %d, want %d", c, read)
			}
			read++
		}
	}
	for n := 0; ; n++ {
		head, data, ok := m.take(&p.in)
		if !ok {
			break
		}
		if n > inEntries {
			t.Fatal("the device has more buffers than there are")
		}
		m.give(&p.in, uint32(head), len(data))
	}
}

// TestPatience: a device that never answers is given up within a bounded time.
func TestPatience(t *testing.T) {
	m := newMachine(t, featurePorts, "", "p")
	if !m.connect(t) {
		t.Fatal("not connected")
	}
	if Open("p") != nil {
		t.Error("the port was opened though the device did not answer")
	}
}
