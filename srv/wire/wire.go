// Package wire carries several connections over one stream of bytes. The host's end opens them, the guest's end accepts
// them; both are this package.
//
// A frame is a header of 8 bytes, the number of a connection and a word with the frame's kind in its upper byte, both with the
// lower byte first, and in a data frame its bytes. A sender may send Window bytes of a connection, and then as many as
// the receiver says it has read. So a connection that nobody reads stops no other, and no end keeps more than that.
// An end that breaks these rules breaks the wire: all connections end.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	// Window is how many bytes of a connection are on their way at most.
	Window = 64 << 10
	// MaxConns is how many connections there are at most.
	MaxConns = 64

	maxData    = 8 << 10 // in a frame
	headerSize = 8
)

// Kinds of frames. The lower 24 bits of the word are n.
const (
	kindOpen   = iota // there is a connection of that number; n is 0
	kindData          // n bytes follow
	kindCredit        // n bytes more may be sent
	kindClose         // nothing more comes, and nothing is read; n is 0
)

// Wire is one end. Its methods may be called by several goroutines.
type Wire struct {
	stream io.ReadWriter
	accept func(*Conn) // nil at the end that opens

	out sync.Mutex // guards writing to stream

	lock  sync.Mutex
	conns map[uint32]*Conn // those that both ends have not closed yet
	next  uint32
	err   error // why the wire is broken
}

// Conn is a connection. One goroutine may read and another write.
type Conn struct {
	w  *Wire
	id uint32

	// Guarded by w.lock.
	news   sync.Cond // what follows has changed
	in     []byte    // received and not read
	read   int       // bytes that were read and not given credit for
	credit int       // bytes that may be sent
	shut   bool      // this end has closed it
	told   bool      // and said so
	ended  bool      // the other end has
}

// New makes an end of a wire over stream. accept is called in a goroutine of its own with each connection that the other
// end opens, and has to close it; it is nil at the end that opens. Run does the work.
func New(stream io.ReadWriter, accept func(*Conn)) *Wire {
	return &Wire{stream: stream, accept: accept, conns: map[uint32]*Conn{}}
}

// ErrBroken is Run's error if the other end does not keep to the rules.
var ErrBroken = errors.New("garbage on the wire")

// ErrTooMany is Open's if there are MaxConns connections.
var ErrTooMany = errors.New("too many connections")

// Run reads from the stream until that fails, or the other end breaks the rules, and returns why. All connections then end
// with that error.
func (w *Wire) Run() error {
	err := w.run()
	w.lock.Lock()
	defer w.lock.Unlock()
	w.err = err
	for _, c := range w.conns {
		c.news.Broadcast()
	}
	return err
}

// run is Run without the end. It never writes: two ends that both wait for room in the stream would wait for ever.
func (w *Wire) run() error {
	var header [headerSize]byte
	for {
		if _, err := io.ReadFull(w.stream, header[:]); err != nil {
			return fmt.Errorf("the wire's other end is gone: %w", err)
		}
		id, word := binary.LittleEndian.Uint32(header[:]), binary.LittleEndian.Uint32(header[4:])
		kind, n := word>>24, int(word&(1<<24-1))
		var data []byte
		if kind == kindData {
			if n == 0 || n > maxData {
				return fmt.Errorf("%w: a frame of %d bytes", ErrBroken, n)
			}
			data = make([]byte, n)
			if _, err := io.ReadFull(w.stream, data); err != nil {
				return fmt.Errorf("the wire's other end is gone: %w", err)
			}
		}
		if err := w.heed(id, kind, n, data); err != nil {
			return err
		}
	}
}

