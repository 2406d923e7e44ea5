package pipe

import (
	"bytes"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// TestOrder writes and reads at random, from just before the counters wrap around, and
// compares with a buffer.
func TestOrder(t *testing.T) {
	m, err := syscall.Mmap(-1, 0, Size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(m)
	var p Pipe
	for i := range p.Pages {
		p.Pages[i] = uintptr(unsafe.Pointer(&m[(i*7%Pages)*pageSize])) // in no order
	}
	p.head = 1<<32 - 3*Size
	p.tail = p.head
	p.Ends = [2]int32{1, 1}
	var want bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	var wrote, full, empty int
	for i := range 20000 {
		n := 1 + r.IntN(3*Atomic)
		if r.IntN(8) < 1+i/500%7 { // more writing, then more reading
			if space := p.Space(n); space == 0 {
				full++
				if Size-want.Len() >= min(n, Atomic+1) {
					t.Fatalf("%d bytes in it, and no room for %d", want.Len(), n)
				}
			} else {
				if n <= Atomic && space != n {
					t.Fatalf("%d of %d bytes have room", space, n)
				}
				wrote += space
				for space > 0 {
					at, k := p.Write(space)
					b := unsafe.Slice((*byte)(unsafe.Pointer(at)), k)
					for i := range b {
						b[i] = byte(r.Uint32())
					}
					want.Write(b)
					p.Add(k)
					space -= k
				}
			}
		} else {
			at, k := p.Read(n)
			if k == 0 {
				empty++
			}
			got := unsafe.Slice((*byte)(unsafe.Pointer(at)), k)
			if !bytes.Equal(got, want.Next(k)) {
				t.Fatal("other bytes are read than were written")
			}
			p.Skip(k)
		}
		if p.Len() != want.Len() || p.Readable() != (want.Len() > 0) || p.Writable() != (Size-want.Len() >= Atomic) {
			t.Fatalf("%d bytes, %d are wanted", p.Len(), want.Len())
		}
	}
	if wrote < 4*Size || full == 0 || empty == 0 {
		t.Errorf("the test is weak: %d bytes, %d times full, %d times empty", wrote, full, empty)
	}
	p.Ends = [2]int32{}
	if !p.Readable() || !p.Writable() {
		t.Error("somebody would wait for an end that is closed")
	}
}
