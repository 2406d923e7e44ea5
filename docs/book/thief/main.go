// Thief makes 16 goroutines on one processor. The other processor has to come and get some.
package main

import (
	"fmt"
	"sync"
)

func job(all *sync.WaitGroup) {
	for i := 0; i < 700_000; i++ {
	}
	all.Done()
}

func main() {
	var all sync.WaitGroup
	all.Add(16)
	for range 16 {
		go job(&all)
	}
	all.Wait()
	fmt.Println("done")
}
