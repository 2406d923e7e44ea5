// A pool of two workers that give up when a job has failed. Who hands out the jobs looks for that before each one, but
// then nobody may be left to take it.
package main

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

type pool struct {
	jobs   chan string
	failed atomic.Bool
	sum    atomic.Int64
}

func (p *pool) work() {
	for !p.failed.Load() {
		job, ok := <-p.jobs
		if !ok {
			return
		}
		n, err := strconv.Atoi(job)
		if err != nil {
			p.failed.Store(true)
			continue
		}
		p.sum.Add(int64(n))
	}
}

func main() {
	p := &pool{jobs: make(chan string)}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(p.work)
	}
	for _, job := range []string{"1", "2", "x", "4"} {
		if p.failed.Load() {
			break
		}
		p.jobs <- job
	}
	close(p.jobs)
	wg.Wait()
	fmt.Println("failed:", p.failed.Load())
}
