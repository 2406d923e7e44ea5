// Many makes 600 goroutines without a pause, and waits for them.
package main

import (
	"fmt"
	"sync"
)

func small(wg *sync.WaitGroup) { wg.Done() }

func main() {
	var wg sync.WaitGroup
	wg.Add(600)
	for range 600 {
		go small(&wg)
	}
	wg.Wait()
	fmt.Println("all 600 ran")
}
