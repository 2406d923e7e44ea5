// Entropy reads random numbers as programs do that make keys.
//
// Shows that crypto/rand, getrandom(2) and /dev/urandom have a source that never repeats: another run, on this machine or
// another, gets other numbers. The proof: many goroutines read at once, no block of 16 bytes comes twice, and half of all bits
// are set. Where there is no source, as under -icount, the program is told so in one line, and runs repeat, including their
// output. The argument key only prints the bytes.
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"math/bits"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

func wrong(format string, args ...any) {
	fmt.Printf("entropy: wrong: "+format+"\n", args...)
	os.Exit(1)
}

type block [16]byte

// seen are the blocks that were read, and how many of their bits are set.
type seen struct {
	mu     sync.Mutex
	blocks map[block]bool
	ones   int
}

// add takes what was read, whole blocks.
func (s *seen) add(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; len(p) > 0; p = p[len(block{}):] {
		b := block(p)
		if s.blocks[b] {
			wrong("%x came twice", b)
		}
		s.blocks[b] = true
		for _, c := range b {
			s.ones += bits.OnesCount8(c)
		}
	}
}

// getrandom is the system call.
func getrandom(p []byte, flags uintptr) (int, error) {
	n, _, errno := syscall.Syscall(sysGetrandom, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), flags)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// calls looks at what the system call answers.
func calls(s *seen) {
	b := make([]byte, 3*len(block{}))
	for flags := range uintptr(4) {
		if n, err := getrandom(b, flags); n != len(b) || err != nil {
			wrong("getrandom with flags %d: %d, %v", flags, n, err)
		}
		s.add(b)
	}
	if n, err := getrandom(nil, 0); n != 0 || err != nil {
		wrong("getrandom of nothing: %d, %v", n, err)
	}
	for _, flags := range []uintptr{6, 8} {
		if _, err := getrandom(b, flags); err != syscall.EINVAL {
			wrong("getrandom with flags %d: %v", flags, err)
		}
	}
}

// file reads a device.
func file(s *seen, name string) {
	f, err := os.Open(name)
	if err != nil {
		wrong("%v", err)
	}
	defer f.Close()
	b := make([]byte, 64*len(block{}))
	if _, err := io.ReadFull(f, b); err != nil {
		wrong("%s: %v", name, err)
	}
	s.add(b)
	if st, err := f.Stat(); err != nil || st.Mode()&os.ModeCharDevice == 0 {
		wrong("%s is %v, %v", name, st.Mode(), err)
	}
}

func main() {
	if len(os.Args) > 1 {
		var b block
		rand.Read(b[:])
		fmt.Printf("entropy: %x\n", b)
		return
	}
	s := seen{blocks: map[block]bool{}}
	calls(&s)
	file(&s, "/dev/urandom")
	file(&s, "/dev/random")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			b := make([]byte, 64*len(block{}))
			for i := range 100 {
				n := (g*i%64 + 1) * len(block{})
				rand.Read(b[:n])
				s.add(b[:n])
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	b := make([]byte, 10_000*len(block{}))
	rand.Read(b)
	s.add(b)
	n := len(s.blocks) * len(block{}) * 8
	if d := s.ones - n/2; d < -n/100 || d > n/100 {
		wrong("%d of %d bits are set", s.ones, n)
	}
	fmt.Printf("entropy: %d blocks, all different\n", len(s.blocks))
	fmt.Println("entropy: done")
}
