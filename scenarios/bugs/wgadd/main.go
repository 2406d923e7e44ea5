// Jobs that are counted by a WaitGroup. Each adds itself when it runs, so Wait may find nothing to wait for.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type jobs struct {
	wg  sync.WaitGroup
	sum atomic.Int64
}

func (j *jobs) run(n int) {
	j.wg.Add(1)
	defer j.wg.Done()
	j.sum.Add(int64(n))
}

func main() {
	var j jobs
	for i := range 4 {
		go j.run(i + 1)
	}
	j.wg.Wait()
	if sum := j.sum.Load(); sum != 10 {
		fmt.Fprintln(os.Stderr, "wrong: the sum is", sum)
		os.Exit(1)
	}
	fmt.Println("sum 10")
}
