// The stock of two shops in a map with a lock.
package main

import (
	"fmt"
	"os"
	"sync"
)

type stock struct {
	mu sync.Mutex
	n  map[string]int
}

func (s *stock) move(from, to string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n[from] -= n
	s.n[to] += n
}

func (s *stock) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := 0
	for _, n := range s.n {
		sum += n
	}
	return sum
}

func main() {
	s := &stock{n: map[string]int{"north": 50, "south": 50}}
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
