// Profile starts and stops the CPU profiler again and again, while other goroutines work.
//
// Shows G4: the goroutine that reads the profiler's buffer waits on a note of the runtime's, and stopping
// the profiler wakes it, whoever has the vCPU. The proof: StopCPUProfile returns only when that goroutine
// has written all, so a wake-up that is lost is a deadlock or a hang, and each profile must be whole: gzip
// data with its checksum, and something in it.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
)

// round makes one profile, which lasts for as long as work does.
func round(i int, work func()) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		fmt.Printf("profile: wrong: round %d: %v\n", i, err)
		os.Exit(1)
	}
	work()
	pprof.StopCPUProfile()
	z, err := gzip.NewReader(&b)
	if err == nil {
		var data []byte
		if data, err = io.ReadAll(z); err == nil && len(data) == 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		fmt.Printf("profile: wrong: round %d is not a profile: %v\n", i, err)
		os.Exit(1)
	}
}

func main() {
	round(0, func() {})
	round(1, func() { time.Sleep(300 * time.Millisecond) }) // the reader sleeps when it is stopped
	fmt.Println("profile: stopped with nothing else awake")

	const rounds = 8
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for n := 0; !stop.Load(); n++ {
				if n%1000 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	for i := range rounds {
		round(2+i, func() { time.Sleep(time.Duration(i) * 10 * time.Millisecond) })
	}
	stop.Store(true)
	wg.Wait()
	fmt.Printf("profile: %d profiles beside loops\n", rounds)
	fmt.Println("profile: done")
}
