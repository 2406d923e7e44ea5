package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// account is an account of a bank whose money does not change by transfers.
type account struct {
	mu     sync.Mutex
	inside int // goroutines that hold mu
	money  int
}

const money = 1000

var (
	bank [7]account

	// cells are all equal while there is no writer.
	cells   [20]int
	cellsMu sync.RWMutex
	readers atomic.Int32
	writers atomic.Int32
)

// openBank fills the accounts.
func openBank() {
	for i := range bank {
		bank[i].money = money
	}
}

// closeBank counts the money.
func closeBank(w *worker) {
	sum := 0
	for i := range bank {
		sum += bank[i].money
	}
	w.must(sum == len(bank)*money, "the bank holds %d, not %d", sum, len(bank)*money)
	w.must(readers.Load() == 0 && writers.Load() == 0, "the table has %d readers and %d writers at the end", readers.Load(), writers.Load())
}

// enter takes the lock, now and then without waiting for it.
func (a *account) enter(w *worker) {
	if !w.one(4) || !a.mu.TryLock() {
		a.mu.Lock()
	}
	a.inside++
	w.must(a.inside == 1, "%d goroutines hold one Mutex", a.inside)
}

// exit gives it back.
func (a *account) exit(w *worker) {
	w.must(a.inside == 1, "%d goroutines hold one Mutex", a.inside)
	a.inside--
	a.mu.Unlock()
}

// transfer moves money between two accounts, whose locks are taken in the order of
// the accounts, and is slow about it.
func (w *worker) transfer() {
	for range w.some(10) {
		i, j := w.rnd.IntN(len(bank)), w.rnd.IntN(len(bank)-1)
		if j >= i {
			j++
		}
		from, to := &bank[i], &bank[j]
		bank[min(i, j)].enter(w)
		bank[max(i, j)].enter(w)
		n := w.rnd.IntN(100)
		from.money -= n
		if w.one(3) {
			runtime.Gosched()
		}
		to.money += n
		bank[max(i, j)].exit(w)
		bank[min(i, j)].exit(w)
	}
}

// table reads the cells, or writes them, while it gives way.
func (w *worker) table() {
	for range w.some(8) {
		if w.one(4) {
			cellsMu.Lock()
			n, r := writers.Add(1), readers.Load()
			w.must(n == 1 && r == 0, "%d writers and %d readers hold one RWMutex", n, r)
			for i := range cells {
				if i == len(cells)/2 && w.one(2) {
					runtime.Gosched()
				}
				cells[i]++
			}
			writers.Add(-1)
			cellsMu.Unlock()
			continue
		}
		if !w.one(4) || !cellsMu.TryRLock() {
			cellsMu.RLock()
		}
		readers.Add(1)
		n := cells[0]
		if w.one(3) {
			runtime.Gosched()
		}
		for i, c := range cells {
			w.must(c == n, "cell %d is %d, the first is %d", i, c, n)
		}
		w.must(writers.Load() == 0, "a writer holds an RWMutex that a reader holds")
		readers.Add(-1)
		cellsMu.RUnlock()
	}
}

// queue has producers and consumers of a bounded queue that is made of a Mutex and
// two Conds: every value comes out once.
func (w *worker) queue() {
	const each, room = 30, 4
	var (
		mu            sync.Mutex
		filled, freed = sync.NewCond(&mu), sync.NewCond(&mu)
		values        []int
		taken, left   int
		wg            sync.WaitGroup
	)
	producers, consumers := w.some(4), w.some(4)
	left = producers * each
	want := left * (left - 1) / 2
	for p := range producers {
		c := w.child(p)
		wg.Go(func() {
			for i := range each {
				mu.Lock()
				for len(values) == room {
					freed.Wait()
				}
				values = append(values, p*each+i)
				if c.one(2) {
					filled.Signal()
				} else {
					filled.Broadcast()
				}
				mu.Unlock()
			}
		})
	}
	for i := range consumers {
		c := w.child(producers + i)
		wg.Go(func() {
			for {
				mu.Lock()
				for len(values) == 0 && left > 0 {
					filled.Wait()
				}
				if left == 0 {
					mu.Unlock()
					return
				}
				taken += values[0]
				values = values[1:]
				if left--; left == 0 {
					filled.Broadcast()
				}
				freed.Signal()
				mu.Unlock()
				if c.one(10) {
					c.small()
				}
			}
		})
	}
	wg.Wait()
	w.must(taken == want, "the values that were taken sum up to %d, not %d", taken, want)
}

// barrier lets a group go on only together, several times.
func (w *worker) barrier() {
	var (
		mu      sync.Mutex
		all     = sync.NewCond(&mu)
		arrived int
		round   int
		wg      sync.WaitGroup
	)
	n, rounds := 1+w.some(6), w.some(6)
	for i := range n {
		c := w.child(i)
		wg.Go(func() {
			for r := range rounds {
				if c.one(3) {
					c.small()
				}
				mu.Lock()
				c.must(round == r, "round %d at a barrier has begun, %d has not ended", round, r)
				if arrived++; arrived == n {
					arrived = 0
					round++
					all.Broadcast()
				}
				for round == r {
					all.Wait()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	w.must(round == rounds && arrived == 0, "the barrier was passed %d times of %d", round, rounds)
}

// once lets a group race to do a thing that is done once; all see that it is done.
func (w *worker) once() {
	var (
		do    sync.Once
		times int
		wg    sync.WaitGroup
	)
	for i := range 1 + w.some(8) {
		c := w.child(i)
		wg.Go(func() {
			do.Do(func() {
				c.small()
				times++
			})
			c.must(times == 1, "what is done once was done %d times", times)
		})
	}
	wg.Wait()
}
