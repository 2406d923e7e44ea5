// Package virtioconsole drives a virtio console device with ports (virtio 1.2, 5.3), QEMU's
// virtio-serial. A port is a stream of bytes in each direction and has a name. Users ask for ports
// by name; the rest of the device's ports are left alone.
//
// Output is in a buffer of the port's, one at a time, and belongs to the device until it has passed
// all of it on: a host that reads slowly makes the sender wait, and nothing is dropped. (QEMU's
// virtserialport keeps to that. Its virtconsole does not: it drops what its host does not take.)
// Input is in buffers that the device gets back when they have been read, so a host waits for a
// guest in the same way.
//
// The driver does not trust the device: it checks numbers of ports and buffers, and lengths.
//
// The caller locks: the sending half of a port, its receiving half, and Control each have one user
// at a time.
package virtioconsole

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers/virtio"
)

const (
	// MaxPorts is how many ports are known: those numbered below it.
	MaxPorts = 5
	// BufferSize is the most that one Send passes on.
	BufferSize = 16 << 10
	// Memory is what the device needs: contiguous, aligned to a page.
	Memory = offPorts + MaxPorts*portSize

	// maxName bounds what is kept of a name.
	maxName = 32
)

const (
	kind = 3      // virtio's number for console devices
	old  = 0x1003 // and PCI's for those that can be legacy

	featurePorts = 1 << 1 // VIRTIO_CONSOLE_F_MULTIPORT

	configPorts = 4 // 32 bits: how many ports there can be
)

// Queues by number (5.3.2): port 0 has two, then come those for control, then the
// other ports'. The first of a pair is what the device sends.
const (
	queueControl = 2
	queuePort1   = 4
)

// queueOf returns the number of port i's first queue.
func queueOf(i int) int {
	if i == 0 {
		return 0
	}
	return queuePort1 + 2*(i-1)
}

// Control messages (5.3.6.2): the port's number (4), the kind (2), a value (2), and after some
// kinds a name.
const (
	deviceReady = 0
	portAdd     = 1
	portRemove  = 2
	portReady   = 3
	portOpen    = 6
	portName    = 7

	messageSize = 8
	controlSize = messageSize + maxName // of a buffer for one that comes in
	numControl  = 16                    // buffers for those: more than come for MaxPorts at once
)

// Where the memory has what. Of each port: the queues, a buffer to send, one for last
// words, and those to receive. Sizes of queues are powers of two.
const (
	outEntries = 2 // 0: the buffer; 1: last words
	inEntries  = 4
	inputSize  = 1 << 10 // of one buffer
	LastSize   = 256     // the most that one Last sends

	offControlIn  = 0
	offControlOut = (numControl*virtio.QueueEntry + virtio.QueueRest + 15) &^ 15
	offMessages   = (offControlOut + virtio.QueueEntry + virtio.QueueRest + 15) &^ 15
	offMessage    = offMessages + numControl*controlSize
	offPorts      = (offMessage + messageSize + 15) &^ 15
	portIn        = 0
	portOut       = (inEntries*virtio.QueueEntry + virtio.QueueRest + 15) &^ 15
	portLast      = (portOut + outEntries*virtio.QueueEntry + virtio.QueueRest + 15) &^ 15
	portInput     = portLast + LastSize
	portBuffer    = portInput + inEntries*inputSize
	portSize      = portBuffer + BufferSize

	_ = uint(-(portSize % 16))        // queues stay aligned
	_ = uint(numControl - 3*MaxPorts) // for each port it is told that it is there, its name, and that it is open
)

// A Port is one of the device's.
type Port struct {
	there   bool // the device has said so
	name    [maxName]byte
	nameLen int
	host    bool // the host's end is open

	va, pa  uintptr // its part of the memory
	in, out virtio.Queue

	sent uint16 // what Send sent last

	// Received and not read: n bytes from byte at of buffer head on.
	head  uint32
	at, n uint32
}

// device is the driven device.
var device console

type console struct {
	t      virtio.Transport
	va, pa uintptr // its memory
	ports  [MaxPorts]Port
	count  int // ports that there can be

	in, out virtio.Queue // control
}

