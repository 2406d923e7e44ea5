package virtio

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"sched9/drivers/internal/memory"
)

// A device is the other side of a queue, as the specification has it (2.7): it
// knows physical addresses only, which begin at pa and are memory.
type device struct {
	memory    []byte
	pa        uint64
	size      int
	avail     uint16 // the next to look at
	used      uint16 // the next to fill
	addresses [3]uint64
}

// newDevice makes a queue of size entries, and the device that has it.
func newDevice(t *testing.T, size int) (*Queue, *device) {
	d := &device{memory: memory.Pages(t, QueueMemory), pa: 0x5000, size: size}
	q := new(Queue)
	q.Init(uintptr(unsafe.Pointer(&d.memory[0])), d.pa, size)
	d.addresses[0], d.addresses[1], d.addresses[2] = q.Addresses()
	return q, d
}

// at is the device's view of one of the queue's three parts.
func (d *device) at(part int) []byte { return d.memory[d.addresses[part]-d.pa:] }

// take returns the next available chain's head, -1 if there is none.
func (d *device) take() int {
	ring := d.at(1)
	if binary.LittleEndian.Uint16(ring[2:]) == d.avail {
		return -1
	}
	head := binary.LittleEndian.Uint16(ring[4+int(d.avail)%d.size*2:])
	d.avail++
	return int(head)
}

// give returns a chain that the device has used, with a number of bytes that the chain's tells.
func (d *device) give(head uint32) {
	ring := d.at(2)
	binary.LittleEndian.PutUint32(ring[4+int(d.used)%d.size*8:], head)
	binary.LittleEndian.PutUint32(ring[8+int(d.used)%d.size*8:], 7*head) // bytes
	d.used++
	binary.LittleEndian.PutUint16(ring[2:], d.used)
}

// TestDescriptor compares the layout with the specification's (2.7.5).
func TestDescriptor(t *testing.T) {
	q, d := newDevice(t, 8)
	if d.addresses != [3]uint64{0x5000, 0x5080, 0x5098} || q.Size() != 8 {
		t.Fatalf("parts at %x, size %d", d.addresses, q.Size())
	}
	q.Desc(3, 0x1122334455667788, 0xaabbccdd, More|Write, 5)
	want := []byte{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xdd, 0xcc, 0xbb, 0xaa, 3, 0, 5, 0}
	if got := d.at(0)[3*16 : 4*16]; string(got) != string(want) {
		t.Errorf("got % x, want % x", got, want)
	}
}

// TestLayout: the parts of a queue of any size are aligned (2.7), lie behind each other and
// within what they are said to take.
func TestLayout(t *testing.T) {
	for size := 1; size <= MaxQueue; size *= 2 {
		_, d := newDevice(t, size)
		desc, driver, device := d.addresses[0], d.addresses[1], d.addresses[2]
		n := uint64(size)
		end := device + 6 + 8*n
		if desc%16 != 0 || driver%2 != 0 || device%4 != 0 ||
			driver < desc+16*n || device < driver+6+2*n || end > d.pa+n*QueueEntry+QueueRest {
			t.Errorf("size %d: parts at %x, the last ends at %x", size, d.addresses, end)
		}
	}
}

// TestInterrupt: the wish not to be interrupted stays when chains are made.
func TestInterrupt(t *testing.T) {
	q, d := newDevice(t, 4)
	flags := func() uint16 { return binary.LittleEndian.Uint16(d.at(1)) }
	q.Make(1)
	if flags() != 0 {
		t.Error("interrupts are off at first")
	}
	q.Interrupt(false)
	q.Make(2)
	if flags() != noInterrupt || d.take() != 1 || d.take() != 2 || d.take() != -1 {
		t.Errorf("flags %d", flags())
	}
	q.Interrupt(true)
	if flags() != 0 || d.take() != -1 {
		t.Errorf("flags %d, or a chain that was not made", flags())
	}
}

// TestRecover: a user that was stopped anywhere in Make leaves a queue that another can use: its
// chain is either available or not, and the next one is, once.
func TestRecover(t *testing.T) {
	for published := range 2 {
		q, d := newDevice(t, 4)
		q.Make(0)
		// Make(1), as far as it came.
		binary.LittleEndian.PutUint16(d.at(1)[ringFirst+2:], 1)
		q.made++
		if published == 1 {
			q.publish()
		}
		q.Recover()
		mark := q.Make(3)
		want := []int{0, 3, -1}
		if published == 1 {
			want = []int{0, 1, 3, -1}
		}
		for _, w := range want {
			if got := d.take(); got != w {
				t.Errorf("published %d: the device got %d, want %d", published, got, w)
			}
		}
		for _, w := range want[:len(want)-1] {
			if q.Past(mark) {
				t.Error("past, before the device has used everything")
			}
			d.give(uint32(w))
		}
		if !q.Past(mark) {
			t.Error("not past, though the device has used everything")
		}
	}
}

// TestRings sends chains round many times: the indices wrap, at the ring's size and
// at 2^16, and the device gives chains back in another order.
func TestRings(t *testing.T) {
	for _, size := range []int{1, 2, 64, MaxQueue} {
		q, d := newDevice(t, size)
		r := rand.New(rand.NewPCG(uint64(size), 1))
		free := r.Perm(size)
		var held, used []int
		rounds := 0
		for rounds < 70_000 {
			switch r.IntN(3) {
			case 0:
				if len(free) == 0 {
					continue
				}
				q.Make(free[0])
				got := d.take()
				if got != free[0] {
					t.Fatalf("size %d: the device got %d, want %d", size, got, free[0])
				}
				held, free = append(held, got), free[1:]
			case 1:
				if len(held) == 0 {
					continue
				}
				i := r.IntN(len(held))
				d.give(uint32(held[i]))
				used = append(used, held[i])
				held[i] = held[len(held)-1]
				held = held[:len(held)-1]
			case 2:
				if q.Done() != (len(used) > 0) {
					t.Fatalf("size %d: Done is %v with %d used", size, q.Done(), len(used))
				}
				head, written, ok := q.Take()
				if ok != (len(used) > 0) {
					t.Fatalf("size %d: took %d, %v with %d used", size, head, ok, len(used))
				}
				if !ok {
					continue
				}
				if written != 7*head {
					t.Fatalf("size %d: chain %d has %d bytes", size, head, written)
				}
				if int(head) != used[0] {
					t.Fatalf("size %d: took %d, want %d", size, head, used[0])
				}
				free, used = append(free, used[0]), used[1:]
				rounds++
			}
		}
		if d.take() != -1 {
			t.Errorf("size %d: the device sees a chain that was not made", size)
		}
	}
}
