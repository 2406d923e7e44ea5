package qemu

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

// echo reads COM1, without interrupts, and writes each byte back to it until it has
// written a point. Between two looks it does something else: QEMU's main loop, which has the next byte, must get the lock
// that each look takes, and on a busy host it did not for seconds.
func echo() []byte {
	received := append(port(portStdout+5), 0xb9, 0, 4, 0, 0, 0xe2, 0xfe, // mov ecx, 1024; loop here
		0xec, 0xa8, 0x01, 0x74, 0xf4) // in al, dx; test al, 1; jz back
	take := append(port(portStdout), 0xec, 0x88, 0xc3)                  // in al, dx; mov bl, al
	give := append(port(portStdout), 0x88, 0xd8, 0xee, 0x80, 0xfb, '.') // mov al, bl; out dx, al; cmp bl, '.'
	code := slices.Concat(received, take, ready(), give)
	return append(code, 0x75, byte(-len(code)-2)) // jne to the beginning
}

// gated is a reader that waits until the guest has said something.
type gated struct {
	io.Reader
	open *signal
}

func (g gated) Read(p []byte) (int, error) {
	<-g.open.c
	return g.Reader.Read(p)
}

// TestInput: everything sent to COM1 arrives, however slow the guest is, and the guest's output
// comes as it does without input.
func TestInput(t *testing.T) {
	want := strings.Repeat("0123456789 abcdefghijklmnopqrstuvwxyz\r\n\x00\x04\xff", 100) + "."
	for _, machine := range Machines("amd64") {
		c := config(t, say(portStderr, "!"), echo(), exit(1))
		c.Machine = machine
		up := newSignal()
		var out bytes.Buffer
		c.Stderr, c.Stdout = up, &out
		c.Serial, c.Input = true, gated{strings.NewReader(want), up}
		run(t, c, Exited)
		if out.String() != want {
			t.Errorf("%s: %d bytes came back of %d: %.80q", machine, out.Len(), len(want), out.String())
		}
	}
}

// TestInputUnread: a run ends whatever its input does: it is not read by the guest, is
// at its end, or never comes.
func TestInputUnread(t *testing.T) {
	for _, in := range []func() io.Reader{
		func() io.Reader { return strings.NewReader(strings.Repeat("x", 1<<20)) },
		func() io.Reader { return strings.NewReader("") },
		func() io.Reader { never, _ := io.Pipe(); return never },
	} {
		for _, serial := range []bool{true, false} {
			c := config(t, say(portStdout, "out"), exit(1))
			var out bytes.Buffer
			// A reader of its own: a Read cannot be ended, so the run before may still be in one.
			c.Stdout, c.Input, c.Serial = &out, in(), serial
			if run(t, c, Exited); out.String() != "out" {
				t.Errorf("the guest wrote %q", out.String())
			}
		}
	}
}
