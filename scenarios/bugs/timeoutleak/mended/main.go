// A question with a time limit. There is room for an answer that comes too late.
package main

import (
	"fmt"
	"time"
)

func answer() int {
	time.Sleep(time.Millisecond) // as long as the server takes
	return 42
}

func ask(limit time.Duration) (int, bool) {
	c := make(chan int, 1)
	go func() {
		c <- answer()
	}()
	select {
	case n := <-c:
		return n, true
	case <-time.After(limit):
		return 0, false
	}
}

func main() {
	if n, ok := ask(1100 * time.Microsecond); ok && n != 42 {
		panic("another answer")
	}
	fmt.Println("asked")
}
