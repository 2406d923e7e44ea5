// A batch of readings: what has arrived is taken until the channel is empty, which is not the same as until the end.
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
	sum := <-readings
	for {
		select {
		case v, ok := <-readings:
			if !ok {
				return sum
			}
			sum += v
		default:
			return sum // no more
		}
	}
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
