// The stock of two shops in a map. One goroutine moves goods between them, another one counts all.
package main

import (
	"fmt"
	"os"
	"sync"
)

type stock map[string]int

func (s stock) move(from, to string, n int) {
	s[from] -= n
	s[to] += n
}

func (s stock) total() int {
	sum := 0
	for _, n := range s {
		sum += n
	}
	return sum
}

func main() {
	s := stock{"north": 50, "south": 50}
	sum := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		s.move("north", "south", 10)
	})
	wg.Go(func() {
		sum = s.total()
	})
	wg.Wait()
	if sum != 100 {
		fmt.Fprintln(os.Stderr, "wrong: counted", sum)
		os.Exit(1)
	}
	fmt.Println("counted 100")
}
