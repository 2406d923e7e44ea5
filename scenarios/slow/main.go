// Slow makes system calls that hold their vCPU, while other goroutines go on.
//
// Shows [M4] and [S1]: a polled device keeps an M busy, and its P is given to another M, so that other
// goroutines run. Where there is a spare vCPU the proof is that the program ends: with GOMAXPROCS=1 the only P
// is in the call, and the call is made again and again until, during one of them, another goroutine has run, a
// timer has fired and a collection was made. On one vCPU nothing else can run during a call; there it shows
// that the call ends, and that all waiting goroutines run then.
//
// Then no M is spare: every vCPU but one runs a loop that never waits, and the last makes calls. A goroutine
// queued behind such a call, on its P, has its turn among the loops while the call lasts [U2], and so has a
// goroutine that waits for a timer.
//
// The device is /dev/delay, which takes a microsecond for a byte, or the file that the first argument names;
// the second argument is how many bytes are read at once.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var (
	name  = "/dev/delay"
	bytes = 20_000
)

func wrong(format string, args ...any) {
	fmt.Printf("slow: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// hold makes one call that holds its vCPU, from the file's beginning.
func hold(f *os.File, b []byte) time.Duration {
	begin := time.Now()
	if n, err := f.ReadAt(b, 0); err != nil || n != len(b) {
		wrong("%s gave %d bytes, %v", name, n, err)
	}
	return time.Since(begin)
}

// until makes calls until what happened in the middle of one, and says how many it
// took. Where nothing can, a few are made.
func until(f *os.File, what string, happened func() int64) {
	b := make([]byte, bytes)
	for calls := 1; ; calls++ {
		before := happened()
		took := hold(f, b)
		if happened() != before {
			fmt.Printf("slow: %s while call %d, of %v, held its vCPU\n", what, calls, took)
			return
		}
		if runtime.NumCPU() == 1 && calls == 3 {
			fmt.Printf("slow: %d calls on one vCPU, the last of %v\n", calls, took)
			return
		}
		runtime.Gosched() // where the P came back to us, others had none
	}
}

// behind makes calls, while all other vCPUs run loops, until a goroutine that was queued behind a
// call has run during it; and until a timer that was set before a call has fired during it.
func behind(f *os.File) {
	var stop atomic.Bool
	var loops sync.WaitGroup
	var started atomic.Int32
	for range runtime.GOMAXPROCS(0) - 1 {
		loops.Go(func() {
			started.Add(1)
			for !stop.Load() {
			}
		})
	}
	for int(started.Load()) < runtime.GOMAXPROCS(0)-1 {
		runtime.Gosched()
	}
	var ran, fired atomic.Int64
	queued := func() { ran.Add(1) }
	until(f, "a goroutine behind it ran", func() int64 {
		before := ran.Load()
		go queued()
		return before
	})
	timer := time.AfterFunc(time.Hour, func() { fired.Add(1) })
	until(f, "a timer behind it fired", func() int64 {
		before := fired.Load()
		timer.Reset(time.Millisecond)
		return before
	})
	timer.Stop()
	stop.Store(true)
	loops.Wait()
}

func main() {
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if len(os.Args) > 2 {
		bytes, _ = strconv.Atoi(os.Args[2])
	}
	f, err := os.Open(name)
	if err != nil {
		wrong("%v", err)
	}
	if name == "/dev/delay" {
		b := make([]byte, 3000)
		b[0], b[len(b)-1] = 1, 1
		if took := hold(f, b); took < 3*time.Millisecond || b[0] != 0 || b[len(b)-1] != 0 {
			wrong("3000 bytes took %v", took)
		}
	}

	stop := make(chan struct{})
	var wg sync.WaitGroup
	var turns, sleeps, collections atomic.Int64
	each := func(n *atomic.Int64, step func()) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					step()
					n.Add(1)
				}
			}
		})
	}
	each(&turns, runtime.Gosched)
	until(f, "another goroutine ran", turns.Load)
	each(&sleeps, func() { time.Sleep(time.Millisecond) })
	until(f, "a timer fired", sleeps.Load)
	each(&collections, runtime.GC)
	until(f, "the collector finished", collections.Load)

	// More of them at once than there are vCPUs: then all wait for the devices, and go on when they
	// are done.
	var holders sync.WaitGroup
	begin := time.Now()
	for range 2 * runtime.NumCPU() {
		holders.Go(func() {
			b := make([]byte, bytes)
			for range 3 {
				hold(f, b)
			}
		})
	}
	holders.Wait()
	fmt.Printf("slow: %d goroutines made 3 calls each in %v\n", 2*runtime.NumCPU(), time.Since(begin))
	close(stop)
	wg.Wait()
	behind(f)
	fmt.Println("slow: done")
}
