// Share makes eight goroutines. Each counts; main adds up what they counted.
package main

import "fmt"

func worker(n int, results chan<- int) {
	sum := 0
	for i := range n {
		sum += i
	}
	results <- sum
}

func main() {
	results := make(chan int)
	for range 8 {
		go worker(800_000, results)
	}
	total := 0
	for range 8 {
		total += <-results
	}
	fmt.Println("the sum is", total)
}
