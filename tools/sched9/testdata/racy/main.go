// Racy has a pair of functions for each way in which goroutines are ordered: in one the order is missing, and two goroutines race; in the
// other it is there. With an argument only those in order are run.
package main

import (
	"context"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// x is what they read and write. Each pair has its own, so that what is known of one is not known of another.
type x struct{ v, w int }

// later runs other goroutines until they have ended or wait, without an order: only time passes.
func later() { time.Sleep(time.Millisecond) }

func raceGo(x *x) {
	go func() { x.v = 1 }()
	x.v = 2
	later()
}

func orderedGo(x *x) {
	x.v = 2
	done := make(chan bool)
	go func() { x.v++; done <- true }()
	<-done
	x.v++
}

// A receive happens before the end of a send only if there is no buffer.
func raceReceive(x *x) {
	c := make(chan int, 1)
	go func() { x.v = 1; <-c }()
	c <- 1
	later()
	x.v = 2
}

func orderedReceive(x *x) {
	c := make(chan int)
	go func() { x.v = 1; <-c }()
	c <- 1
	x.v = 2
}

// The first receive from a buffer of one happens before the end of the second send, not of the first.
func raceBuffer(x *x) {
	c := make(chan int, 2)
	go func() { x.v = 1; <-c }()
	later()
	c <- 1
	c <- 2
	x.v = 2
}

func orderedBuffer(x *x) {
	c := make(chan int, 1)
	go func() { x.v = 1; <-c }()
	c <- 1
	c <- 2
	x.v = 2
}

func raceClose(x *x) {
	c := make(chan int)
	go func() { close(c); x.v = 1 }()
	<-c
	x.v = 2
	later()
}

func orderedClose(x *x) {
	c := make(chan int)
	go func() { x.v = 1; close(c) }()
	<-c
	x.v = 2
}

func raceSelect(x *x) {
	c, d := make(chan int), make(chan int)
	go func() { x.v = 1; c <- 1 }()
	later()
	select {
	case <-d:
	default:
	}
	x.v = 2
	<-c
}

func orderedSelect(x *x) {
	c, d := make(chan int), make(chan int)
	go func() { x.v = 1; c <- 1 }()
	select {
	case <-c:
	case <-d:
	}
	x.v = 2
}

func raceMutex(x *x) {
	var a, b sync.Mutex
	go func() { a.Lock(); x.v = 1; a.Unlock() }()
	later()
	b.Lock()
	x.v = 2
	b.Unlock()
}

func orderedMutex(x *x) {
	var a sync.Mutex
	go func() { a.Lock(); x.v = 1; a.Unlock() }()
	later()
	a.Lock()
	x.v = 2
	a.Unlock()
}

// Readers of a lock are not ordered.
func raceRWMutex(x *x) {
	var a sync.RWMutex
	go func() { a.RLock(); x.v = 1; a.RUnlock() }()
	later()
	a.RLock()
	x.v = 2
	a.RUnlock()
}

func orderedRWMutex(x *x) {
	var a sync.RWMutex
	go func() { a.RLock(); x.v = 1; a.RUnlock() }()
	later()
	a.Lock()
	x.v = 2
	a.Unlock()
}

func raceWaitGroup(x *x) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { wg.Done(); x.v = 1 }()
	wg.Wait()
	x.v = 2
	later()
}

func orderedWaitGroup(x *x) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { x.v = 1; wg.Done() }()
	wg.Wait()
	x.v = 2
}

func raceOnce(x *x) {
	var once sync.Once
	go func() { once.Do(func() {}); x.v = 1 }()
	later()
	once.Do(func() {})
	x.v = 2
}

func orderedOnce(x *x) {
	var once sync.Once
	go func() { once.Do(func() { x.v = 1 }) }()
	later()
	once.Do(func() {})
	x.v = 2
}

func raceCond(x *x) {
	c := sync.NewCond(new(sync.Mutex))
	c.L.Lock()
	go func() { c.L.Lock(); c.Signal(); c.L.Unlock(); x.v = 1 }()
	c.Wait()
	c.L.Unlock()
	x.v = 2
	later()
}

func orderedCond(x *x) {
	c := sync.NewCond(new(sync.Mutex))
	c.L.Lock()
	go func() { c.L.Lock(); x.v = 1; c.Signal(); c.L.Unlock() }()
	c.Wait()
	c.L.Unlock()
	x.v = 2
}

func racePool(x *x) {
	var p sync.Pool
	go func() { p.Put(new(int)); x.v = 1 }()
	later()
	p.Get()
	x.v = 2
}

