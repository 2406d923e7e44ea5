package fdt

import (
	"os"
	"sync"
	"syscall"
	"testing"
)

// fence is memory followed by an inaccessible page.
var fence struct {
	once sync.Once
	mem  []byte
	size int
}

// guarded returns a copy of data that ends at the inaccessible page: a read behind it crashes.
func guarded(t *testing.T, data []byte) []byte {
	t.Helper()
	fence.once.Do(func() {
		fence.size = 1 << 20
		mem, err := syscall.Mmap(-1, 0, fence.size+os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err == nil {
			err = syscall.Mprotect(mem[fence.size:], syscall.PROT_NONE)
		}
		if err != nil {
			t.Fatal(err)
		}
		fence.mem = mem
	})
	at := fence.mem[fence.size-len(data) : fence.size]
	copy(at, data)
	return at
}