// Attach finds the first device that can be talked to and reports whether there is one.
// The kernel's memory lock is held.
func Attach() (ok bool) {
	device.t, ok = virtio.First(kind, old)
	return ok
}

// Connect makes the device ready, in Memory bytes of zeroed memory that are mapped at va and
// lie at physical address pa, and has its interrupts come to line (less than 0: none). It
// asks the device for its ports. It reports false for a device that cannot be used. The
// kernel's memory lock is held.
func Connect(va, pa uintptr, line int) bool {
	device.va, device.pa = va, pa
	if !connect(line) {
		device.t.Fail()
		return false
	}
	return true
}

// connect is Connect without its last word.
func connect(line int) bool {
	d := &device
	have, ok := d.t.Begin(featurePorts)
	if !ok || have&featurePorts == 0 || line >= 0 && !d.t.Connect(line) {
		return false
	}
	if !give(queueControl, &d.in, offControlIn, numControl) || !give(queueControl+1, &d.out, offControlOut, 1) {
		return false
	}
	d.count = int(min(d.t.Config32(configPorts), MaxPorts))
	for i := 0; i < d.count; i++ {
		off := uintptr(offPorts + i*portSize)
		p := &d.ports[i]
		*p = Port{va: d.va + off, pa: d.pa + off}
		if !give(queueOf(i), &p.in, off+portIn, inEntries) || !give(queueOf(i)+1, &p.out, off+portOut, outEntries) {
			return false
		}
		p.out.Interrupt(false)
	}
	d.out.Interrupt(false)
	d.t.Start()
	for i := uint32(0); i < numControl; i++ {
		offer(&d.in, i, d.pa+offMessages, controlSize)
	}
	d.t.Notify(&d.in)
	return tell(0, deviceReady) && Control()
}

// give makes q the device's queue number i, of size entries, at off in the memory. It
// reports false if the device has no such queue.
func give(i int, q *virtio.Queue, off uintptr, size int) bool {
	d := &device
	q.Init(d.va+off, uint64(d.pa+off), size)
	return d.t.QueueMax(i) >= size && d.t.SetQueue(i, q)
}

// offer gives the device buffer i of those of n bytes that begin at physical address pa, to fill.
func offer(q *virtio.Queue, i uint32, pa, n uintptr) {
	q.Desc(int(i), uint64(pa+uintptr(i)*n), uint32(n), virtio.Write, 0)
	q.Make(int(i))
}

// patience bounds how often a device is asked whether it has taken a control message,
// which takes it no time worth speaking of.
var patience = 1 << 20

// tell sends a control message with the value 1 about port i and waits until the device has
// taken it. It reports false if the device does not.
func tell(i, what uint32) bool {
	d := &device
	*(*uint32)(unsafe.Pointer(d.va + offMessage)) = i
	*(*uint32)(unsafe.Pointer(d.va + offMessage + 4)) = what | 1<<16
	d.out.Desc(0, uint64(d.pa+offMessage), messageSize, 0, 0)
	mark := d.out.Make(0)
	d.t.Notify(&d.out)
	for n := 0; !d.out.Past(mark); n++ {
		if n == patience {
			return false
		}
		arch.Pause()
	}
	return true
}

// Control takes what the device has to say about its ports. It reports false if the
// device does not take an answer.
func Control() bool {
	d := &device
	for {
		i, n, ok := d.in.Take()
		if !ok {
			return true
		}
		if i >= numControl {
			continue // none of ours: the device is confused
		}
		ok = heed(d.va+offMessages+uintptr(i)*controlSize, min(n, controlSize))
		offer(&d.in, i, d.pa+offMessages, controlSize)
		if !ok {
			return false
		}
	}
}

