// Debugged is stopped by a debugger where a goroutine works.
package main

import (
	"fmt"
	"sync"
)

// work adds up what comes, and n.
//
//go:noinline
func work(n int, jobs chan int, done *sync.WaitGroup) {
	defer done.Done()
	sum := n
	for j := range jobs {
		sum += j
	}
	fmt.Println("debugged: sum", sum)
}

func main() {
	jobs := make(chan int)
	var done sync.WaitGroup
	done.Add(1)
	go work(1000, jobs, &done)
	for j := range 10 {
		jobs <- j
	}
	close(jobs)
	done.Wait()
}
