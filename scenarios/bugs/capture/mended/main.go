// Two goroutines with an err each.
package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

func fetch(name string) error {
	if name == "b" {
		return errors.New("b: not found")
	}
	return nil
}

func main() {
	var wg sync.WaitGroup
	var failed atomic.Int32
	wg.Go(func() {
		err := fetch("a")
		if err != nil {
			failed.Add(1)
		}
	})
	wg.Go(func() {
		err := fetch("b")
		if err != nil {
			failed.Add(1)
		}
	})
	wg.Wait()
	if n := failed.Load(); n != 1 {
		fmt.Fprintln(os.Stderr, "wrong:", n, "failures instead of 1")
		os.Exit(1)
	}
	fmt.Println("1 of 2 failed")
}
