package virtioblk

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"

	"sched9/drivers/internal/memory"
	"sched9/drivers/internal/registers"
	"sched9/drivers/virtio"
	"sched9/drivers/virtioblk/slot"
)

const pa = 0x20_0000 // of the disk's memory, as the device sees it

// A machine is a disk and its device: registers, memory and contents.
type machine struct {
	disk Disk
	registers.Registers
	memory      []byte
	contents    []byte
	avail, used uint16
}

// newMachine makes one that offers features.
func newMachine(t *testing.T, features uint32, queue int) *machine {
	t.Helper()
	m := &machine{Registers: registers.New(t, kind, features, uint32(queue)), memory: memory.Pages(t, Memory), contents: make([]byte, 200*SectorSize)}
	m.Put(registers.Config, uint32(len(m.contents)/SectorSize))
	m.disk.t = m.Transport(kind)
	if !m.disk.t.Ready() {
		t.Fatal("the device was not recognised")
	}
	return m
}

// connect makes the disk ready.
func (m *machine) connect(t *testing.T) *Disk {
	t.Helper()
	if !m.disk.Connect(uintptr(unsafe.Pointer(&m.memory[0])), pa, -1) {
		t.Fatal("the disk was not connected")
	}
	return &m.disk
}

// at is the memory at a physical address.
func (m *machine) at(a uint64) []byte { return m.memory[a-pa:] }

// serve makes the device look at the next request: it carries it out, gives it the status, and
// reports false if there is none. It does not give it back.
func (m *machine) serve(t *testing.T, status byte) (head uint16, ok bool) {
	t.Helper()
	ring := m.at(uint64(m.Get(registers.Avail)))
	size := uint16(m.Get(registers.QueueSize))
	if binary.LittleEndian.Uint16(ring[2:]) == m.avail {
		return 0, false
	}
	head = binary.LittleEndian.Uint16(ring[4+m.avail%size*2:])
	m.avail++
	var op uint32
	var at uint64
	for n, next := 0, head; ; n++ {
		d := m.at(uint64(m.Get(registers.Desc)) + uint64(next)*16)
		data := m.at(binary.LittleEndian.Uint64(d))[:binary.LittleEndian.Uint32(d[8:])]
		flags := binary.LittleEndian.Uint16(d[12:])
		next = binary.LittleEndian.Uint16(d[14:])
		switch {
		case n == 0:
			if len(data) != 16 || flags != virtio.More {
				t.Fatalf("a header of %d bytes, flags %d", len(data), flags)
			}
			op, at = binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint64(data[8:])*SectorSize
		case flags&virtio.More == 0:
			if len(data) != 1 || flags != virtio.Write {
				t.Fatalf("a status of %d bytes, flags %d", len(data), flags)
			}
			data[0] = status
			return head, true
		case op == Read:
			if flags&virtio.Write == 0 {
				t.Fatal("a read into what the device may not write")
			}
			if status == statusOK {
				copy(data, m.contents[at:])
			}
		case op == Write:
			if flags&virtio.Write != 0 {
				t.Fatal("a write from what the device may write")
			}
			if status == statusOK {
				copy(m.contents[at:], data)
			}
		default:
			t.Fatalf("operation %d with data", op)
		}
	}
}

// give gives a request back.
func (m *machine) give(head uint32) {
	ring := m.at(uint64(m.Get(registers.Used)))
	size := uint16(m.Get(registers.QueueSize))
	binary.LittleEndian.PutUint32(ring[4+m.used%size*8:], head)
	m.used++
	binary.LittleEndian.PutUint16(ring[2:], m.used)
}

// buffer is slot i's, as its owner sees it.
func buffer(d *Disk, i int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(d.Buffer(i))), BufferSize)
}

