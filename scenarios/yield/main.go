// Yield makes 1,000 goroutines give way to each other, and counts their turns.
//
// Shows [U4] (a G that yields starves none), [U2, R8] (the global queue has its turn) and [R11] (two kinds of Gs live in
// runnext and cannot starve the ring: a ping-pong pair, and a G that waits again and again for a timer which is due before
// its P looks for another G). The proof: every goroutine adds one to its counter and yields; if the order were not fair,
// some counter would fall behind the others. On one P the spread (most turns minus least) is checked at four moments:
// yielding Gs go through the global queue in order, so only the turns out of order that every 61st schedtick gives may add
// to it. On several Ps a slow vCPU may hold its Gs back, so there the spread is printed and only the end is checked.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	yielders = 1000
	turns    = 80
	bound    = 12 // of the spread on one P; a fair queue shows 1 to 4
)

var count [yielders]atomic.Int32

// spread returns the least and the most turns that any goroutine has had.
func spread() (least, most int32) {
	least, most = count[0].Load(), count[0].Load()
	for i := range count {
		n := count[i].Load()
		least, most = min(least, n), max(most, n)
	}
	return least, most
}

func main() {
	procs := runtime.GOMAXPROCS(0)
	start := make(chan bool)
	var wg sync.WaitGroup
	for i := range yielders {
		wg.Go(func() {
			<-start
			for range turns {
				count[i].Add(1)
				runtime.Gosched()
			}
		})
	}
	close(start)

	// main yields among them; whenever the first goroutine has had another fifth of its turns, it looks.
	for moment := 1; moment <= 4; moment++ {
		for int(count[0].Load()) < moment*turns/5 {
			runtime.Gosched()
		}
		least, most := spread()
		fmt.Printf("yield: moment %d: least %d turns, most %d, spread %d\n", moment, least, most, most-least)
		if procs == 1 && most-least > bound {
			fmt.Printf("yield: wrong: on one P the spread is more than %d\n", bound)
			os.Exit(1)
		}
	}
	wg.Wait()
	if least, most := spread(); least != turns || most != turns {
		fmt.Printf("yield: wrong: at the end least %d, most %d, not %d\n", least, most, turns)
		os.Exit(1)
	}
	fmt.Printf("yield: all %d goroutines had %d turns on %d Ps\n", yielders, turns, procs)
	besideTimers(procs)
	besidePingPong(procs)
	fmt.Println("yield: done")
}

// besideTimers runs goroutines that wait for timers of a microsecond, one for each P, and main gives way beside
// them. Nearly every tick then strikes in the scheduler, where there is no goroutine to preempt.
func besideTimers(procs int) {
	var stop atomic.Bool
	var waits atomic.Int64
	var wg sync.WaitGroup
	for range procs {
		wg.Go(func() {
			for !stop.Load() {
				<-time.After(time.Microsecond)
				waits.Add(1)
			}
		})
	}
	for range 4 {
		runtime.Gosched()
	}
	stop.Store(true)
	wg.Wait()
	fmt.Printf("yield: main took 4 turns beside %d goroutines that wait for timers, %d times\n", procs, waits.Load())
}

// besidePingPong runs pairs that wake each other for ever, one for each P, and wants the others to get on.
func besidePingPong(procs int) {
	var volleys atomic.Int64
	for range procs {
		ball := make(chan int)
		go func() {
			for {
				ball <- <-ball + 1
			}
		}()
		go func() {
			for n := 0; ; n = <-ball {
				ball <- n
				volleys.Add(1)
			}
		}()
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 2 {
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	for volleys.Load() == 0 {
		runtime.Gosched()
	}
	fmt.Printf("yield: 20 goroutines took 2 turns beside %d ping-pong pairs, which made %d volleys\n", procs, volleys.Load())
}
