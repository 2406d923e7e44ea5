package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"testing"
)

// pair makes a wire whose far end accepts by accept. ended has the reason of each end's Run.
func pair(t *testing.T, accept func(*Conn)) (near *Wire, ended chan error) {
	t.Helper()
	a, b := net.Pipe()
	t.Cleanup(func() { a.Close(); b.Close() })
	near, far := New(a, nil), New(b, accept)
	ended = make(chan error, 2)
	go func() { ended <- near.Run() }()
	go func() { ended <- far.Run() }()
	return near, ended
}

// echo sends back what comes, until the end.
func echo(c *Conn) {
	defer c.Close()
	io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{c})
}

func TestEcho(t *testing.T) {
	near, _ := pair(t, echo)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			c, err := near.Open()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			r := rand.New(rand.NewPCG(1, uint64(i)))
			sent := make([]byte, r.IntN(4*Window))
			for i := range sent {
				sent[i] = byte(r.Uint32())
			}
			go c.Write(sent)
			got := make([]byte, len(sent))
			if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, sent) {
				t.Errorf("connection %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// TestUnread: a connection that nobody reads stops its writer, and no other connection.
func TestUnread(t *testing.T) {
	first := make(chan *Conn, 1)
	near, _ := pair(t, func(c *Conn) {
		select {
		case first <- c: // is not read
		default:
			echo(c)
		}
	})
	stuck, err := near.Open()
	if err != nil {
		t.Fatal(err)
	}
	accepted := <-first
	written := make(chan int)
	go func() {
		n, _ := stuck.Write(make([]byte, 3*Window))
		written <- n
	}()
	first <- nil // the next one is echoed
	other, err := near.Open()
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := other.Write([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		var b [5]byte
		if _, err := io.ReadFull(other, b[:]); err != nil || string(b[:]) != "hello" {
			t.Fatalf("%q, %v", b, err)
		}
	}
	for waits := false; !waits; runtime.Gosched() {
		near.lock.Lock()
		waits = stuck.credit == 0
		near.lock.Unlock()
	}
	accepted.Close()
	if n := <-written; n != Window {
		t.Errorf("%d bytes were written that nobody read, and the window is %d", n, Window)
	}
}

// TestClose: what waits for a connection ends with it, and its number is free.
func TestClose(t *testing.T) {
	near, _ := pair(t, func(c *Conn) { c.Close() })
	for range 3 * MaxConns {
		var c *Conn
		var err error
		for {
			if c, err = near.Open(); !errors.Is(err, ErrTooMany) {
				break
			}
			runtime.Gosched() // until an earlier one is gone
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); err != io.EOF {
			t.Fatalf("Read: %v", err)
		}
		if _, err := c.Write(make([]byte, 2*Window)); err != io.ErrClosedPipe {
			t.Fatalf("Write: %v", err)
		}
		c.Close()
		if _, err := c.Read(make([]byte, 1)); err != io.ErrClosedPipe {
			t.Fatalf("Read after Close: %v", err)
		}
	}
}

func TestTooMany(t *testing.T) {
	near, _ := pair(t, echo)
	for range MaxConns {
		if _, err := near.Open(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := near.Open(); err != ErrTooMany {
		t.Errorf("one more: %v", err)
	}
}

// frame is a frame.
func frame(id, kind uint32, n int, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, id)
	return append(binary.LittleEndian.AppendUint32(b, kind<<24|uint32(n)), data...)
}

// TestGarbage: whatever breaks the rules breaks the wire, and all that waits on it.
func TestGarbage(t *testing.T) {
	for name, bytes := range map[string][]byte{
		"unknown kind":         frame(0, 9, 0),
		"opened by the guest":  frame(7, kindOpen, 0),
		"opened twice":         frame(0, kindOpen, 0),
		"data of none":         frame(7, kindData, 1, 'x'),
		"credit of none":       frame(7, kindCredit, 1),
		"closed twice":         append(frame(0, kindClose, 0), frame(0, kindClose, 0)...),
		"too much credit":      frame(0, kindCredit, Window+1),
		"an empty frame":       frame(0, kindData, 0),
		"a frame too long":     frame(0, kindData, maxData+1),
		"more than the window": floods(),
	} {
		t.Run(name, func(t *testing.T) {
			a, b := net.Pipe()
			defer b.Close()
			near := New(a, nil)
			go io.CopyN(io.Discard, b, headerSize)
			c, err := near.Open()
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- near.Run(); a.Close() }()
			waits := make(chan error, 1)
			go func() {
				_, err := c.Write(make([]byte, 2*Window))
				waits <- err
			}()
			go io.Copy(io.Discard, b)
			b.Write(bytes)
			if err := <-ended; !errors.Is(err, ErrBroken) {
				t.Errorf("Run: %v", err)
			}
			if err := <-waits; err == nil {
				t.Error("a write succeeded")
			}
			if _, err := near.Open(); !errors.Is(err, ErrBroken) {
				t.Errorf("Open: %v", err)
			}
		})
	}
}

// floods are more data than a window has.
func floods() (b []byte) {
	for range Window/maxData + 1 {
		b = append(b, frame(0, kindData, maxData, make([]byte, maxData)...)...)
	}
	return b
}

func TestGone(t *testing.T) {
	a, b := net.Pipe()
	near := New(a, nil)
	ended := make(chan error, 1)
	go func() { ended <- near.Run() }()
	go io.CopyN(io.Discard, b, headerSize)
	c, err := near.Open()
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || err == io.EOF {
		t.Errorf("Read: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("Run ended without a reason")
	}
}

// FuzzFrames: whatever comes, an end ends when the stream does, and so does what it accepted.
func FuzzFrames(f *testing.F) {
	f.Add(frame(0, kindOpen, 0))
	f.Add(append(frame(0, kindOpen, 0), frame(0, kindData, 3, 1, 2, 3)...))
	f.Add(append(frame(0, kindOpen, 0), frame(0, kindClose, 0)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		over := make(chan struct{}, len(data)/headerSize)
		w := New(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(data), io.Discard}, func(c *Conn) {
			echo(c)
			over <- struct{}{}
		})
		if w.Run() == nil {
			t.Error("it ended without a reason")
		}
		w.lock.Lock()
		left := len(w.conns)
		w.lock.Unlock()
		for range left { // at least as many were accepted
			<-over
		}
	})
}
