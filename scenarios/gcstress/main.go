// Gcstress allocates from many goroutines while the collector runs, and checks that nothing was lost.
//
// Shows [G6] (the scan bit holds a G still), [P4] (gcstop only while the world is stopped), [A4] (a stop reaches every M at
// once) and [U8] (stacks move while they are scanned). The proof: trees, maps and slices hold values with known sums; memory
// that was freed too early, not zeroed, or scanned while it moved gives another sum. Finalizers, cleanups and weak pointers
// show that the collector also frees what it should. Run it with GOGC=5, 100 and off. With the argument "spin", loops without
// calls hold every P during all this, so a stop of the world depends on preemption. With "stops" goroutines stop the world again and again beside the
// collections and the audits.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

const (
	workers = 8
	trees   = 40
	depth   = 9
	forced  = 4
)

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("gcstress: wrong: "+format+"\n", args...)
		os.Exit(1)
	}
}

type node struct {
	left, right *node
	value       uint64
}

func grow(depth int, seed uint64) *node {
	n := &node{value: seed * 0x9e3779b97f4a7c15}
	if depth > 0 {
		n.left, n.right = grow(depth-1, 2*seed), grow(depth-1, 2*seed+1)
	}
	return n
}

func (n *node) sum() uint64 {
	if n == nil {
		return 0
	}
	return n.value ^ (n.left.sum()*3 + n.right.sum()*5)
}

// sum is what the tree of the same depth and seed must give; it allocates nothing.
func sum(depth int, seed uint64) uint64 {
	v := seed * 0x9e3779b97f4a7c15
	if depth > 0 {
		v ^= sum(depth-1, 2*seed)*3 + sum(depth-1, 2*seed+1)*5
	}
	return v
}

// forest builds trees and keeps the last few of them, so that old and new objects point at each other.
func forest(id int) {
	var kept [4]*node
	var seeds [4]uint64
	for i := range trees {
		slot, seed := i%4, uint64(id*trees+i+1)
		if old := kept[slot]; old != nil {
			check(old.sum() == sum(depth, seeds[slot]), "tree %d of worker %d changed", i-4, id)
		}
		kept[slot], seeds[slot] = grow(depth, seed), seed
		// A subtree changes places: the write barrier must see it.
		kept[slot].left, kept[slot].right = kept[slot].right, kept[slot].left
		runtime.Gosched()
		kept[slot].left, kept[slot].right = kept[slot].right, kept[slot].left
	}
}

// index keeps a map that grows and shrinks, with keys and values on the heap.
func index(id int) {
	m := make(map[string]*uint64)
	for i := range 1500 {
		v := uint64(i * id)
		m[strconv.Itoa(i)] = &v
		if i >= 300 {
			delete(m, strconv.Itoa(i-300))
		}
	}
	check(len(m) == 300, "the map of worker %d has %d entries", id, len(m))
	for k, v := range m {
		i, _ := strconv.Atoi(k)
		check(*v == uint64(i*id), "the map of worker %d says %s is %d", id, k, *v)
	}
}

// slabs allocates slices with and without pointers, which must come zeroed.
func slabs(id int) {
	var ring [3][]*uint64
	for i := range 10 {
		plain := make([]uint64, 8<<10+i<<8)
		pointers := make([]*uint64, 4<<10)
		for j := range pointers {
			check(plain[j] == 0 && pointers[j] == nil, "a new slice of worker %d is not zero at %d", id, j)
			plain[j] = uint64(id)<<32 | uint64(j)
			pointers[j] = &plain[j]
		}
		ring[i%3] = pointers // plain lives on through its pointers only
	}
	for _, pointers := range ring {
		for j, p := range pointers {
			check(*p == uint64(id)<<32|uint64(j), "a slice of worker %d has %#x at %d", id, *p, j)
		}
	}
}

// farewell drops half of its objects and waits until the collector has said so of each kind.
func farewell() {
	const n = 200
	type thing struct {
		self *thing
		pad  [6]uint64
	}
	var finalized, cleaned atomic.Int64
	weaks := make([]weak.Pointer[thing], 2*n)
	var kept []*thing
	func() {
		for i := range weaks {
			a, b := new(thing), new(thing)
			runtime.SetFinalizer(a, func(*thing) { finalized.Add(1) })
			runtime.AddCleanup(b, func(by int64) { cleaned.Add(by) }, 1)
			weaks[i] = weak.Make(b)
			if i%2 == 0 {
				kept = append(kept, a, b)
			}
		}
	}()
	gone := func() (count int64) {
		for _, w := range weaks {
			if w.Value() == nil {
				count++
			}
		}
		return count
	}
	// A word on a stack may look like a pointer and keep an object: nine of ten will do.
	for range 50 {
		if min(finalized.Load(), cleaned.Load(), gone()) >= n*9/10 {
			break
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	f, c, g := finalized.Load(), cleaned.Load(), gone()
	fmt.Printf("gcstress: of %d dropped: %d finalized, %d cleaned up, %d weak pointers nil\n", n, f, c, g)
	check(min(f, c, g) >= n*9/10, "the collector does not free what was dropped")
	check(max(f, c, g) <= n, "the collector freed what was kept")
	for i := 0; i < len(weaks); i += 2 {
		check(weaks[i].Value() == kept[i+1], "weak pointer %d lost its object", i)
	}
	runtime.KeepAlive(kept)
}

func main() {
	spin := len(os.Args) > 1 && os.Args[1] == "spin"
	var turns, stop atomic.Int64
	if spin {
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for stop.Load() == 0 {
					turns.Add(1)
				}
			}()
		}
	}
	begin := time.Now()
	var wg sync.WaitGroup
	for id := range workers {
		wg.Go(func() {
			forest(id)
			index(id)
			slabs(id)
		})
	}
	if len(os.Args) > 1 && os.Args[1] == "stops" {
		for range 4 {
			wg.Go(func() {
				var m runtime.MemStats
				for range 200 {
					runtime.ReadMemStats(&m)
				}
			})
		}
	}
	for range forced {
		runtime.GC()
	}
	wg.Wait()
	farewell()
	stop.Store(1)
	took := time.Since(begin)

	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("gcstress: GOGC=%q spin=%t on %d Ps: %d goroutines, %v, %d turns of the loops\n",
		os.Getenv("GOGC"), spin, runtime.GOMAXPROCS(0), workers, took.Round(time.Millisecond), turns.Load())
	fmt.Printf("gcstress: %d collections (%d forced), %d KiB allocated, %d KiB live, stopped for %v\n",
		m.NumGC, m.NumForcedGC, m.TotalAlloc>>10, m.HeapAlloc>>10, time.Duration(m.PauseTotalNs))
	check(m.NumGC >= forced, "only %d collections", m.NumGC)
	fmt.Println("gcstress: done")
}
