package qemu

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// channel is one of the guest's output channels: a pipe whose writing end QEMU
// inherits, and a goroutine that copies from the reading end to a writer.
//
// A pipe, not a socket, because the guest may write single bytes: a pipe holds
// 64 Ki of them, a socket of the usual size fewer than 300. When it is full, the guest waits: the
// port of a virtio console keeps what it has, and says so when it has passed it on; a serial port
// is not ready to send; a debug port stops QEMU.
type channel struct {
	inherited
	name string
	near *os.File
	done chan error

	failed func() // is called when the writer has failed, once; may be nil

	inHand atomic.Int64 // bytes that the writer has been given and may not have taken
	moved  atomic.Int64 // bytes that were read
}

// newChannel makes the pipe. Both ends are close-on-exec, so no child but QEMU
// inherits one, and end-of-file comes when QEMU dies.
func newChannel(name string) (*channel, error) {
	near, far, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("channel %s: %w", name, err)
	}
	return &channel{inherited: inherited{far}, name: name, near: near, done: make(chan error, 1)}, nil
}

// blocking makes QEMU wait in a write when the pipe that it has opened is full. By default QEMU
// goes on, and tells the guest later: with counted instructions the guest would go on too, and the
// slower the host reads, the more instructions it would execute. QEMU's end and ours are the same
// open file, and the mode is the file's.
func (ch *channel) blocking() error {
	if ch.far == nil {
		return nil
	}
	if err := syscall.SetNonblock(int(ch.far.Fd()), false); err != nil {
		return fmt.Errorf("channel %s: %w", ch.name, err)
	}
	return nil
}

// copyTo starts copying to w until QEMU has closed its end. nil discards.
func (ch *channel) copyTo(w io.Writer) {
	if w == nil {
		w = io.Discard
	}
	go func() { ch.done <- ch.copy(w) }()
}

// copy moves bytes as they come. After an error of w it reports that, reads on and drops the rest:
// QEMU must be able to end, even without a reader.
func (ch *channel) copy(w io.Writer) error {
	var failed error
	dropped := 0
	buf := make([]byte, 64<<10)
	for {
		n, err := ch.near.Read(buf)
		ch.moved.Add(int64(n))
		if failed == nil && n > 0 {
			ch.inHand.Store(int64(n))
			k, werr := w.Write(buf[:n])
			ch.inHand.Store(0)
			n, failed = n-k, werr
			if failed != nil && ch.failed != nil {
				ch.failed()
			}
		}
		if failed != nil {
			dropped += n
		}
		switch {
		case err == nil:
		case failed != nil:
			return fmt.Errorf("the guest's %s could not be written: %w; %d bytes were dropped", ch.name, failed, dropped)
		case errors.Is(err, io.EOF):
			return nil
		default:
			return fmt.Errorf("the guest's %s could not be read: %w", ch.name, err)
		}
	}
}

// drain waits until everything QEMU wrote has been copied, at most until limit fires, and closes
// the channel. It is called when QEMU is gone, so it exceeds the limit only if a writer does not
// return; the copying goroutine is then left to that writer.
func (ch *channel) drain(limit <-chan time.Time) error {
	defer ch.near.Close()
	select {
	case err := <-ch.done:
		return err
	default:
	}
	select {
	case err := <-ch.done:
		return err
	case <-limit:
	}
	// QEMU has closed its end, or is beyond help.
	ch.near.SetReadDeadline(time.Now().Add(askLimit))
	left, _ := io.Copy(io.Discard, ch.near)
	return fmt.Errorf("the guest's %s was not taken by its writer in %v: up to %d bytes were dropped",
		ch.name, drainLimit, left+ch.inHand.Load())
}
