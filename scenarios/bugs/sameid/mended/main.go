// Numbers for requests: each is what the addition gives.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

var last atomic.Int64

func next() int64 {
	return last.Add(1)
}

func main() {
	var ids sync.Map
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			id := next()
			if _, taken := ids.LoadOrStore(id, true); taken {
				fmt.Fprintln(os.Stderr, "wrong: two requests are number", id)
				os.Exit(1)
			}
		})
	}
	wg.Wait()
	fmt.Println("4 requests")
}
