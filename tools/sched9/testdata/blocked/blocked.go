// Package blocked has goroutines that can never run again, one for each way to wait.
package blocked

import (
	"context"
	"sync"
	"time"
)

// Ways are functions that block their goroutine for ever.
var Ways = []func(){
	nilReceive, nilSend, receive, send, full, selects, empty, mutex, rlock, wlock, cond, group, once, cancelled, stopped, ranged, locker,
}

func nilReceive() { var c chan int; <-c }
func nilSend()    { var c chan int; c <- 1 }
func receive()    { <-make(chan int) }
func send()       { make(chan int) <- 1 }
func empty()      { select {} }
func ranged() {
	for range make(chan int) {
	}
}

func full() {
	c := make(chan int, 1)
	c <- 1
	c <- 2
}

func selects() {
	select {
	case <-make(chan int):
	case make(chan int) <- 1:
	}
}

func mutex() {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

func rlock() {
	var mu sync.RWMutex
	mu.Lock()
	mu.RLock()
}

func wlock() {
	var mu sync.RWMutex
	mu.RLock()
	mu.Lock()
}

func cond() {
	c := sync.NewCond(new(sync.Mutex))
	c.L.Lock()
	c.Wait()
}

func group() {
	var all sync.WaitGroup
	all.Add(1)
	all.Wait()
}

func once() {
	var o sync.Once
	o.Do(func() { o.Do(func() {}) })
}

func cancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	<-ctx.Done()
	cancel()
}

func stopped() {
	tick := time.NewTicker(time.Second)
	tick.Stop()
	<-tick.C
}

func locker() {
	var mu sync.RWMutex
	l := mu.RLocker()
	mu.Lock()
	l.Lock()
}

// held is reachable for ever, and so are those who wait to send and for the group.
var (
	held = make(chan int)
	all  sync.WaitGroup
)

// Held are functions that block for ever on what a variable of a package holds.
var Held = []func(){
	func() { held <- 1 },
	func() { all.Add(1); all.Wait() },
}
