// Sharing has two goroutines work on two queues, each on its own: nobody waits for anybody. The queues' words stand side by side in one line of
// the cache (adjacent), or each in lines of its own (apart). With two processors, a put or a take of adjacent queues takes the line away from the
// other's cache: false sharing. The instructions are the same, so where instructions are counted nothing of it is seen; it costs time, on
// the host's own caches:
//
//	sched9 compare -icount=false -procs 1,2 -v ./scenarios/compare/sharing
//
// Without -icount each vCPU is a thread of the host, and a word of the guest is one of the host's memory, in a line of the same words. What the
// program prints is of 1,000 puts and takes at a time, so that a host that does other things too disturbs few. It needs
// more idle processors than vCPUs. As a program of the host, by go run, it needs two.
package main

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	turns   = 5    // of each kind, in turn
	batches = 400  // in each
	rounds  = 1000 // in each batch
	line    = 64   // bytes of a cache's line
)

// queue is the head and tail of a ring, as a P has them.
type queue struct{ head, tail atomic.Uint32 }

// lined is a queue with lines of its own.
type lined struct {
	_ [2 * line]byte
	queue
	_ [2 * line]byte
}

var (
	near [line / unsafe.Sizeof(queue{})]queue
	far  [2]lined
)

// fill puts into a queue and takes from it, with the loads and stores that a P's owner does. It adds how long each batch took.
func (q *queue) fill(took *[]time.Duration) {
	for range batches {
		began := time.Now()
		for range rounds {
			if t := q.tail.Load(); t-q.head.Load() < 256 {
				q.tail.Store(t + 1)
			}
			if h := q.head.Load(); h != q.tail.Load() {
				q.head.CompareAndSwap(h, h+1)
			}
		}
		*took = append(*took, time.Since(began))
	}
}

func adjacent(q *queue, took *[]time.Duration, all *sync.WaitGroup) {
	defer all.Done()
	q.fill(took)
}

func apart(q *queue, took *[]time.Duration, all *sync.WaitGroup) {
	defer all.Done()
	q.fill(took)
}

// times are those of the two goroutines of a kind.
type times [2][]time.Duration

// tell prints how long a put and a take took, in half of the batches and in nine of ten.
func (t *times) tell(kind string) {
	all := slices.Concat(t[0], t[1])
	slices.Sort(all)
	each := func(i int) float64 { return float64(all[i].Nanoseconds()) / rounds }
	fmt.Printf("sharing: %-8s a put and a take took at most %.1f ns in half of the batches, %.1f ns in nine of ten\n", kind, each(len(all)/2), each(len(all)*9/10))
}

func main() {
	var all sync.WaitGroup
	// Two neighbours are in one line, unless it ends between them.
	first := 0
	if uintptr(unsafe.Pointer(&near[0]))/line != uintptr(unsafe.Pointer(&near[1]))/line {
		first = 1
	}
	var warm queue
	var together, alone times
	for i := range 2 {
		together[i] = make([]time.Duration, 0, turns*batches)
		alone[i] = make([]time.Duration, 0, turns*batches)
	}
	warm.fill(&together[0]) // QEMU translates the code before it is measured
	together[0] = together[0][:0]
	for range turns {
		for i := range 2 {
			all.Add(1)
			go adjacent(&near[first+i], &together[i], &all)
		}
		all.Wait()
		for i := range 2 {
			all.Add(1)
			go apart(&far[i].queue, &alone[i], &all)
		}
		all.Wait()
	}
	for i, q := range []*queue{&near[first], &near[first+1], &far[0].queue, &far[1].queue} {
		if h, t := q.head.Load(), q.tail.Load(); h != turns*batches*rounds || t != h {
			panic(fmt.Sprintf("sharing: queue %d ends with head %d and tail %d", i, h, t))
		}
	}
	together.tell("adjacent")
	alone.tell("apart")
	fmt.Println("sharing: done")
}
