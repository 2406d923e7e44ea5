package qemu

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// channel is one of the guest's output channels: a pipe whose writing end QEMU
// inherits, and a goroutine that copies from the reading end to a writer.
//
// A pipe, not a socket, because the guest writes single bytes: a pipe holds
// 64 Ki of them, a socket of the usual size fewer than 300. QEMU blocks the
// guest while a debug port's pipe is full. COM1's state the guest must look at
// itself, as on any PC: a guest that writes without asking for the transmitter
// loses bytes when the host is slow.
type channel struct {
	name string
	near *os.File
	far  *os.File // QEMU's end; nil once QEMU has it
	done chan error
}

// newChannel makes the pipe. Both ends are close-on-exec, so no child but QEMU
// inherits one, and end-of-file comes when QEMU dies.
func newChannel(name string) (*channel, error) {
	near, far, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("channel %s: %w", name, err)
	}
	return &channel{name: name, near: near, far: far, done: make(chan error, 1)}, nil
}

// handedOver closes our copy of QEMU's end, after QEMU has inherited it or
// failed to start.
func (ch *channel) handedOver() {
	if ch.far != nil {
		ch.far.Close()
		ch.far = nil
	}
}

// copyTo starts copying to w until QEMU has closed its end. nil discards.
func (ch *channel) copyTo(w io.Writer) {
	if w == nil {
		w = io.Discard
	}
	go func() { ch.done <- ch.copy(w) }()
}

// copy moves bytes as they come. After an error of w it reads on and discards:
// the guest must not stand still because nobody listens.
func (ch *channel) copy(w io.Writer) error {
	var writeErr error
	buf := make([]byte, 32<<10)
	for {
		n, err := ch.near.Read(buf)
		if n > 0 && writeErr == nil {
			if _, writeErr = w.Write(buf[:n]); writeErr != nil {
				writeErr = fmt.Errorf("the guest's %s could not be written: %w", ch.name, writeErr)
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), writeErr != nil:
			return writeErr
		default:
			return fmt.Errorf("the guest's %s could not be read: %w", ch.name, err)
		}
	}
}

// drain waits until everything QEMU wrote has been copied, at most until
// limit fires, and closes the channel. It is called when QEMU is gone, so only
// a writer that does not return can exceed the limit; its goroutine is then
// left to that writer.
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
		return fmt.Errorf("the guest's %s was not taken by its writer in %v", ch.name, drainLimit)
	}
}