func TestConnect(t *testing.T) {
	for _, c := range []struct {
		queue, size, slots int
	}{{1024, 256, MaxSlots}, {256, 256, MaxSlots}, {128, 128, 42}, {100, 64, 21}, {6, 4, 1}, {4, 4, 1}} {
		m := newMachine(t, featureFlush, c.queue)
		d := m.connect(t)
		if got := int(m.Get(registers.QueueSize)); got != c.size || d.Slots.Count() != c.slots {
			t.Errorf("a queue of up to %d: %d entries, %d slots; want %d, %d", c.queue, got, d.Slots.Count(), c.size, c.slots)
		}
		if m.Get(registers.Status) != 15 || m.Get(registers.QueueReady) != 1 {
			t.Errorf("the device's status is %d, its queue's %d", m.Get(registers.Status), m.Get(registers.QueueReady))
		}
		if d.Sectors() != 200 || d.ReadOnly() || !d.CanFlush() {
			t.Errorf("%d sectors, read-only %v, flush %v", d.Sectors(), d.ReadOnly(), d.CanFlush())
		}
	}
	m := newMachine(t, featureReadOnly, 256)
	if d := m.connect(t); !d.ReadOnly() || d.CanFlush() {
		t.Errorf("read-only %v, flush %v", d.ReadOnly(), d.CanFlush())
	}
}

// TestConnectRefuses: devices that cannot be driven are told so.
func TestConnectRefuses(t *testing.T) {
	for name, change := range map[string]func(m *machine){
		"legacy":     func(m *machine) { m.Put(registers.Features, featureFlush) },
		"no queue":   func(m *machine) { m.Put(registers.QueueMax, 0) },
		"tiny queue": func(m *machine) { m.Put(registers.QueueMax, 2) },
	} {
		m := newMachine(t, 0, 256)
		change(m)
		if m.disk.Connect(uintptr(unsafe.Pointer(&m.memory[0])), pa, -1) {
			t.Errorf("%s: it was connected", name)
		}
		if m.Get(registers.Status) != 128 {
			t.Errorf("%s: the device's status is %d", name, m.Get(registers.Status))
		}
	}
	for name, change := range map[string]func(m *machine){
		"magic":      func(m *machine) { m.Put(registers.Magic, 0) },
		"version":    func(m *machine) { m.Put(registers.Version, 1) },
		"other kind": func(m *machine) { m.Put(registers.Device, 1) },
	} {
		m := newMachine(t, 0, 256)
		change(m)
		if tr := m.Transport(kind); tr.Ready() {
			t.Errorf("%s: it was taken for a disk", name)
		}
	}
}

// TestTransfers writes and reads in several slots, done in another order.
func TestTransfers(t *testing.T) {
	m := newMachine(t, featureFlush, 256)
	d := m.connect(t)
	a, b := d.Slots.Take(0, 8), d.Slots.Take(8, MaxSlots)
	if a != 0 || b != 8 {
		t.Fatalf("slots %d and %d", a, b)
	}
	for i := range buffer(d, a)[:2*SectorSize] {
		buffer(d, a)[i] = byte(i * 7)
	}
	for i := range m.contents[100*SectorSize:][:SectorSize] {
		m.contents[100*SectorSize+i] = byte(i * 3)
	}
	d.Begin(a, Write, 10, 2*SectorSize, 11)
	d.Begin(b, Read, 100, SectorSize, 12)
	if d.Finished() || d.Slots.Word(a).State() != slot.Busy || d.Slots.Word(b).State() != slot.Busy {
		t.Fatal("a request is done before the device has seen it")
	}
	first, _ := m.serve(t, statusOK)
	second, _ := m.serve(t, statusOK)
	m.give(uint32(second))
	m.give(uint32(first))
	if !d.Finished() {
		t.Error("nothing is finished")
	}
	if owner, ok := d.Reap(); !ok || owner != 12 || d.Slots.Word(b).State() != slot.Done || d.Slots.Word(a).State() != slot.Busy {
		t.Errorf("owner %d, %v", owner, ok)
	}
	if owner, ok := d.Reap(); !ok || owner != 11 || d.Slots.Word(a).State() != slot.Done {
		t.Errorf("owner %d, %v", owner, ok)
	}
	if _, ok := d.Reap(); ok || d.Finished() {
		t.Error("more is finished than was begun")
	}
	if !bytes.Equal(m.contents[10*SectorSize:12*SectorSize], buffer(d, a)[:2*SectorSize]) {
		t.Error("what was written is not on the disk")
	}
	if !bytes.Equal(m.contents[100*SectorSize:101*SectorSize], buffer(d, b)[:SectorSize]) {
		t.Error("what was read is not what is on the disk")
	}
	d.Slots.Settle(a)
	d.Begin(a, Flush, 0, 0, 0)
	head, ok := m.serve(t, statusOK)
	m.give(uint32(head))
	if owner, reaped := d.Reap(); !ok || !reaped || owner != 0 || d.Slots.Word(a).State() != slot.Done {
		t.Errorf("a flush: %v, %v, owner %d, state %d", ok, reaped, owner, d.Slots.Word(a).State())
	}
}

