package virtio9p

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"

	"sched9/drivers/internal/memory"
	"sched9/drivers/internal/registers"
)

const pa = 0x20_0000 // of the device's memory, as the device sees it

// machine is a device and its driver.
type machine struct {
	*Device
	registers.Registers
	memory []byte
	used   uint16
}

// newMachine makes one whose device has a queue of at most that many entries.
func newMachine(t testing.TB, entries uint32) *machine {
	m := &machine{Device: new(Device), Registers: registers.New(t, kind, 0, entries), memory: memory.Pages(t, Memory)}
	m.t = m.Transport(kind)
	return m
}

// connect makes the driver ready, in the machine's memory.
func (m *machine) connect() bool { return m.Connect(uintptr(unsafe.Pointer(&m.memory[0])), pa, -1) }

// given returns chain number n of those that the device was given: its first descriptor, the request, and the room for the answer.
func (m *machine) given(n int) (head uint32, request, answer []byte) {
	desc, avail, _ := m.q.Addresses()
	head = uint32(binary.LittleEndian.Uint16(m.memory[avail-pa+4+uint64(n%m.q.Size()*2):]))
	at := func(i uint32) []byte {
		d := m.memory[desc-pa+uint64(i)*16:]
		at := binary.LittleEndian.Uint64(d) - pa
		return m.memory[at : at+uint64(binary.LittleEndian.Uint32(d[8:]))]
	}
	return head, at(head), at(head + 1)
}

// give says that the device is done with a chain, and has written n bytes.
func (m *machine) give(head, n uint32) {
	_, _, used := m.q.Addresses()
	e := m.memory[used-pa+4+uint64(int(m.used)%m.q.Size()*8):]
	binary.LittleEndian.PutUint32(e, head)
	binary.LittleEndian.PutUint32(e[4:], n)
	m.used++
	binary.LittleEndian.PutUint16(m.memory[used-pa+2:], m.used)
}

// TestRequests: each request comes whole to the device, and its answer to its slot, whatever the order; with all slots, several times over.
func TestRequests(t *testing.T) {
	for size, slots := range map[uint32]int{2: 1, 8: 4, 128: MaxSlots} {
		m := newMachine(t, size)
		if !m.connect() || m.Slots() != slots {
			t.Fatalf("a queue of %d has %d slots, not %d", size, m.Slots(), slots)
		}
		for round := range 5 {
			for i := range slots {
				m.Begin(i, copy(m.Buffer(i), bytes.Repeat([]byte{byte(i + round)}, 100+i)))
			}
			for i := slots - 1; i >= 0; i-- {
				head, request, answer := m.given(round*slots + i)
				if len(answer) != MessageSize || !bytes.Equal(request, bytes.Repeat([]byte{byte(i + round)}, 100+i)) {
					t.Fatalf("round %d: the device got %d bytes, and room for %d", round, len(request), len(answer))
				}
				copy(answer, bytes.Repeat([]byte{byte(i)}, 200+i))
				m.give(head, uint32(200+i))
			}
			for i := slots - 1; i >= 0; i-- {
				if slot, answer := m.Take(); slot != i || !bytes.Equal(answer, bytes.Repeat([]byte{byte(i)}, 200+i)) {
					t.Fatalf("round %d: slot %d, not %d, with %d bytes", round, slot, i, len(answer))
				}
			}
			if slot, _ := m.Take(); slot >= 0 || m.Lies() != 0 {
				t.Fatalf("slot %d is returned again, %d lies", slot, m.Lies())
			}
		}
	}
}

// TestUseless: devices that cannot be used are refused, and told so.
func TestUseless(t *testing.T) {
	const failed = 128
	for name, change := range map[string]func(m *machine){
		"no queue":         func(m *machine) { m.Put(registers.QueueMax, 0) },
		"queue for half":   func(m *machine) { m.Put(registers.QueueMax, 1) },
		"before version 1": func(m *machine) { m.Put(registers.Features, 0) },
	} {
		m := newMachine(t, 8)
		change(m)
		if m.connect() || m.Get(registers.Status)&failed == 0 {
			t.Errorf("%s: status %#x", name, m.Get(registers.Status))
		}
	}
}

// FuzzDevice has a device that lies about chains and lengths. Only a slot that it has is returned, once for each Begin, and never more bytes than a buffer
// has.
func FuzzDevice(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 10, 2, 0, 1, 1, 2, 200, 2})
	f.Add([]byte{0, 0, 0, 1, 1, 2, 255, 1, 2, 255, 1, 0, 255, 2, 2, 2, 2})
	f.Add([]byte{0, 3, 3, 255, 255, 2, 2, 1, 6, 9, 2})
	f.Fuzz(func(t *testing.T, script []byte) {
		m := newMachine(t, 8)
		if !m.connect() {
			t.Fatal("not connected")
		}
		var begun [4]bool
		next := func() byte {
			if len(script) == 0 {
				return 0
			}
			b := script[0]
			script = script[1:]
			return b
		}
		for len(script) > 0 {
			switch next() % 4 {
			case 0:
				if i := int(next() % 4); !begun[i] {
					m.Begin(i, int(next()))
					begun[i] = true
				}
			case 1: // an answer, perhaps
				m.give(uint32(next())*uint32(1+next()%3), uint32(next())*uint32(next())*uint32(next()))
			case 2:
				slot, message := m.Take()
				if slot < 0 {
					break
				}
				if slot >= 4 || !begun[slot] || len(message) > MessageSize {
					t.Fatalf("slot %d with %d bytes", slot, len(message))
				}
				begun[slot] = false
			case 3: // and many
				_, _, used := m.q.Addresses()
				m.used += uint16(next())<<8 | uint16(next())
				binary.LittleEndian.PutUint16(m.memory[used-pa+2:], m.used)
			}
		}
	})
}
