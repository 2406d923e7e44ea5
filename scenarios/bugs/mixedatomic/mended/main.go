// A meter: the reader takes the counter and sets it back in one atomic step.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type meter struct {
	hits  int64
	total int64
}

func (m *meter) hit() {
	atomic.AddInt64(&m.hits, 1)
}

func (m *meter) flush() {
	m.total += atomic.SwapInt64(&m.hits, 0)
}

func main() {
	var m meter
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 10 {
			m.hit()
		}
	})
	wg.Go(func() {
		m.flush()
	})
	wg.Wait()
	m.flush()
	if m.total != 10 {
		fmt.Fprintln(os.Stderr, "wrong: counted", m.total, "of 10")
		os.Exit(1)
	}
	fmt.Println("counted 10")
}
