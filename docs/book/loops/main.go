// Loops are two goroutines that count, and two that send each other a token.
package main

import (
	"fmt"
	"sync"
)

func count(n int) {
	for i := 0; i < n; i++ {
	}
}

func loop(all *sync.WaitGroup) {
	count(8_000_000)
	all.Done()
}

// player takes a token, works for a moment, and passes it on.
func player(in <-chan int, out chan<- int, all *sync.WaitGroup) {
	for token := range in {
		count(300_000)
		if token == 0 {
			close(out)
			break
		}
		out <- token - 1
	}
	all.Done()
}

func main() {
	var all sync.WaitGroup
	ping, pong := make(chan int), make(chan int)
	all.Add(4)
	go loop(&all)
	go loop(&all)
	go player(ping, pong, &all)
	go player(pong, ping, &all)
	ping <- 30
	all.Wait()
	fmt.Println("done")
}