// heed does what a frame says.
func (w *Wire) heed(id, kind uint32, n int, data []byte) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	c := w.conns[id]
	// The other end may know of the end of connections that this one has still to take out.
	if kind == kindOpen && n == 0 && c == nil && w.accept != nil && len(w.conns) < 2*MaxConns {
		go w.accept(w.add(id))
		return nil
	}
	if kind == kindOpen || kind > kindClose {
		return fmt.Errorf("%w: kind %d of connection %d", ErrBroken, kind, id)
	}
	if c == nil || c.ended {
		return fmt.Errorf("%w: of connection %d, which is not open", ErrBroken, id)
	}
	switch kind {
	case kindData:
		if len(c.in)+c.read+n > Window {
			return fmt.Errorf("%w: more than %d bytes of connection %d", ErrBroken, Window, id)
		}
		if !c.shut { // else nobody reads them
			c.in = append(c.in, data...)
		}
	case kindCredit:
		if c.credit += n; c.credit > Window {
			return fmt.Errorf("%w: credit for more than %d bytes of connection %d", ErrBroken, Window, id)
		}
	case kindClose:
		c.ended = true
		if c.told {
			delete(w.conns, id)
		}
	}
	c.news.Broadcast()
	return nil
}

// add makes connection id. w.lock is held.
func (w *Wire) add(id uint32) *Conn {
	c := &Conn{w: w, id: id, credit: Window}
	c.news.L = &w.lock
	w.conns[id] = c
	return c
}

// send writes a frame. Nothing but kindClose follows when this end has closed the connection.
func (c *Conn) send(kind uint32, n int, data []byte) error {
	w := c.w
	frame := make([]byte, headerSize, headerSize+len(data))
	binary.LittleEndian.PutUint32(frame, c.id)
	binary.LittleEndian.PutUint32(frame[4:], kind<<24|uint32(n))
	w.out.Lock()
	defer w.out.Unlock()
	w.lock.Lock()
	shut := c.shut && kind != kindClose
	w.lock.Unlock()
	if shut {
		return io.ErrClosedPipe
	}
	_, err := w.stream.Write(append(frame, data...))
	return err
}

// Open opens a connection. The other end may not have accepted it yet.
func (w *Wire) Open() (*Conn, error) {
	w.lock.Lock()
	if w.err != nil || len(w.conns) >= MaxConns {
		defer w.lock.Unlock()
		if w.err != nil {
			return nil, w.err
		}
		return nil, ErrTooMany
	}
	for w.conns[w.next] != nil {
		w.next++
	}
	c := w.add(w.next)
	w.next++
	w.lock.Unlock()
	if err := c.send(kindOpen, 0, nil); err != nil {
		return nil, err
	}
	return c, nil
}

// Read implements io.Reader. It waits for bytes; io.EOF: the other end has closed the connection.
func (c *Conn) Read(b []byte) (n int, err error) {
	c.w.lock.Lock()
	for len(c.in) == 0 && !c.ended && !c.shut && c.w.err == nil {
		c.news.Wait()
	}
	n = copy(b, c.in)
	switch c.in = c.in[n:]; {
	case c.shut:
		n, err = 0, io.ErrClosedPipe
	case n > 0:
	case c.ended:
		err = io.EOF
	default:
		err = c.w.err
	}
	c.read += n
	credit := 0
	if c.read >= Window/2 && !c.ended {
		credit, c.read = c.read, 0
	}
	c.w.lock.Unlock()
	if credit > 0 {
		c.send(kindCredit, credit, nil) // if that fails, so does the next Read
	}
	return n, err
}

// Write implements io.Writer. It waits while the other end does not read.
func (c *Conn) Write(b []byte) (n int, err error) {
	for n < len(b) {
		c.w.lock.Lock()
		for c.credit == 0 && !c.ended && !c.shut && c.w.err == nil {
			c.news.Wait()
		}
		switch {
		case c.w.err != nil:
			err = c.w.err
		case c.ended || c.shut:
			err = io.ErrClosedPipe
		}
		k := min(c.credit, maxData, len(b)-n)
		c.credit -= k
		c.w.lock.Unlock()
		if err == nil {
			err = c.send(kindData, k, b[n:n+k])
		}
		if err != nil {
			return n, err
		}
		n += k
	}
	return n, nil
}

// Close ends the connection for both ends; what waits for it, too. A second call does nothing.
func (c *Conn) Close() error {
	w := c.w
	w.lock.Lock()
	was := c.shut
	c.shut, c.in = true, nil
	c.news.Broadcast()
	w.lock.Unlock()
	if was {
		return nil
	}
	err := c.send(kindClose, 0, nil)
	w.lock.Lock()
	c.told = true
	if c.ended {
		delete(w.conns, c.id)
	}
	w.lock.Unlock()
	return err
}
