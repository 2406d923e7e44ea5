// Order makes five goroutines, one after another. Each says its number.
package main

import (
	"fmt"
	"sync"
)

func say(n int, wg *sync.WaitGroup) {
	fmt.Print(n, " ")
	wg.Done()
}

func main() {
	var wg sync.WaitGroup
	wg.Add(5)
	for n := range 5 {
		go say(n+1, &wg)
	}
	wg.Wait()
	fmt.Println()
}
