package qemu

import (
	"fmt"
	"os"
	"syscall"
)

// socket is a way to the guest and back: a socket, because QEMU 7.2 reads from no pipe that it inherits but its standard
// input. That for signals has a byte for each.
type socket struct {
	inherited
	near *os.File
}

// newSocket makes the pair.
func newSocket(name string) (*socket, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("channel %s: %w", name, err)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	// So that close ends what waits.
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
		return nil, fmt.Errorf("channel %s: %w", name, err)
	}
	return &socket{inherited{os.NewFile(uintptr(fds[1]), name)}, os.NewFile(uintptr(fds[0]), name)}, nil
}

// send sends the guest signal n, on the socket that is for signals. An error means that QEMU has ended.
func (s *socket) send(n syscall.Signal) { s.near.Write([]byte{byte(n)}) }

// close ends it. nil does nothing.
func (s *socket) close() {
	if s != nil {
		s.near.Close()
	}
}
