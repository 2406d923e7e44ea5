package virtionet

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"

	"sched9/drivers/internal/memory"
	"sched9/drivers/internal/registers"
	"sched9/drivers/virtio"
)

const pa = 0x20_0000 // of the card's memory, as the device sees it

// A machine is a card and its device: registers and memory. The registers do not remember which queue was chosen, so the
// device asks the driver's queues where they are.
type machine struct {
	*Card
	registers.Registers
	memory []byte
	used   map[*virtio.Queue]uint16
}

// newMachine makes one whose device has queues of at most that many entries.
func newMachine(t testing.TB, entries uint32) *machine {
	m := &machine{Card: new(Card), Registers: registers.New(t, kind, featureAddress, entries), memory: memory.Pages(t, Memory), used: map[*virtio.Queue]uint16{}}
	copy(m.Registers[registers.Config:], "\x52\x54\x00\xaa\xbb\xcc")
	m.t = m.Transport(kind)
	return m
}

// connect makes the card ready, in the machine's memory.
func (m *machine) connect() bool {
	return m.Connect(uintptr(unsafe.Pointer(&m.memory[0])), pa, -1)
}

// made is how many buffers of a queue the device was given, ever, modulo 2^16.
func (m *machine) made(q *virtio.Queue) uint16 {
	_, avail, _ := q.Addresses()
	return binary.LittleEndian.Uint16(m.memory[avail-pa+2:])
}

// buffer is the memory of the buffer that the device was given as number n, and its number in the table.
func (m *machine) buffer(q *virtio.Queue, n uint16) (head uint32, b []byte) {
	desc, avail, _ := q.Addresses()
	head = uint32(binary.LittleEndian.Uint16(m.memory[avail-pa+4+uint64(int(n)%q.Size()*2):]))
	d := m.memory[desc-pa+uint64(head)*16:]
	at := binary.LittleEndian.Uint64(d) - pa
	return head, m.memory[at : at+uint64(binary.LittleEndian.Uint32(d[8:]))]
}

// give says that the device is done with the chain that begins with head, and has written n bytes.
func (m *machine) give(q *virtio.Queue, head, n uint32) {
	_, _, used := q.Addresses()
	e := m.memory[used-pa+4+uint64(int(m.used[q])%q.Size()*8):]
	binary.LittleEndian.PutUint32(e, head)
	binary.LittleEndian.PutUint32(e[4:], n)
	m.used[q]++
	binary.LittleEndian.PutUint16(m.memory[used-pa+2:], m.used[q])
}

// TestFrames: frames arrive in both directions, whole, more of them than there are buffers.
func TestFrames(t *testing.T) {
	for _, size := range []uint32{4, 256, 1024} {
		m := newMachine(t, size)
		if !m.connect() || m.Address() != [6]byte{0x52, 0x54, 0, 0xaa, 0xbb, 0xcc} {
			t.Fatalf("not connected, or with address %x", m.Address())
		}
		n := uint16(m.in.Size())
		if n != uint16(min(size, entries)) || m.made(&m.in) != n {
			t.Fatalf("a device of %d entries has %d buffers of %d", size, m.made(&m.in), n)
		}
		for i := range 3 * n {
			want := bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 1+int(i)%(MaxFrame/2))
			head, b := m.buffer(&m.in, i)
			if len(b) != bufferSize {
				t.Fatalf("a buffer of %d bytes", len(b))
			}
			copy(b[headerSize:], want)
			m.give(&m.in, head, headerSize+uint32(len(want)))
			frame, at := m.Receive()
			if at < 0 || !bytes.Equal(frame, want) {
				t.Fatalf("frame %d: %d bytes, buffer %d", i, len(frame), at)
			}
			m.Back(at)
			if _, at := m.Receive(); at >= 0 {
				t.Fatalf("a frame that was not sent, in buffer %d", at)
			}

			b = m.Buffer()
			if len(b) != MaxFrame {
				t.Fatalf("room for %d bytes", len(b))
			}
			m.Send(copy(b, want))
			head, b = m.buffer(&m.out, i)
			if !bytes.Equal(b[:headerSize], make([]byte, headerSize)) || !bytes.Equal(b[headerSize:], want) {
				t.Fatalf("frame %d: the device got %d bytes, header % x", i, len(b), b[:headerSize])
			}
			m.give(&m.out, head, 0)
		}
		if c := m.Counts(); c != (Counts{Received: 3 * uint64(n), Sent: 3 * uint64(n)}) {
			t.Errorf("%+v", c)
		}
	}
}

// TestFull: without room there is no buffer, until the device is done with one.
func TestFull(t *testing.T) {
	m := newMachine(t, 4)
	m.connect()
	for range 4 {
		if m.Buffer() == nil {
			t.Fatal("no room")
		}
		m.Send(60)
	}
	if m.Buffer() != nil || m.WantRoom(true) {
		t.Fatal("room for a fifth")
	}
	head, _ := m.buffer(&m.out, 2)
	m.give(&m.out, head, 0)
	if !m.WantRoom(true) || m.Buffer() == nil {
		t.Error("no room")
	}
}

// TestNoBuffers: a device that has filled all buffers is found full until one has been taken.
func TestNoBuffers(t *testing.T) {
	m := newMachine(t, 4)
	m.connect()
	for i := range uint16(4) {
		if m.Full() {
			t.Errorf("full after %d of 4", i)
		}
		head, _ := m.buffer(&m.in, i)
		m.give(&m.in, head, headerSize+60)
	}
	if !m.Full() {
		t.Error("not full")
	}
	_, i := m.Receive()
	m.Back(i)
	if m.Full() {
		t.Error("full with a buffer")
	}
}

