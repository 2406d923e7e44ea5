// Hang says so, and runs for ever, beside two goroutines that wait for each other. With an argument main faults all the time.
package main

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

var a, b sync.Mutex

// lockBoth takes the mutexes in the order given, as two goroutines must not do that have
// another order each.
func lockBoth(first, second *sync.Mutex) {
	first.Lock()
	time.Sleep(10 * time.Millisecond)
	second.Lock()
}

func main() {
	go lockBoth(&a, &b)
	go lockBoth(&b, &a)
	time.Sleep(50 * time.Millisecond)
	fmt.Println("hang: begins")
	if len(os.Args) > 1 {
		fault()
	}
	spin()
}

func spin() {
	for {
	}
}

// fault has its processor in the handler of page faults nearly all the time.
func fault() {
	const size, page = 64 << 20, 4096
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	for err == nil {
		for i := 0; i < size; i += page {
			mem[i] = 1
		}
		err = syscall.Madvise(mem, syscall.MADV_DONTNEED)
	}
	fmt.Println("hang: wrong:", err)
}
