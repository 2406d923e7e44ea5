// Package virtionet drives virtio network cards (virtio 1.2, 5.1): whole Ethernet frames, a buffer for each.
//
// There are two queues, and a buffer for each of their entries. The card's number for a buffer is its number here, so nothing
// is ever allocated. Buffers to receive belong to the card but for the one that Receive has handed out.
//
// The driver does not trust the card: numbers of buffers and lengths are checked, and what is wrong is counted (Counts).
//
// Three users, each one at a time: Receive, Back, Tell, Listen and Full are one; Buffer, Send, Push and WantRoom are another; Quiet is
// the third, in any context.
package virtionet

import (
	"unsafe"

	"sched9/drivers/virtio"
)

const (
	// MaxFrame is the longest frame: Ethernet's header and 1,500 bytes.
	MaxFrame = 1514
	// Memory is what a card needs: contiguous, aligned to a page.
	Memory = offBuffers + 2*entries*bufferSize

	entries    = virtio.MaxQueue // of a queue
	bufferSize = 2048            // the header and a frame
	headerSize = 12              // 5.1.6, with version 1

	offReceive = 0
	offSend    = (virtio.QueueMemory + 15) &^ 15
	offBuffers = (offSend + virtio.QueueMemory + 4095) &^ 4095
)

const _ = uint(bufferSize - headerSize - MaxFrame)

const (
	kind = 1      // virtio's number for network cards
	old  = 0x1000 // and PCI's for those that can be legacy

	queueReceive = 0
	queueSend    = 1

	// Features (5.1.3): what the configuration has.
	featureAddress = 1 << 5

	configAddress = 0 // 6 bytes
)

// Counts is what became of a card's frames.
type Counts struct {
	Received, Sent uint64

	Long uint64 // received frames that were longer than MaxFrame, or no frames at all
	Lies uint64 // buffers that the card returned and did not have
}

// Card is a network card. Its zero value has no device.
type Card struct {
	t           virtio.Transport
	va, pa      uintptr // its memory
	in, out     virtio.Queue
	size        int // entries of in
	room        int // entries of out
	address     [6]byte
	has, sends  [entries]bool // the card has the buffer
	free        [entries]uint16
	numFree     int
	fed, pushed bool // the card is to be told of buffers: to fill, and to send
	received    Counts
	sent        Counts
}

// card is the machine's.
var card Card

// Attach finds the machine's first network card that can be talked to and reports whether there is one. The kernel's memory
// lock is held.
func Attach() (ok bool) {
	card.t, ok = virtio.First(kind, old)
	return ok
}

// Get returns the card that Attach has found.
func Get() *Card { return &card }

// Connect makes the card ready, in Memory bytes of memory that are mapped at va and lie at physical address pa, the first Zero of
// them zero, and has its interrupts come to line (less than 0: none). It reports false for a card that cannot be used. The
// kernel's memory lock is held.
func (c *Card) Connect(va, pa uintptr, line int) bool {
	c.va, c.pa = va, pa
	if !c.connect(line) {
		c.t.Fail()
		return false
	}
	return true
}

// Zero is how much of the memory, from its beginning on, is to be zero for Connect.
const Zero = offBuffers

// connect is Connect without its last word.
func (c *Card) connect(line int) bool {
	have, ok := c.t.Begin(featureAddress)
	if !ok || line >= 0 && !c.t.Connect(line) {
		return false
	}
	if c.size = c.queue(queueReceive, &c.in, offReceive); c.size == 0 {
		return false
	}
	if c.room = c.queue(queueSend, &c.out, offSend); c.room == 0 {
		return false
	}
	if have&featureAddress != 0 {
		for i := range c.address {
			c.address[i] = c.t.Config8(configAddress + uintptr(i))
		}
	} else {
		c.address = [6]byte{0x52, 0x54, 0, 0x12, 0x34, 0x56} // locally administered
	}
	c.out.Interrupt(false)
	c.t.Start()
	for i := range c.room {
		c.free[i] = uint16(i)
	}
	c.numFree = c.room
	for i := range c.size {
		c.Back(i)
	}
	c.Tell()
	return true
}

