// A consumer that is told by a second channel that it may go. What is left in the first one by then is lost when select
// takes the second.
package main

import (
	"fmt"
	"os"
)

const count = 64

func consume(items <-chan int, quit <-chan struct{}, sum chan<- int) {
	total := 0
	for {
		select {
		case v := <-items:
			total += v
		case <-quit:
			sum <- total
			return
		}
	}
}

func main() {
	items, quit, sum := make(chan int, count/2), make(chan struct{}), make(chan int)
	go consume(items, quit, sum)
	for range count {
		items <- 1
	}
	close(quit)
	if n := <-sum; n != count {
		fmt.Fprintln(os.Stderr, "wrong: consumed", n, "of", count)
		os.Exit(1)
	}
	fmt.Println("consumed", count)
}
