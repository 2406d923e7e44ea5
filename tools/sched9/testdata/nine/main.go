// Nine computes on all Ps until each loop was killed from outside.
package main

import "fmt"

func main() {
	over := make(chan any)
	for range 2 {
		go spin(over)
	}
	for range 2 {
		fmt.Println("nine:", <-over)
	}
}

// spin computes until it panics, and says why.
func spin(over chan any) {
	defer func() { over <- recover() }()
	for sum := 0; ; sum++ {
		if odd(sum) {
			sum += 2
		}
	}
}

//go:noinline
func odd(n int) bool { return n%2 == 1 }
