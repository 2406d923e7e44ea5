// A batch of readings: they are taken until the channel is closed.
package main

import (
	"fmt"
	"os"
)

func produce(readings chan<- int) {
	for i := range 3 {
		readings <- i + 1
	}
	close(readings)
}

func collect(readings <-chan int) int {
	sum := 0
	for v := range readings {
		sum += v
	}
	return sum
}

func main() {
	readings := make(chan int, 3)
	go produce(readings)
	if sum := collect(readings); sum != 6 {
		fmt.Fprintln(os.Stderr, "wrong: the sum is", sum)
		os.Exit(1)
	}
	fmt.Println("sum 6")
}
