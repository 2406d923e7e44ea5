// A consumer that goes when the channel of items is closed and empty.
package main

import (
	"fmt"
	"os"
)

const count = 64

func consume(items <-chan int, sum chan<- int) {
	total := 0
	for v := range items {
		total += v
	}
	sum <- total
}

func main() {
	items, sum := make(chan int, count/2), make(chan int)
	go consume(items, sum)
	for range count {
		items <- 1
	}
	close(items)
	if n := <-sum; n != count {
		fmt.Fprintln(os.Stderr, "wrong: consumed", n, "of", count)
		os.Exit(1)
	}
	fmt.Println("consumed", count)
}
