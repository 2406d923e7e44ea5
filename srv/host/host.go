// Package host shows the program a folder of the host's at /n/host, live: by a virtio device that speaks 9P (drivers/virtio9p), as a file server of
// package mount. In an image without the package, nobody looks for the device.
package host

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

// Device is drivers/virtio9p's.
type Device interface {
	Slots() int
	Buffer(slot int) []byte
	Begin(slot, n int)
	Take() (slot int, message []byte)
}

// limit is how long an answer may take.
const limit = 30 * time.Second

// line is a remote.Line over a device: each message that is under way has a slot, whose number is its tag.
type line struct {
	limit time.Duration
	size  int
	free  chan int      // slots
	news  chan struct{} // has one if something may be under way
	await func()        // returns after an interrupt since its last return

	lock    sync.Mutex // guards the device, and
	dev     Device
	waiting []chan []byte // by slot: who waits for it
	left    []bool        // nobody waits any more, but the device has it
	busy    int           // slots that the device has
}

// newLine makes a line over a device whose messages have size bytes at most. await waits for an interrupt.
func newLine(dev Device, size int, limit time.Duration, await func()) *line {
	n := dev.Slots()
	l := &line{limit: limit, size: size, free: make(chan int, n), news: make(chan struct{}, 1), await: await, dev: dev,
		waiting: make([]chan []byte, n), left: make([]bool, n)}
	for i := range n {
		l.free <- i
		l.waiting[i] = make(chan []byte, 1)
	}
	return l
}

// Size implements remote.Line.
func (l *line) Size() int { return l.size }

// errLate is what an answer that does not come in time comes to.
var errLate = errors.New("the host's file server does not answer")

// Call implements remote.Line.
func (l *line) Call(m []byte) ([]byte, error) {
	late := time.NewTimer(l.limit)
	defer late.Stop()
	slot := 0
	select {
	case slot = <-l.free:
	case <-late.C:
		return nil, errLate
	}
	binary.LittleEndian.PutUint16(m[5:], uint16(slot))
	n := copy(l.dev.Buffer(slot), m)
	l.lock.Lock()
	l.dev.Begin(slot, n)
	l.busy++
	l.lock.Unlock()
	select {
	case l.news <- struct{}{}:
	default:
	}
	select {
	case b := <-l.waiting[slot]:
		l.free <- slot
		return b, nil
	case <-late.C:
	}
	l.lock.Lock()
	select {
	case <-l.waiting[slot]: // it has come meanwhile
		l.free <- slot
	default:
		l.left[slot] = true // the device may still write to it: nobody gets it before it is back
	}
	l.lock.Unlock()
	return nil, errLate
}

// run gives answers to those who wait for them. While the device has nothing this waits as any goroutine does, so the program may be found dead.
func (l *line) run() {
	for range l.news {
		for l.reap() {
			l.await()
		}
	}
}

// reap takes what the device is done with, and reports whether it still has something.
func (l *line) reap() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	for {
		slot, m := l.dev.Take()
		if slot < 0 {
			return l.busy > 0
		}
		l.busy--
		if l.left[slot] {
			l.left[slot] = false
			l.free <- slot
			continue
		}
		l.waiting[slot] <- append([]byte(nil), m...) // the device may still have the memory
	}
}