// queue makes q the card's queue number i, at off in the memory, as long as both sides can, and returns its length; 0: it
// cannot be used.
func (c *Card) queue(i int, q *virtio.Queue, off uintptr) (size int) {
	most := c.t.QueueMax(i)
	for size = entries; size > most; size /= 2 {
	}
	if size == 0 {
		return 0
	}
	q.Init(c.va+off, uint64(c.pa+off), size)
	if !c.t.SetQueue(i, q) {
		return 0
	}
	return size
}

// Address returns the card's Ethernet address.
func (c *Card) Address() [6]byte { return c.address }

// Quiet ends the card's interrupt. Any context.
func (c *Card) Quiet() { c.t.Quiet() }

// at returns the offset of a buffer in the memory. Those to send come behind those to receive.
func at(i int) uintptr { return offBuffers + uintptr(i)*bufferSize }

// Receive returns the next frame that has come, and its buffer's number for Back; i is less than 0 if there is none. It
// deals with at most one buffer of the card's: frame is nil if that held none. Then the card has it again.
func (c *Card) Receive() (frame []byte, i int) {
	head, n, ok := c.in.Take()
	if !ok {
		return nil, -1
	}
	if head >= entries || !c.has[head] {
		c.received.Lies++
		return nil, 0
	}
	i = int(head)
	c.has[i] = false
	if n <= headerSize || n > headerSize+MaxFrame {
		c.received.Long++
		c.Back(i)
		return nil, 0
	}
	c.received.Received++
	return unsafe.Slice((*byte)(unsafe.Pointer(c.va+at(i)+headerSize)), int(n-headerSize)), i
}

// Back gives a buffer that was received to the card.
func (c *Card) Back(i int) {
	c.in.Desc(i, uint64(c.pa+at(i)), bufferSize, virtio.Write, 0)
	c.has[i] = true
	c.in.Make(i)
	c.fed = true
}

// Tell lets the card know of the buffers that it was given since the last time.
func (c *Card) Tell() {
	if c.fed && c.in.Heeds() {
		c.t.Notify(&c.in)
	}
	c.fed = false
}

// Listen says whether the card shall interrupt when a frame has come. It returns true if frames are there that
// came before: they cause no interrupt.
func (c *Card) Listen(on bool) bool {
	c.in.Interrupt(on)
	return c.in.Done()
}

// Buffer returns room for a frame, to be sent by Send; nil if the card has all buffers.
func (c *Card) Buffer() []byte {
	if c.numFree == 0 {
		c.reap()
		if c.numFree == 0 {
			return nil
		}
	}
	i := int(c.free[c.numFree-1])
	return unsafe.Slice((*byte)(unsafe.Pointer(c.va+at(entries+i)+headerSize)), MaxFrame)
}

// Send gives the card the first n bytes of what Buffer has returned. Push lets it know.
func (c *Card) Send(n int) {
	c.numFree--
	i := int(c.free[c.numFree])
	clear(unsafe.Slice((*byte)(unsafe.Pointer(c.va+at(entries+i))), headerSize)) // neither checksums nor pieces are asked for
	c.out.Desc(i, uint64(c.pa+at(entries+i)), uint32(headerSize+n), 0, 0)
	c.sends[i] = true
	c.sent.Sent++
	c.out.Make(i)
	c.pushed = true
}

// Push lets the card know of the frames that it was given since the last time.
func (c *Card) Push() {
	if c.pushed && c.out.Heeds() {
		c.t.Notify(&c.out)
	}
	c.pushed = false
}

// WantRoom says whether the card shall interrupt when it has sent a frame. It returns true if Buffer has room.
func (c *Card) WantRoom(on bool) bool {
	c.out.Interrupt(on)
	c.reap()
	return c.numFree > 0
}

// reap takes the buffers back whose frames have left. The bound is for a card that never stops returning some.
func (c *Card) reap() {
	for range entries {
		head, _, ok := c.out.Take()
		if !ok {
			return
		}
		if head >= entries || !c.sends[head] {
			c.sent.Lies++
			continue
		}
		c.sends[head] = false
		c.free[c.numFree] = uint16(head)
		c.numFree++
	}
}

// Full reports whether the card has no buffer to receive into, until Back gives it some. What comes meanwhile it holds back or
// drops. Receive's user.
func (c *Card) Full() bool { return c.in.Full() }

// Counts returns what there was so far. It is exact while neither side is at work.
func (c *Card) Counts() Counts {
	return Counts{c.received.Received, c.sent.Sent, c.received.Long, c.received.Lies + c.sent.Lies}
}
