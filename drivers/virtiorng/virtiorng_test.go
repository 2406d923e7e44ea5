package virtiorng

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"sched9/drivers/internal/memory"
	"sched9/drivers/internal/registers"
	"sched9/drivers/virtio"
)

const pa = 0x20_0000 // of the source's memory, as the device sees it

// A machine is a source and its device: registers and memory.
type machine struct {
	source Source
	registers.Registers
	memory []byte
	used   uint16
}

// newMachine makes one whose device has a queue of at most that many entries.
func newMachine(t *testing.T, queue uint32) *machine {
	m := &machine{Registers: registers.New(t, kind, 0, queue), memory: memory.Pages(t, Memory)}
	m.source.t = m.Transport(kind)
	return m
}

// at is the memory at a physical address.
func (m *machine) at(a uint64) []byte { return m.memory[a-pa:] }

// connect makes the source ready, in the machine's memory.
func (m *machine) connect() bool {
	return m.source.t.Ready() && m.source.Connect(uintptr(unsafe.Pointer(&m.memory[0])), pa)
}

// asked is the buffer that the device was given last, nil if it was not asked n times.
func (m *machine) asked(n uint16) []byte {
	ring := m.at(uint64(m.Get(registers.Avail)))
	if binary.LittleEndian.Uint16(ring[2:]) != n {
		return nil
	}
	head := binary.LittleEndian.Uint16(ring[4+(n-1)%entries*2:])
	d := m.at(uint64(m.Get(registers.Desc)) + uint64(head)*16)
	if flags := binary.LittleEndian.Uint16(d[12:]); flags != virtio.Write {
		return nil
	}
	return m.at(binary.LittleEndian.Uint64(d))[:binary.LittleEndian.Uint32(d[8:])]
}

// answer says that the device has filled length bytes of the chain that begins with head.
func (m *machine) answer(head, length uint32) {
	ring := m.at(uint64(m.Get(registers.Used)))
	e := ring[4+m.used%entries*8:]
	binary.LittleEndian.PutUint32(e, head)
	binary.LittleEndian.PutUint32(e[4:], length)
	m.used++
	binary.LittleEndian.PutUint16(ring[2:], m.used)
}

// TestFill: what the device gives arrives, again and again, and as much as it says.
func TestFill(t *testing.T) {
	m := newMachine(t, 8)
	if !m.connect() || m.Get(registers.QueueSize) != entries {
		t.Fatalf("not connected, or with %d entries", m.Get(registers.QueueSize))
	}
	s := &m.source
	for i, length := range []uint32{BufferSize, 1, 100, BufferSize, 7} {
		s.Ask()
		b := m.asked(uint16(i + 1))
		if len(b) != BufferSize {
			t.Fatalf("request %d: a buffer of %d bytes", i, len(b))
		}
		if n, done := s.Answer(); n != 0 || done {
			t.Fatalf("request %d is done at once: %d, %v", i, n, done)
		}
		for j := range b {
			b[j] = byte(i + j)
		}
		m.answer(0, length)
		n, done := s.Answer()
		if n != uintptr(length) || !done {
			t.Fatalf("request %d: %d bytes, %v", i, n, done)
		}
		if got := unsafe.Slice((*byte)(unsafe.Pointer(s.Buffer())), n); got[n-1] != byte(i+int(n)-1) {
			t.Errorf("request %d: the last byte is %d", i, got[n-1])
		}
	}
}

// TestLies: a device that says what cannot be has given nothing.
func TestLies(t *testing.T) {
	for _, c := range []struct{ head, length uint32 }{
		{0, 0},
		{0, BufferSize + 1},
		{0, 1 << 31},
		{0, 1<<32 - 1},
		{1, 16},
		{entries, 16},
		{1<<32 - 1, 16},
	} {
		m := newMachine(t, 8)
		if !m.connect() {
			t.Fatal("not connected")
		}
		m.source.Ask()
		m.answer(c.head, c.length)
		if n, done := m.source.Answer(); n != 0 || !done {
			t.Errorf("chain %d with %d bytes gave %d, %v", c.head, c.length, n, done)
		}
	}
}

// TestUseless: devices that cannot be used are refused, and told so.
func TestUseless(t *testing.T) {
	const failed = 128
	for name, c := range map[string]struct {
		change func(m *machine)
		told   bool
	}{
		"another device": {func(m *machine) {
			m.Put(registers.Device, 2)
			m.source.t = m.Transport(kind)
		}, false},
		"no queue":         {func(m *machine) { m.Put(registers.QueueMax, 0) }, true},
		"a queue of one":   {func(m *machine) { m.Put(registers.QueueMax, 1) }, true},
		"before version 1": {func(m *machine) { m.Put(registers.Features, 0) }, true},
	} {
		m := newMachine(t, 8)
		c.change(m)
		if m.connect() || m.Get(registers.Status)&failed != 0 != c.told {
			t.Errorf("%s: status %#x", name, m.Get(registers.Status))
		}
	}
}
