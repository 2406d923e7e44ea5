package qemu

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// Memory is a guest's memory, seen from the host. Physical addresses below the gap that machines
// have for devices, below 4 GiB, are offsets in it. Its maker closes it, after the run.
type Memory struct {
	file *os.File
	mib  int
	data []byte
}

// NewMemory makes the memory of a guest of the given size, as ParseMem reads
// it. All of it is zero, and takes room only where the guest uses it.
func NewMemory(size string) (*Memory, error) {
	mib, err := ParseMem(size)
	if err != nil {
		return nil, err
	}
	m := &Memory{mib: mib}
	if m.file, err = memoryFile(); err != nil {
		return nil, fmt.Errorf("a file for the guest's memory: %w", err)
	}
	if err := m.file.Truncate(int64(mib) << 20); err != nil {
		m.Close()
		return nil, fmt.Errorf("a file for the guest's memory: %w", err)
	}
	m.data, err = syscall.Mmap(int(m.file.Fd()), 0, mib<<20, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("the guest's memory cannot be mapped: %w", err)
	}
	return m, nil
}

// Bytes are the memory as the guest sees it, changing while it runs. They must
// not be used after Close.
func (m *Memory) Bytes() []byte { return m.data }

// Close gives the memory back. QEMU, if it still runs, keeps its own hold.
func (m *Memory) Close() {
	if m.data != nil {
		syscall.Munmap(m.data)
		m.data = nil
	}
	m.file.Close()
	dropFile(m.file)
}

// args are QEMU's arguments for m, which it inherits as descriptor fd.
func (m *Memory) args(fd int) (object, machine string) {
	return "memory-backend-file,id=ram,share=on,size=" + strconv.Itoa(m.mib) + "M,mem-path=" + fdPath(m.file, fd), ",memory-backend=ram"
}
