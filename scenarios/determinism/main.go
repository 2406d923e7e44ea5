// Determinism mixes everything whose order the scheduler decides, and prints that order.
//
// Shows that under -icount the same image and options give the same run: preemption [U5], stealing [R10],
// wake-up order, select, timers [T1], the lock's queue and the collector all affect the output, as orders and
// hashes of orders, never as durations. One run proves only that the sums are right. Ten runs compared byte for
// byte prove the rule: one racy read of a clock, one interrupt at another instruction, one seed from outside
// would show. On Linux the orders differ from run to run; the sums do not.
package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("determinism: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}

// A log is an order of events. Printed whole when short, else as a hash.
type log struct {
	mu     sync.Mutex
	events []int
}

func (l *log) add(event int) {
	l.mu.Lock()
	l.events = append(l.events, event)
	l.mu.Unlock()
}

func (l *log) print(what string) {
	if len(l.events) <= 32 {
		fmt.Printf("determinism: %s: %v\n", what, l.events)
		return
	}
	h := fnv.New64a()
	for _, e := range l.events {
		h.Write([]byte{byte(e), byte(e >> 8)})
	}
	fmt.Printf("determinism: %s: %d events, order %016x\n", what, len(l.events), h.Sum64())
}

// work makes no calls and takes about steps instructions times six.
func work(seed uint64, steps int) uint64 {
	x := seed*2 + 1
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// race lets workers of different length run against each other; most last longer than a time slice.
func race() {
	const n = 9
	var finish log
	var sum atomic.Uint64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			sum.Add(work(uint64(i), 400_000+i*7%n*300_000))
			finish.add(i)
		})
	}
	wg.Wait()
	finish.print("finish of the race")
	fmt.Printf("determinism: sum of the race: %016x\n", sum.Load())
}

// spin counts turns of loops until a timer stops them: how far each came is the scheduler's doing.
func spin() {
	var stop atomic.Bool
	var turns [3]int
	var wg sync.WaitGroup
	for i := range turns {
		wg.Go(func() {
			for !stop.Load() {
				turns[i]++
			}
		})
	}
	time.Sleep(25 * time.Millisecond)
	stop.Store(true)
	wg.Wait()
	fmt.Printf("determinism: turns until a timer: %v\n", turns)
}

func channels() {
	c := make(chan int, 4)
	var order log
	var wg, done sync.WaitGroup
	sum := 0
	for p := range 4 {
		wg.Go(func() {
			for i := range 100 {
				c <- p*100 + i
			}
		})
	}
	var mu sync.Mutex
	for range 3 {
		done.Go(func() {
			for v := range c {
				order.add(v)
				mu.Lock()
				sum += v
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	close(c)
	done.Wait()
	order.print("arrival at the consumers")
	check(sum == 399*400/2, "sum %d", sum)
}

func lockOrder() {
	var mu sync.Mutex
	var holders log
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				mu.Lock()
				holders.add(i)
				runtime.Gosched()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	holders.print("holders of the lock")
}

func sleepers() {
	var woke log
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			time.Sleep(time.Duration(1+i*5%16) * time.Millisecond)
			woke.add(i)
		})
	}
	wg.Wait()
	woke.print("sleepers woke")
}

// chance is what the runtime's own random numbers decide.
func chance() {
	var picks, keys log
	ready := make(chan int)
	close(ready)
	m := make(map[int]bool)
	for i := range 20 {
		m[i] = true
		select {
		case <-ready:
			picks.add(0)
		case <-ready:
			picks.add(1)
		case <-ready:
			picks.add(2)
		}
	}
	for k := range m {
		keys.add(k)
	}
	picks.print("choices of select")
	keys.print("order of a map")
	fmt.Printf("determinism: a random number: %016x\n", rand.Uint64())
}

func garbage() {
	var wg sync.WaitGroup
	var bytes atomic.Int64
	for i := range 4 {
		wg.Go(func() {
			var kept []string
			for j := range 300 {
				kept = append(kept, strings.Repeat("x", i+j))
				if j%100 == 99 {
					runtime.GC()
				}
			}
			for _, s := range kept {
				bytes.Add(int64(len(s)))
			}
		})
	}
	wg.Wait()
	check(bytes.Load() == 4*300*299/2+300*6, "%d bytes", bytes.Load())
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("determinism: collections: %d\n", m.NumGC)
}

func main() {
	fmt.Printf("determinism: %d Ps\n", runtime.GOMAXPROCS(0))
	race()
	spin()
	channels()
	lockOrder()
	sleepers()
	chance()
	garbage()
	fmt.Println("determinism: done")
}
