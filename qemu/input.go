package qemu

import (
	"fmt"
	"io"
	"os"
)

// input is the way to the guest's COM1: a pipe whose reading end is QEMU's standard
// input. QEMU takes from it what the guest's port has room for.
type input struct {
	inherited
	near *os.File
}

// newInput makes the pipe.
func newInput() (*input, error) {
	far, near, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("channel stdin: %w", err)
	}
	return &input{inherited{far}, near}, nil
}

// copy moves bytes from r until its end, an error, or QEMU's. The pipe stays open:
// a QEMU whose input ends takes the port for unplugged.
func (in *input) copy(r io.Reader) { io.Copy(in.near, r) }

// close ends copy, unless it waits for its reader. nil does nothing.
func (in *input) close() {
	if in != nil {
		in.near.Close()
	}
}
