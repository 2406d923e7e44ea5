// Package memory gives tests of drivers memory that is no Go variable's. A driver knows memory by addresses that are
// numbers; go test -race lets a number be an address only where no Go variable is.
package memory

import (
	"syscall"
	"testing"
)

// Pages returns n zero bytes, aligned to a page, which are there until the test ends.
func Pages(t testing.TB, n int) []byte {
	t.Helper()
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	return b
}
