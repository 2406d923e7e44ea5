// X2apic asks each processor for its APIC's mode and id, by instructions of the kernel's privilege, and prints them.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

// base returns the register IA32_APIC_BASE; id that of x2APIC mode with the processor's id, which is a fault in any other.
func base() uint64
func id() uint64

func main() {
	const wide = 1 << 10
	n := runtime.GOMAXPROCS(0)
	var all, seen sync.WaitGroup
	all.Add(n)
	ids := make([]uint64, n)
	for i := range n {
		seen.Go(func() {
			runtime.LockOSThread() // the others have processors of their own until all are here
			all.Done()
			all.Wait()
			ids[i] = 1 << 32
			if base()&wide != 0 {
				ids[i] = id()
			}
		})
	}
	seen.Wait()
	sum := uint64(0)
	for _, id := range ids {
		sum += 1 << id
	}
	fmt.Printf("x2apic: %d processors, ids %#x\n", n, sum)
}
