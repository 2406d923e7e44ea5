package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Blocks that share memory.
func init() {
	register(map[string]block{
		"mutex":     {most: []int{60, 10}, subs: 1, repeat: true, make: mutex},
		"rwmutex":   {most: []int{60, 8}, subs: 1, repeat: true, make: rwmutex},
		"queue":     {most: []int{60, 6}, subs: 1, repeat: true, make: queue},
		"barrier":   {most: []int{5, 6}, subs: 1, repeat: true, make: barrier},
		"once":      {most: []int{20}, subs: 1, make: once},
		"syncmap":   {most: []int{60, 6}, subs: 1, repeat: true, make: syncMap},
		"waitgroup": {most: []int{60}, subs: 1, repeat: true, make: waitGroup},
		"spin":      {most: []int{6}, subs: 1, rare: 3, make: spin},
		"yield":     {most: []int{200, 6}, subs: 1, rare: 20, make: yield},
		"bufpool":   {most: []int{40}, subs: 1, repeat: true, make: bufpool},
	})
}

// each calls f from workers goroutines, n times in all, with i from 0.
func each(n, workers int, f func(i int)) {
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wg.Wait()
}

// mutex makes goroutines count in a map under a lock, some of them by TryLock.
func mutex(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var mu sync.Mutex
		m := map[uint64]uint64{}
		each(n[0], n[1], func(i int) {
			v := f[0](x + uint64(i))
			if i%3 != 0 || !mu.TryLock() {
				mu.Lock()
			}
			defer mu.Unlock()
			m[v%16] += v
			if i%7 == 0 {
				runtime.Gosched()
			}
		})
		var r uint64
		for k, v := range m {
			r += mix(k) * v
		}
		return r
	}
}

// rwmutex has writers keep two numbers equal, and readers look.
func rwmutex(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var mu sync.RWMutex
		var a, b uint64
		each(n[0], n[1], func(i int) {
			v := f[0](x + uint64(i))
			mu.Lock()
			a += mix(v)
			b += mix(v)
			mu.Unlock()
			for range 3 {
				mu.RLock()
				if a != b {
					wrong("rwmutex: a reader saw half a write")
				}
				mu.RUnlock()
			}
		})
		return a
	}
}

// queue has producers and consumers wait for conditions.
func queue(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var mu sync.Mutex
		full, empty := sync.NewCond(&mu), sync.NewCond(&mu)
		var q []uint64
		var s sum
		var wg sync.WaitGroup
		for w := range n[1] {
			wg.Go(func() {
				for i := w; i < n[0]; i += n[1] {
					mu.Lock()
					for len(q) == 0 {
						empty.Wait()
					}
					v := q[0]
					q = q[1:]
					mu.Unlock()
					full.Signal()
					s.add(f[0](v))
				}
			})
		}
		for i := range n[0] {
			mu.Lock()
			for len(q) > n[1] {
				full.Wait()
			}
			q = append(q, x+uint64(i))
			mu.Unlock()
			if i%5 == 4 {
				empty.Broadcast()
			} else {
				empty.Signal()
			}
		}
		wg.Wait()
		return s.Load()
	}
}

// barrier has goroutines go from round to round together.
func barrier(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var mu sync.Mutex
		cond := sync.NewCond(&mu)
		round, here := 0, 0
		var s sum
		var at atomic.Int64
		var wg sync.WaitGroup
		for w := range n[1] {
			wg.Go(func() {
				for i := range n[0] {
					if at.Load() != int64(i) {
						wrong("barrier: a goroutine is ahead")
					}
					if w == 0 { // the function is called as often as the first number says
						s.add(f[0](x + uint64(i)))
					}
					mu.Lock()
					if here++; here == n[1] {
						round, here = round+1, 0
						at.Store(int64(round))
						cond.Broadcast()
					}
					for round == i {
						cond.Wait()
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		return s.Load()
	}
}

// once makes many goroutines ask for a result that is computed once.
func once(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var calls atomic.Int64
		value := sync.OnceValue(func() uint64 { calls.Add(1); return f[0](x) })
		var s sum
		each(n[0], n[0], func(int) { s.add(value()) })
		if calls.Load() != 1 {
			wrong("once: %d times", calls.Load())
		}
		return s.Load()
	}
}

// syncMap loads and stores from all sides.
func syncMap(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var m sync.Map
		each(n[0], n[1], func(i int) {
			key := x + uint64(i%17)
			v, _ := m.LoadOrStore(key, new(atomic.Uint64))
			v.(*atomic.Uint64).Add(mix(f[0](x + uint64(i))))
		})
		var r uint64
		m.Range(func(k, v any) bool { r += k.(uint64) ^ mix(v.(*atomic.Uint64).Load()); return true })
		return r
	}
}

// waitGroup starts one goroutine for each piece.
func waitGroup(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		parts := make([]uint64, n[0])
		each(n[0], n[0], func(i int) { parts[i] = f[0](x + uint64(i)) })
		r := x
		for _, p := range parts {
			r = r*31 + p
		}
		return r
	}
}

// spin has goroutines wait for a flag, one by a loop without a call, which is made to
// leave, and the others by giving way.
func spin(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var done atomic.Bool
		var r atomic.Uint64
		go func() { r.Store(f[0](x)); done.Store(true) }()
		each(n[0], n[0], func(i int) {
			for !done.Load() {
				if i > 0 {
					runtime.Gosched()
				}
			}
		})
		return r.Load()
	}
}

// yield has goroutines give way to each other.
func yield(n []int, f []fn) fn {
	return func(x uint64) uint64 {
		var turns atomic.Uint64
		c := make(chan uint64, 1)
		go func() { c <- f[0](x) }()
		each(n[1], n[1], func(int) {
			for range n[0] {
				turns.Add(1)
				runtime.Gosched()
			}
		})
		return <-c + turns.Load()
	}
}

// bufpool takes buffers from a sync.Pool, which collections empty.
func bufpool(n []int, f []fn) fn {
	p := sync.Pool{New: func() any { return new([64]uint64) }}
	return func(x uint64) uint64 {
		var s sum
		each(n[0], 4, func(i int) {
			b := p.Get().(*[64]uint64)
			for j := range b {
				b[j] = x + uint64(i)
			}
			v := f[0](x + uint64(i))
			for _, w := range b {
				if w != x+uint64(i) {
					wrong("bufpool: a buffer has two owners")
					break
				}
			}
			p.Put(b)
			s.add(v)
		})
		return s.Load()
	}
}