func TestFailure(t *testing.T) {
	m := newMachine(t, 0, 256)
	d := m.connect(t)
	for _, status := range []byte{1, 2, statusNone} {
		i := d.Slots.Take(0, 1)
		d.Begin(i, Read, 0, SectorSize, 1)
		head, _ := m.serve(t, status)
		m.give(uint32(head))
		d.Reap()
		if d.Slots.Word(i).State() != slot.Failed {
			t.Errorf("status %d: state %d", status, d.Slots.Word(i).State())
		}
		d.Slots.Release(i)
	}
}

// TestLeft: when a slot's owner goes away while the device has the slot, the slot stays without an
// owner until the device gives it back, and nothing is told.
func TestLeft(t *testing.T) {
	m := newMachine(t, 0, 256)
	d := m.connect(t)
	i := d.Slots.Take(3, 4)
	d.Begin(i, Read, 0, SectorSize, 5)
	d.Slots.Release(i)
	if got := d.Slots.Take(3, 4); got != -1 {
		t.Fatalf("slot %d was given to another while the device has it", got)
	}
	head, _ := m.serve(t, statusOK)
	m.give(uint32(head))
	if owner, ok := d.Reap(); !ok || owner != 0 {
		t.Errorf("owner %d, %v", owner, ok)
	}
	if got := d.Slots.Take(3, 4); got != i {
		t.Errorf("the slot is not free again, but %d", got)
	}
}

// TestAllSlots has all slots busy at once, many times.
func TestAllSlots(t *testing.T) {
	m := newMachine(t, 0, 256)
	d := m.connect(t)
	for round := range 300 {
		for i := range MaxSlots {
			if got := d.Slots.Take(0, MaxSlots); got != i {
				t.Fatalf("round %d: slot %d, want %d", round, got, i)
			}
			d.Begin(i, Read, uint64(i), SectorSize, uintptr(i+1))
		}
		if d.Slots.Take(0, MaxSlots) != -1 {
			t.Fatal("a slot too many")
		}
		for i := range MaxSlots {
			head, ok := m.serve(t, statusOK)
			if !ok {
				t.Fatalf("round %d: the device has not seen request %d", round, i)
			}
			m.give(uint32(head))
		}
		for i := range MaxSlots {
			if owner, ok := d.Reap(); !ok || owner != uintptr(i+1) || d.Slots.Word(i).State() != slot.Done {
				t.Fatalf("round %d: owner %d, %v, want %d", round, owner, ok, i+1)
			}
			d.Slots.Release(i)
		}
	}
}

// TestConfused: a device that returns requests that it never had does no harm.
func TestConfused(t *testing.T) {
	m := newMachine(t, 0, 256)
	d := m.connect(t)
	i := d.Slots.Take(0, 1)
	d.Begin(i, Read, 0, SectorSize, 9)
	head, _ := m.serve(t, statusOK)
	for _, id := range []uint32{1, 2, 3 * 10, 255, 1 << 31, ^uint32(0), uint32(head), uint32(head)} {
		m.give(id)
	}
	told := 0
	for {
		owner, ok := d.Reap()
		if !ok {
			break
		}
		if owner != 0 {
			told++
		}
		if owner != 0 && owner != 9 || (told > 0) != (d.Slots.Word(i).State() == slot.Done) {
			t.Errorf("owner %d, state %d, %d told", owner, d.Slots.Word(i).State(), told)
		}
	}
	if told != 1 {
		t.Errorf("%d were told of the request", told)
	}
}