// TestLies: what a device says that cannot be is counted, and nothing else comes of it.
func TestLies(t *testing.T) {
	for _, c := range []struct {
		head, length uint32
		want         Counts
	}{
		{0, 0, Counts{Long: 1}},
		{0, headerSize, Counts{Long: 1}},
		{0, headerSize + MaxFrame + 1, Counts{Long: 1}},
		{0, 1<<32 - 1, Counts{Long: 1}},
		{256, 100, Counts{Lies: 1}},
		{1<<32 - 1, 100, Counts{Lies: 1}},
	} {
		m := newMachine(t, 256)
		m.connect()
		m.give(&m.in, c.head, c.length)
		if frame, i := m.Receive(); frame != nil || i < 0 {
			t.Errorf("%+v: a frame of %d bytes, buffer %d", c, len(frame), i)
		}
		if got := m.Counts(); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	m := newMachine(t, 256)
	m.connect()
	m.give(&m.in, 7, 100)
	m.give(&m.in, 7, 100)
	if _, i := m.Receive(); i != 7 {
		t.Errorf("buffer %d", i)
	}
	if frame, _ := m.Receive(); frame != nil || m.Counts().Lies != 1 {
		t.Error("the same buffer twice")
	}
	m.give(&m.out, 3, 0)
	if m.WantRoom(false); m.Counts().Lies != 2 || m.numFree != 256 {
		t.Errorf("%+v, %d buffers are free", m.Counts(), m.numFree)
	}
}

// TestUseless: devices that cannot be used are refused, and told so.
func TestUseless(t *testing.T) {
	const failed = 128
	for name, change := range map[string]func(m *machine){
		"no queue":         func(m *machine) { m.Put(registers.QueueMax, 0) },
		"before version 1": func(m *machine) { m.Put(registers.Features, 0) },
	} {
		m := newMachine(t, 8)
		change(m)
		if m.connect() || m.Get(registers.Status)&failed == 0 {
			t.Errorf("%s: status %#x", name, m.Get(registers.Status))
		}
	}
}

// TestNotify: a device is told of buffers once for all of them, and only if it wants that.
func TestNotify(t *testing.T) {
	for _, wants := range []bool{true, false} {
		m := newMachine(t, 8)
		m.connect()
		_, _, used := m.out.Addresses()
		if !wants {
			m.memory[used-pa] = 1
		}
		m.Put(registers.Notify, 99)
		m.Buffer()
		m.Send(60)
		if m.Get(registers.Notify) != 99 {
			t.Error("told before the end")
		}
		m.Push()
		if told := m.Get(registers.Notify) == queueSend; told != wants {
			t.Errorf("a device that wants to be told, %v, was: %v", wants, told)
		}
		m.Put(registers.Notify, 99)
		if m.Push(); m.Get(registers.Notify) != 99 {
			t.Error("told of nothing")
		}
	}
}

// FuzzDevice has a device that lies about buffers and lengths. A frame comes only from a buffer that the device had, and is
// never longer than a buffer; what is sent uses no buffer that the device has.
func FuzzDevice(f *testing.F) {
	f.Add([]byte{0, 0, 40, 1, 2, 0, 3, 4, 0, 5})
	f.Add([]byte{0, 1, 255, 0, 1, 255, 1, 1, 3, 3, 3, 4, 0, 4, 0, 5, 6, 200, 1, 1, 2, 0})
	f.Add([]byte{6, 255, 255, 1, 1, 1, 2, 0, 2, 1, 2, 2, 7, 255, 255, 3, 3, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		const size = 4
		m := newMachine(t, size)
		if !m.connect() {
			t.Fatal("not connected")
		}
		var out [size]bool      // handed out by Receive
		sends := map[int]bool{} // the device has it, by address
		next := func() byte {
			if len(script) == 0 {
				return 0
			}
			b := script[0]
			script = script[1:]
			return b
		}
		many := func(q *virtio.Queue) {
			_, _, used := q.Addresses()
			m.used[q] += uint16(next())<<8 | uint16(next())
			binary.LittleEndian.PutUint16(m.memory[used-pa+2:], m.used[q])
		}
		for len(script) > 0 {
			switch next() % 8 {
			case 0: // a frame, perhaps
				m.give(&m.in, uint32(next())%(size+1), uint32(next())*uint32(next()))
			case 1:
				frame, i := m.Receive()
				if frame == nil {
					break
				}
				if i < 0 || i >= size || out[i] || len(frame) > MaxFrame {
					t.Fatalf("a frame of %d bytes in buffer %d", len(frame), i)
				}
				out[i] = true
			case 2:
				if i := int(next()) % size; out[i] {
					out[i] = false
					m.Back(i)
				}
			case 3:
				b := m.Buffer()
				if b == nil {
					break
				}
				i := int(m.free[m.numFree-1])
				if sends[i] && m.sends[i] {
					t.Fatalf("buffer %d is the device's", i)
				}
				m.Send(60)
				sends[i] = true
			case 4: // sent, perhaps
				m.give(&m.out, uint32(next())%(size+1), 0)
			case 5:
				m.WantRoom(false)
			case 6:
				many(&m.in)
			case 7:
				many(&m.out)
			}
			busy := 0
			for _, s := range m.sends {
				if s {
					busy++
				}
			}
			if m.numFree+busy != size {
				t.Fatalf("%d buffers are free and %d the device's, of %d", m.numFree, busy, size)
			}
		}
	})
}
