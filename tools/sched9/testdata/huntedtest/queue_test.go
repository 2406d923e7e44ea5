// Package huntedtest has tests that fail under some schedules, and one that passes under all.
package huntedtest

import (
	"os"
	"sync"
	"testing"
	"time"

	"sched9/tools/sched9/testdata/blocked"
)

// queue forgets its lock in Close.
type queue struct {
	mu     sync.Mutex
	c      chan int
	closed bool
}

func (q *queue) put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.c <- v
	}
}

func (q *queue) Close() {
	q.closed = true
	close(q.c)
}

func TestClose(t *testing.T) {
	q := &queue{c: make(chan int, 1)}
	var all sync.WaitGroup
	all.Go(func() { q.put(1) })
	all.Go(q.Close)
	all.Wait()
}

// A goroutine waits for a lock that nobody unlocks any more: a leak under every schedule.
func TestForgotten(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	go mu.Lock()
}

// Each way to wait for ever, beside a goroutine that runs on.
func TestBlocked(t *testing.T) {
	for _, f := range blocked.Ways {
		go f()
	}
	go func() {
		for {
			time.Sleep(time.Millisecond)
		}
	}()
}

// The test itself waits for ever, while others run on.
func TestBeside(t *testing.T) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	go func() {
		for range tick.C {
		}
	}()
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
	<-c
}

// The same, but the test could still be woken by the one that runs on.
func TestHang(t *testing.T) {
	c := make(chan int)
	var tick func()
	tick = func() {
		if c == nil {
			close(c)
		}
		time.AfterFunc(time.Second, tick)
	}
	tick()
	<-c
}

// A subtest waits for another one's lock, for ever if that one is first.
func TestStuck(t *testing.T) {
	var mu sync.Mutex
	t.Run("group", func(t *testing.T) {
		t.Run("first", func(t *testing.T) { t.Parallel(); mu.Lock() })
		t.Run("second", func(t *testing.T) { t.Parallel(); mu.Lock() })
	})
}

// What a test has in the guest: its files, subtests in parallel, cleanups, goroutines that run on.
func TestSound(t *testing.T) {
	if _, err := os.Stat("queue_test.go"); err != nil {
		t.Fatal(err)
	}
	jobs := make(chan int)
	t.Cleanup(func() { close(jobs) })
	go func() {
		for range jobs {
		}
	}()
	for i := range 3 {
		t.Run("job", func(t *testing.T) {
			t.Parallel()
			time.Sleep(time.Duration(i) * time.Millisecond)
			jobs <- i
		})
	}
}

// TestPair: two goroutines, each with a lock for a moment.
func TestPair(t *testing.T) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { mu.Lock(); mu.Unlock() })
	}
	all.Wait()
}
