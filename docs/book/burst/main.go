// Burst sleeps until every processor is idle. Then it makes six goroutines at once.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

func job(wg *sync.WaitGroup) {
	for range 200 {
		for i := 0; i < 300; i++ {
		}
		runtime.Gosched()
	}
	wg.Done()
}

func main() {
	time.Sleep(5 * time.Millisecond)
	var wg sync.WaitGroup
	wg.Add(6)
	for range 6 {
		go job(&wg)
	}
	wg.Wait()
	fmt.Println("done")
}