// A Pool may forget what it was given, and does so at random under -race. Only what Get returns orders.
func orderedPool(x *x) {
	var p sync.Pool
	go func() { x.v = 1; p.Put(x) }()
	later()
	if p.Get() != nil {
		x.v = 2
	}
}

func raceAtomic(x *x) {
	var ready atomic.Bool
	go func() { ready.Store(true); x.v = 1 }()
	for !ready.Load() {
		runtime.Gosched()
	}
	x.v = 2
	later()
}

func orderedAtomic(x *x) {
	var ready atomic.Bool
	go func() { x.v = 1; ready.Store(true) }()
	for !ready.Load() {
		runtime.Gosched()
	}
	x.v = 2
}

// Two stores are not ordered, nor is an exchange that failed before one that did not.
func raceStore(x *x) {
	var n atomic.Int32
	go func() { x.v = 1; n.CompareAndSwap(7, 8) }()
	later()
	n.Store(2)
	x.v = 2
}

func orderedSwap(x *x) {
	var n atomic.Int32
	go func() { x.v = 1; n.CompareAndSwap(0, 1) }()
	for n.Swap(0) != 1 { // however late the other is
		runtime.Gosched()
	}
	x.v = 2
}

// An atomic operation and a plain one race.
func racePlain(x *x) {
	var n int64
	p := &n
	go func() { atomic.AddInt64(p, 1) }()
	later()
	*p++
}

func orderedPlain(x *x) {
	n := new(int64)
	go func() { atomic.AddInt64(n, 1) }()
	for atomic.AddInt64(n, 0) != 1 {
		runtime.Gosched()
	}
	*n++
}

func raceTimer(x *x) {
	time.AfterFunc(time.Microsecond, func() { x.v = 1 })
	x.v = 2
	later()
}

func orderedTimer(x *x) {
	x.v = 2
	c := make(chan int)
	time.AfterFunc(time.Microsecond, func() { x.v = 1; c <- 1 })
	<-c
	x.v = 2
}

func raceContext(x *x) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { cancel(); x.v = 1 }()
	<-ctx.Done()
	x.v = 2
	later()
}

func orderedContext(x *x) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { x.v = 1; cancel() }()
	<-ctx.Done()
	x.v = 2
}

// Bytes and fields are told apart; the whole and its part are not.
func racePart(x *x) {
	go func() { x.w = 1 }()
	later()
	y := *x
	runtime.KeepAlive(&y)
}

func orderedPart(x *x) {
	b := make([]byte, 2)
	go func() { b[0], x.v = 1, 1 }()
	later()
	b[1], x.w = 1, 1
}

func raceMap(x *x) {
	m := map[int]int{1: 1}
	go func() { m[2] = 2 }()
	later()
	m[3] = 3
}

func orderedMap(x *x) {
	m := map[int]int{1: 1}
	go func() { x.v = m[1] }()
	later()
	x.w = m[1]
}

// A write after reads by several goroutines that nobody waits for.
func raceReaders(x *x) {
	for range 3 {
		go func() { runtime.KeepAlive(x.v) }()
	}
	later()
	x.v = 2
}

func orderedReaders(x *x) {
	c := make(chan int, 3)
	for range 3 {
		go func() { c <- x.v }()
	}
	for range 3 {
		<-c
	}
	x.v = 2
}

func orderedFinalizer(x *x) {
	c := make(chan int, 1)
	func() {
		p := new([4]int)
		runtime.SetFinalizer(p, func(p *[4]int) { x.v = p[0]; c <- 1 })
		p[0] = 1
		x.v = 2
	}()
	runtime.GC()
	<-c
	x.v = 3
}

// Memory that was freed is another object.
func orderedFreed(x *x) {
	for range 50 {
		p := make([]byte, 64<<10)
		go func() { p[0], p[4096] = 1, 1 }()
		later()
		runtime.GC()
	}
}

func main() {
	for _, f := range []func(*x){orderedGo, orderedReceive, orderedBuffer, orderedClose, orderedSelect, orderedMutex, orderedRWMutex, orderedWaitGroup,
		orderedOnce, orderedCond, orderedPool, orderedAtomic, orderedSwap, orderedPlain, orderedTimer, orderedContext, orderedPart, orderedMap, orderedReaders,
		orderedFinalizer, orderedFreed} {
		f(new(x))
	}
	if len(os.Args) > 1 {
		return
	}
	for _, f := range []func(*x){raceGo, raceReceive, raceBuffer, raceClose, raceSelect, raceMutex, raceRWMutex, raceWaitGroup, raceOnce, raceCond, racePool,
		raceAtomic, raceStore, racePlain, raceTimer, raceContext, racePart, raceMap, raceReaders} {
		f(new(x))
	}
}
