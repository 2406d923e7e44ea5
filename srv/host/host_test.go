package host

import (
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"sched9/srv/mount"
	"sched9/srv/remote"
)

// device is one whose server is a function: it gets a message and returns the answer, nil for none. A goroutine of its own serves each message, so answers come
// in any order.
type device struct {
	slots  int
	server func(m []byte) []byte
	irq    chan struct{}

	lock    sync.Mutex
	buffers [][]byte
	done    []int
	answers [][]byte
}

func newDevice(slots int, server func(m []byte) []byte) *device {
	d := &device{slots: slots, server: server, irq: make(chan struct{}, 1)}
	for range slots {
		d.buffers = append(d.buffers, make([]byte, 8<<10))
	}
	d.answers = make([][]byte, slots)
	return d
}

func (d *device) Slots() int             { return d.slots }
func (d *device) Buffer(slot int) []byte { return d.buffers[slot] }

func (d *device) Begin(slot, n int) {
	m := append([]byte(nil), d.buffers[slot][:n]...)
	go func() {
		if a := d.server(m); a != nil {
			d.finish(slot, a)
		}
	}()
}

func (d *device) finish(slot int, a []byte) {
	d.lock.Lock()
	d.answers[slot] = a
	d.done = append(d.done, slot)
	d.lock.Unlock()
	select {
	case d.irq <- struct{}{}:
	default:
	}
}

func (d *device) Take() (int, []byte) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if len(d.done) == 0 {
		return -1, nil
	}
	slot := d.done[0]
	d.done = d.done[1:]
	return slot, d.answers[slot]
}

// start makes a line over the device, which ends with the test.
func (d *device) start(t testing.TB, limit time.Duration) *line {
	l := newLine(d, 8<<10, limit, func() { <-d.irq })
	over := make(chan struct{})
	go func() {
		defer close(over)
		l.run()
	}()
	t.Cleanup(func() {
		close(l.news)
		for i := range l.left {
			if l.left[i] { // run waits for it
				d.finish(i, nil)
			}
		}
		<-over
	})
	return l
}

// reply makes an answer to m.
func reply(m []byte, kind uint8, fields ...byte) []byte {
	b := append([]byte{0, 0, 0, 0, kind, m[5], m[6]}, fields...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

// honest serves one empty directory, and says so of all that is asked.
func honest(m []byte) []byte {
	switch m[4] {
	case 100:
		return reply(m, 101, append([]byte{0, 32, 0, 0, 8, 0}, "9P2000.L"...)...)
	case 104:
		return reply(m, 105, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
	case 24:
		b := make([]byte, 153)
		b[21], b[22] = 0, 0x40
		return reply(m, 25, b...)
	}
	return reply(m, 7, byte(syscall.ENOENT), 0, 0, 0)
}

// TestOrder: each caller gets the answer to what it has asked, with more callers than slots and answers in any order.
func TestOrder(t *testing.T) {
	l := newDevice(3, func(m []byte) []byte { return reply(m, m[4], m[7:]...) }).start(t, time.Minute)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for k := range 20 {
				m := reply(make([]byte, 7), 9, byte(i), byte(k))
				a, err := l.Call(m)
				if err != nil || len(a) != 9 || a[7] != byte(i) || a[8] != byte(k) {
					t.Errorf("caller %d got % x, %v", i, a, err)
				}
			}
		})
	}
	all.Wait()
}

// TestSilence: a call that is not answered ends, as do those that find no slot; what comes too late goes to nobody, and then the slots are there again.
func TestSilence(t *testing.T) {
	held := make(chan []byte, 10)
	talks := make(chan struct{})
	d := newDevice(2, func(m []byte) []byte {
		select {
		case <-talks:
			return reply(m, m[4], m[7:]...)
		default:
			held <- m
			return nil
		}
	})
	l := d.start(t, 10*time.Millisecond)
	for i := range 4 {
		if a, err := l.Call(reply(make([]byte, 7), 9, byte(i))); err != errLate {
			t.Errorf("call %d: % x, %v", i, a, err)
		}
	}
	close(talks)
	l.limit = time.Minute
	for range 2 { // those that have found a slot
		m := <-held
		d.finish(int(binary.LittleEndian.Uint16(m[5:])), reply(m, 9, 99))
	}
	for i := range 10 {
		if a, err := l.Call(reply(make([]byte, 7), 9, byte(i))); err != nil || len(a) != 8 || a[7] != byte(i) {
			t.Errorf("call %d: % x, %v", i, a, err)
		}
	}
}

// FuzzServer has a server that lies, for all that a file system is asked: nothing hangs or dies, and no count is more than was asked for.
func FuzzServer(f *testing.F) {
	f.Add(uint64(1), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add(uint64(2), []byte{200, 3, 0, 0, 7, 1, 1, 9, 9, 255, 255, 255, 255})
	f.Add(uint64(3), []byte{255, 0, 255, 0, 128})
	f.Fuzz(func(t *testing.T, seed uint64, script []byte) {
		var lock sync.Mutex
		r := rand.New(rand.NewPCG(seed, 0))
		next := func() byte {
			if len(script) == 0 {
				return byte(r.Uint32())
			}
			b := script[0]
			script = script[1:]
			return b
		}
		asked := 0
		server := func(m []byte) []byte {
			lock.Lock()
			defer lock.Unlock()
			if asked++; m[4] == 100 || m[4] == 104 {
				return honest(m)
			}
			body := make([]byte, int(next())*int(next()%40))
			for i := range body {
				body[i] = byte(r.Uint32()) & byte(0xff>>(next()%8))
			}
			a := reply(m, m[4]+1, body...)
			switch next() % 12 {
			case 0:
				a[4] = next() // another kind
			case 1:
				a[0] += next() // another length
			case 2:
				a[5]++ // another's
			case 3:
				a = a[:min(len(a), int(next()%12))]
			case 4:
				return reply(m, 7, next(), next()%2, 0, 0)
			case 5:
				return reply(m, 107, append([]byte{next() % 30, 0}, body...)...)
			case 6:
				return honest(m)
			}
			return a
		}
		l := newDevice(4, server).start(t, time.Minute)
		root, err := remote.Attach(l)
		if err != nil {
			t.Fatal(err)
		}
		nodes := []mount.Node{root}
		size := int64(5)
		for range 40 {
			n := nodes[int(next())%len(nodes)]
			var more mount.Node
			var err error
			b := make([]byte, int(next())*3)
			count := 0
			switch next() % 12 {
			case 0, 1:
				more, err = n.(mount.Directory).Lookup("name")
			case 2:
				more, err = n.(mount.Opener).Open(int(next()))
			case 3:
				more, err = n.(mount.Changer).Create("new", 1, 0o600)
			case 4:
				n.Stat()
			case 5:
				n.(mount.Directory).List()
			case 6:
				count, err = n.(interface {
					ReadAt([]byte, int64) (int, error)
				}).ReadAt(b, int64(next()))
			case 7:
				count, err = n.(interface {
					WriteAt([]byte, int64) (int, error)
				}).WriteAt(b, int64(next()))
			case 8:
				n.(mount.Readlinker).Readlink()
			case 9:
				n.(mount.Changer).Mkdir("d", fs.ModeDir|0o700)
			case 10:
				n.(mount.Setter).Set(mount.Change{Size: &size})
			case 11:
				n.(mount.Changer).Rename("a", root, "b")
			}
			if count < 0 || count > len(b) {
				t.Fatalf("%d bytes of %d", count, len(b))
			}
			if err == nil && more != nil {
				nodes = append(nodes, more)
			}
		}
	})
}
