package main

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"weak"
)

// Blocks that concern the whole program: collections, threads, Ps, profiles, endless loops.
func init() {
	register(map[string]block{
		"collect":  {most: []int{4}, subs: 1, rare: 8, make: collect},
		"cleanups": {most: []int{30}, subs: 1, rare: 6, make: cleanups},
		"weak":     {most: []int{30}, subs: 1, rare: 6, make: weaks},
		"garbage":  {most: []int{40}, subs: 1, make: garbage},
		"locked":   {most: []int{6}, subs: 1, rare: 30, make: locked},
		"thread":   {most: []int{1}, subs: 1, rare: 30, make: thread},
		"procs":    {most: []int{10}, subs: 1, rare: 6, make: procs},
		"loops":    {most: []int{3}, subs: 1, rare: 1, make: loops},
		"stacks":   {most: []int{3, 30}, subs: 1, rare: 3, make: stacks},
		"calls":    {most: []int{100, 4}, subs: 1, rare: 20, make: calls},
		"naps":     {most: []int{10, 100}, subs: 1, rare: 6, make: naps},
	})
}

// beside runs f while the others run until it has ended.
func beside(x uint64, f fn, others ...func(done *atomic.Bool)) uint64 {
	var done atomic.Bool
	var wg sync.WaitGroup
	for _, o := range others {
		wg.Go(func() { o(&done) })
	}
	r := f(x)
	done.Store(true)
	wg.Wait()
	return r
}

// collect collects beside f.
func collect(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		return beside(x, f[0], func(*atomic.Bool) {
			for i := range n[0] {
				if i%3 == 2 {
					debug.FreeOSMemory()
				} else {
					runtime.GC()
				}
			}
		})
	}
}

// eventually waits for cond, with collections in between.
func eventually(what string, cond func() bool) {
	for i := 0; !cond(); i++ {
		if i == 2000 {
			wrong("%s: never", what)
			return
		}
		runtime.GC()
		time.Sleep(us(min(i, 20) * 50))
	}
}

// cleanups drops objects with finalizers and cleanups, and waits for all of them.
func cleanups(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var gone atomic.Int64
		var s sum
		func() {
			for i := range n[0] {
				o := &leaf{v: x + uint64(i), text: "object"}
				if i%2 == 0 {
					runtime.SetFinalizer(o, func(o *leaf) { s.add(o.v); gone.Add(1) })
				} else {
					runtime.AddCleanup(o, func(v uint64) { s.add(v); gone.Add(1) }, o.v)
				}
			}
		}()
		r := f[0](x)
		eventually("cleanups", func() bool { return gone.Load() == int64(n[0]) })
		return r + s.Load()
	}
}

// weaks has weak pointers to kept and to dropped objects.
func weaks(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var kept []*leaf
		var to, gone []weak.Pointer[leaf]
		for i := range n[0] {
			o := &leaf{v: x + uint64(i), text: "object"}
			if i%2 == 0 {
				kept = append(kept, o)
				to = append(to, weak.Make(o))
			} else {
				gone = append(gone, weak.Make(o))
			}
		}
		r := f[0](x)
		runtime.GC()
		for i, p := range to {
			if p.Value() != kept[i] {
				wrong("weak: a pointer to an object that is kept is another")
			}
			r += kept[i].v
		}
		runtime.KeepAlive(kept)
		eventually("weak", func() bool {
			for _, p := range gone {
				if p.Value() != nil {
					return false
				}
			}
			return true
		})
		return r
	}
}

// garbage makes some while f runs, and keeps a part.
func garbage(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		keep := make([]*leaf, 8)
		return beside(x, f[0], func(*atomic.Bool) {
			for i := range n[0] {
				keep[i%8] = tree(x, 5)
			}
			for _, t := range keep {
				if t != nil && t.sum() != tree(x, 5).sum() {
					wrong("garbage: a tree changed")
				}
			}
		})
	}
}

