// Hang says so, and runs for ever, beside two goroutines that wait for each other.
package main

import (
	"fmt"
	"sync"
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
	spin()
}

func spin() {
	for {
	}
}
