// Stop has two goroutines that compute for ever. After 30 ms main stops the world.
package main

import (
	"fmt"
	"runtime"
	"time"
)

func loop() {
	for {
	}
}

func main() {
	for range 2 {
		go loop()
	}
	time.Sleep(30 * time.Millisecond)
	var m runtime.MemStats
	runtime.ReadMemStats(&m) // needs numbers that belong together, so it stops the world
	fmt.Println("garbage was collected", m.NumGC, "times")
}
