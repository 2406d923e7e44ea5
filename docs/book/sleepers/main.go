// Sleepers are three goroutines that sleep for different times. Nothing else happens.
package main

import (
	"fmt"
	"sync"
	"time"
)

func sleeper(d time.Duration, wg *sync.WaitGroup) {
	time.Sleep(d)
	fmt.Println("slept for", d)
	wg.Done()
}

func main() {
	var wg sync.WaitGroup
	wg.Add(3)
	for _, d := range []time.Duration{20, 5, 12} {
		go sleeper(d*time.Millisecond, &wg)
	}
	wg.Wait()
}
