// Call makes a system call of 2 ms while three other goroutines wait for its processor.
package main

import (
	"fmt"
	"sync"
	"syscall"
)

func job(wg *sync.WaitGroup) {
	for i := 0; i < 100_000; i++ {
	}
	wg.Done()
}

func main() {
	var wg sync.WaitGroup
	wg.Add(3)
	for range 3 {
		go job(&wg)
	}
	ts := syscall.NsecToTimespec(2_000_000)
	syscall.Nanosleep(&ts, nil) // the kernel keeps this processor for 2 ms
	wg.Wait()
	fmt.Println("done")
}
