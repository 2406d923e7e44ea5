// A vote of three replicas, one of which has two votes. The channel has room for each of them.
package main

import "fmt"

const enough = 2

func replica(weight int, votes chan<- int) {
	votes <- weight
}

func decide(weights []int) int {
	votes := make(chan int, len(weights))
	for _, w := range weights {
		go replica(w, votes)
	}
	sum := 0
	for sum < enough {
		sum += <-votes
	}
	return sum
}

func main() {
	if decide([]int{2, 1, 1}) >= enough {
		fmt.Println("decided")
	}
}
