// Stop stops the world while three other goroutines compute.
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
	runtime.ReadMemStats(&m) // stops the world
	fmt.Println("the heap has", m.HeapObjects > 0)
}
