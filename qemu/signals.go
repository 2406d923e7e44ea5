package qemu

import (
	"fmt"
	"os"
	"syscall"
)

// signals is the way for signals to the guest, a byte each: a socket, because QEMU 7.2 reads from no pipe that it inherits
// but its standard input.
type signals struct {
	inherited
	near *os.File
}

// newSignals makes the pair.
func newSignals() (*signals, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("channel signals: %w", err)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	// A sender never waits: what a guest does not take is lost, when there is a lot of it.
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
		return nil, fmt.Errorf("channel signals: %w", err)
	}
	return &signals{inherited{os.NewFile(uintptr(fds[1]), "signals")}, os.NewFile(uintptr(fds[0]), "signals")}, nil
}

// send sends the guest signal n. An error means that QEMU has ended.
func (s *signals) send(n syscall.Signal) { s.near.Write([]byte{byte(n)}) }

// close ends it. nil does nothing.
func (s *signals) close() {
	if s != nil {
		s.near.Close()
	}
}