// locked has goroutines that are tied to their threads hand numbers to each other.
func locked(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		in := make(chan uint64)
		out := in
		for i := range n[0] {
			from, to := out, make(chan uint64)
			go func() {
				runtime.LockOSThread()
				id := syscall.Gettid()
				for v := range from {
					if syscall.Gettid() != id {
						wrong("locked: a goroutine changed its thread")
					}
					to <- v + 1
				}
				close(to)
				if i%2 == 0 {
					runtime.UnlockOSThread() // else the thread ends with it
				}
			}()
			out = to
		}
		r := x
		for range 5 {
			in <- r
			r = <-out
		}
		r = f[0](r)
		close(in)
		<-out
		return r
	}
}

// thread calls f on a goroutine that is tied to its thread.
func thread(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		c := make(chan uint64)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			c <- f[0](x)
		}()
		return <-c
	}
}

// procsLock is held by the block that has changed the number of Ps.
var procsLock sync.Mutex

// procs changes the number of Ps beside f.
func procs(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		return beside(x, f[0], func(*atomic.Bool) {
			procsLock.Lock()
			defer procsLock.Unlock()
			before := runtime.GOMAXPROCS(0)
			for i := range n[0] {
				runtime.GOMAXPROCS(1 + i%before)
				runtime.Gosched()
			}
			runtime.GOMAXPROCS(before)
		})
	}
}

// loops runs endless loops without calls beside f, integers and floats.
func loops(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var others []func(*atomic.Bool)
		for i := range n[0] {
			others = append(others, func(done *atomic.Bool) {
				a, b := 0.5, uint64(x)
				for !done.Load() {
					if i%2 == 0 {
						b = b<<1 ^ b>>3
						continue
					}
					for range 1000 { // chaotic: one lost bit changes all that follow
						a = float64(float64(3.99*a) * float64(1-a))
					}
					if a < 0 || a > 1 {
						wrong("loops: %v", a)
					}
				}
			})
		}
		return beside(x, f[0], others...)
	}
}

// stacks takes profiles and stacks of all goroutines beside f, among which many wait.
func stacks(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		gate := make(chan bool)
		var wg sync.WaitGroup
		for range n[1] {
			wg.Go(func() {
				select {
				case <-gate:
				case <-time.After(time.Hour):
				}
			})
		}
		r := beside(x, f[0], func(*atomic.Bool) {
			for range n[0] {
				var b bytes.Buffer
				pprof.Lookup("goroutine").WriteTo(&b, 1)
				if !strings.Contains(b.String(), "main.stacks") {
					wrong("stacks: a profile without its maker")
				}
				buf := make([]byte, 1<<16)
				if n := runtime.Stack(buf, true); !bytes.HasPrefix(buf[:n], []byte("goroutine ")) {
					wrong("stacks: %q", buf[:20])
				}
				s := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/gc/heap/allocs:bytes"}}
				metrics.Read(s)
				if s[0].Value.Uint64() < uint64(n[1]) {
					wrong("stacks: %d goroutines of %d", s[0].Value.Uint64(), n[1])
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
			}
		})
		close(gate)
		wg.Wait()
		return r
	}
}

// calls makes system calls beside f.
func calls(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var others []func(*atomic.Bool)
		for range n[1] {
			others = append(others, func(*atomic.Bool) {
				for range n[0] {
					if os.Getpid() < 1 {
						wrong("calls: a process without a number")
					}
				}
			})
		}
		return beside(x, f[0], others...)
	}
}

// naps holds threads in system calls beside f.
func naps(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		return beside(x, f[0], func(*atomic.Bool) {
			for range n[0] {
				d := us(n[1])
				begin := time.Now()
				t := syscall.NsecToTimespec(int64(d))
				if err := syscall.Nanosleep(&t, nil); err == nil && time.Since(begin) < d {
					wrong("naps: %v of %v", time.Since(begin), d)
				}
			}
		})
	}
}
