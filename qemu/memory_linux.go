package qemu

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile makes a file that has no name, so that nothing can be left behind,
// and that lies in memory, whatever the size of the host's file systems.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("sched9", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "guest memory"), nil
}

// fdPath is a name by which QEMU can open the inherited descriptor fd.
func fdPath(_ *os.File, fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// dropFile has nothing to do: the file goes with its last user.
func dropFile(*os.File) {}
