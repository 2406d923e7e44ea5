package main

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// beside has clients ask over loopback beside endless loops, each client again as soon as it has its answer and has waited for think.
// It says how long the requests took, and how much of a processor's time the loops had together, and the one that had least; and whether
// half of the requests waited for no loop: each loop has a slice before others have their turn.
func beside(url string, clients int, think time.Duration) {
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	ask(&client, url, clients)
	runtime.GC()
	var quit atomic.Bool
	counts := make([]uint64, *endless)
	var loops sync.WaitGroup
	rate := count(&quit, 20*time.Millisecond)
	from := time.Now()
	for i := range counts {
		loops.Go(func() { counts[i] = count(&quit, 0) })
	}
	took := make([][]time.Duration, clients)
	var all sync.WaitGroup
	for i := range took {
		all.Go(func() {
			for range *requests / clients {
				time.Sleep(think)
				at := time.Now()
				r, err := client.Get(url)
				if err == nil {
					_, err = io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
				if err != nil {
					fail(err)
				}
				took[i] = append(took[i], time.Since(at))
			}
		})
	}
	all.Wait()
	whole := time.Since(from)
	quit.Store(true)
	loops.Wait()
	each := slices.Sorted(slices.Values(slices.Concat(took...)))
	sum := uint64(0)
	for _, n := range counts {
		sum += n
	}
	share := func(n uint64) uint64 { return n * 20_000_000 * 100 / rate / uint64(whole) }
	fmt.Printf("netbench: %d clients, a request each %v, beside %d loops: median %d us, slowest %d us, %d requests in %v; loops %d %%, least %d %%\n",
		clients, think, *endless, each[len(each)/2].Microseconds(), each[len(each)-1].Microseconds(), len(each), whole.Round(time.Millisecond), share(sum), share(slices.Min(counts)))
	const slice = 10 * time.Millisecond
	if each[len(each)/2] < slice {
		fmt.Printf("netbench: half of %d clients, a request each %v, waited for no loop\n", clients, think)
	}
}

// count counts until quit is set, or for a while.
func count(quit *atomic.Bool, while time.Duration) (n uint64) {
	for end := time.Now().Add(while); while == 0 || time.Now().Before(end); {
		for range 1 << 16 {
			if quit.Load() {
				return n
			}
			n++
		}
	}
	return n
}