// heed does what the message of n bytes at m asks for, and reports false if the
// device does not take the answer.
func heed(m uintptr, n uint32) bool {
	d := &device
	if n < messageSize {
		return true
	}
	i, what := *(*uint32)(unsafe.Pointer(m)), *(*uint16)(unsafe.Pointer(m + 4))
	yes := *(*uint16)(unsafe.Pointer(m + 6)) != 0
	if i >= uint32(d.count) {
		return true
	}
	p := &d.ports[i]
	switch what {
	case portAdd:
		p.there = true
		return tell(i, portReady)
	case portRemove:
		p.there, p.host = false, false
	case portOpen:
		p.host = yes
	case portName:
		p.nameLen = 0
		for k := uintptr(messageSize); k < uintptr(n); k++ {
			c := *(*byte)(unsafe.Pointer(m + k))
			if c == 0 {
				break
			}
			p.name[p.nameLen] = c
			p.nameLen++
		}
	}
	return true
}

// Open returns the port of that name, ready to be used, or nil: there is none, or the host's end is
// closed, or the device does not answer.
func Open(name string) *Port {
	d := &device
	for i := 0; i < d.count; i++ {
		p := &d.ports[i]
		if !p.there || !p.host || unsafe.String(&p.name[0], p.nameLen) != name {
			continue
		}
		for k := uint32(0); k < inEntries; k++ {
			offer(&p.in, k, p.pa+portInput, inputSize)
		}
		d.t.Notify(&p.in)
		if !tell(uint32(i), portOpen) {
			return nil
		}
		return p
	}
	return nil
}

// Quiet ends the device's interrupt. It comes before looking at what that was about.
func Quiet() { device.t.Quiet() }

// Buffer returns the address of Send's buffer. It is the device's while the port is busy.
func (p *Port) Buffer() uintptr { return p.va + portBuffer }

// Send gives the first n bytes of the buffer to the device; the port is not busy.
func (p *Port) Send(n uintptr) {
	p.out.Desc(0, uint64(p.pa+portBuffer), uint32(n), 0, 0)
	p.sent = p.out.Make(0)
	device.t.Notify(&p.out)
}

// Busy reports whether the device still has what was sent last. Any context, without a lock. The
// device passes things on in order, so counting suffices.
func (p *Port) Busy() bool { return !p.out.Past(p.sent) }

// Interrupt says whether the device shall interrupt when it has passed something on. A caller that
// turns it on must look at Busy once more. Same lock as Send.
func (p *Port) Interrupt(on bool) { p.out.Interrupt(on) }

// Last sends n bytes at from, at most LastSize, behind what Send sent and beside its buffer. It
// returns a mark for Past, and is not called again before that mark is past. Same lock as Send, or
// the holder of that lock was stopped for good, at any point.
func (p *Port) Last(from, n uintptr) (mark uint16) {
	p.out.Recover()
	to := p.va + portLast
	for i := uintptr(0); i < n; i++ {
		*(*byte)(unsafe.Pointer(to + i)) = *(*byte)(unsafe.Pointer(from + i))
	}
	p.out.Desc(1, uint64(p.pa+portLast), uint32(n), 0, 0)
	mark = p.out.Make(1)
	device.t.Notify(&p.out)
	return mark
}

// Past reports whether the device has passed on what Last returned mark for. Any context.
func (p *Port) Past(mark uint16) bool { return p.out.Past(mark) }

// Receive returns the next byte that has come in, if there is one.
func (p *Port) Receive() (c byte, ok bool) {
	at, n := p.Received()
	if n == 0 {
		return 0, false
	}
	c = *(*byte)(unsafe.Pointer(at))
	p.Skip(1)
	return c, true
}

// Received returns where the next bytes lie that have come in, and how many lie there; 0: there are none. Skip takes n of
// those out.
func (p *Port) Received() (at, n uintptr) {
	for p.n == 0 {
		head, n, ok := p.in.Take()
		if !ok {
			return 0, 0
		}
		if head < inEntries {
			p.head, p.at, p.n = head, 0, min(n, inputSize)
			if p.n == 0 {
				p.back()
			}
		}
	}
	return p.va + portInput + uintptr(p.head*inputSize+p.at), uintptr(p.n)
}

// Skip: see Received.
func (p *Port) Skip(n uintptr) {
	p.at += uint32(n)
	if p.n -= uint32(n); p.n == 0 {
		p.back()
	}
}

// back gives the buffer that was read to the device again.
func (p *Port) back() {
	offer(&p.in, p.head, p.pa+portInput, inputSize)
	device.t.Notify(&p.in)
}
