package main

import (
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	rounds  = 20  // that a tied goroutine goes through everything
	volleys = 500 // of two goroutines, one of them tied
)

// spin computes without calls for d.
func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for x := range 1000 {
			_ = x
		}
	}
}

// stays ties more goroutines than there are threads, and has each leave the CPU in
// every way there is: it always comes back to its thread [M6], however often it is
// tied [M12].
func stays() {
	n := 2*runtime.NumCPU() + 1
	echo := make(chan chan bool)
	var wg, partners sync.WaitGroup
	partners.Go(func() {
		for back := range echo {
			back <- true
		}
	})
	var mu sync.Mutex
	for i := range n {
		wg.Go(func() {
			runtime.LockOSThread()
			t := here()
			for r := range rounds {
				runtime.Gosched()
				t.still("a yield")
				back := make(chan bool)
				echo <- back
				<-back
				t.still("an exchange")
				mu.Lock()
				runtime.Gosched()
				mu.Unlock()
				t.still("a mutex")
				time.Sleep(time.Duration(20+i) * time.Microsecond)
				t.still("a sleep")
				syscall.Nanosleep(&syscall.Timespec{Nsec: 30_000}, nil)
				t.still("a system call that holds the CPU")
				for range i%3 + 1 {
					runtime.LockOSThread()
				}
				for range i%3 + 1 {
					runtime.UnlockOSThread()
					runtime.Gosched()
					t.still("an unlock that is not the last")
				}
				switch {
				case r == i%rounds:
					spin(11 * time.Millisecond)
					t.still("a loop that is preempted")
				case r == 0 && i%4 == 0:
					runtime.GC()
					t.still("a collection")
				}
			}
			runtime.UnlockOSThread()
		})
	}
	wg.Wait()
	close(echo)
	partners.Wait()
	fmt.Printf("threads: %d goroutines stayed on their threads, %d rounds\n", n, rounds)
}

// alone leaves one thread to a crowd that is not tied, and none of it is ever on
// another [M6]. It makes no system calls: where all other vCPUs are held up in those,
// a thread whose goroutine waits is lent.
func alone() {
	n := free() - 1
	owned := make(map[int]bool, n)
	var mu sync.Mutex
	var owners, others, begun sync.WaitGroup
	begun.Add(n)
	stop := make(chan bool)
	knock := make(chan bool)
	for range n {
		owners.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			t := here()
			mu.Lock()
			owned[int(t)] = true
			mu.Unlock()
			begun.Done()
			for {
				select {
				case <-knock: // now and then it runs
					t.still("a knock")
				case <-stop:
					return
				}
			}
		})
	}
	begun.Wait()
	if len(owned) != n {
		wrong("%d goroutines are tied to the threads %v", n, owned)
	}
	var looks atomic.Int64
	look := func() {
		if t := syscall.Gettid(); owned[t] {
			wrong("a goroutine that is not tied is on thread %d, whose own one waits", t)
		}
		looks.Add(1)
	}
	for i := range 4 * runtime.NumCPU() {
		others.Go(func() {
			for r := range 50 {
				look()
				runtime.Gosched()
				look()
				switch {
				case r%10 == 0:
					time.Sleep(50 * time.Microsecond)
				case r%10 == 5:
					select {
					case knock <- true:
					default:
					}
				case r == i%50:
					spin(2 * time.Millisecond)
				}
			}
			done := make(chan bool)
			go func() { look(); done <- true }()
			<-done
		})
	}
	others.Wait()
	close(stop)
	owners.Wait()
	fmt.Printf("threads: %d threads were their goroutines' alone, at %d looks\n", n, looks.Load())
}

// handoffP plays with a tied goroutine, which is handed a P for every ball [M13].
func handoffP() {
	for _, both := range []bool{false, true} {
		there, back := make(chan int), make(chan int)
		play := func(lock bool, f func()) {
			if lock {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			t := here()
			f()
			if lock {
				t.still("the game")
			}
		}
		go play(true, func() {
			for v := range there {
				back <- v + 1
			}
			close(back)
		})
		play(both, func() {
			for i := range volleys {
				there <- i
				if v := <-back; v != i+1 {
					wrong("%d came back as %d", i, v)
				}
			}
			close(there)
			<-back
		})
	}
	fmt.Printf("threads: %d volleys with a tied goroutine, %d between two\n", volleys, volleys)
}

// pull takes values from an iterator that runs as a coroutine, in a goroutine that is
// tied: the coroutine is on its thread.
func pull() {
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			t := here()
			var values iter.Seq[int] = func(yield func(int) bool) {
				for i := 0; ; i++ {
					t.still("a switch to the coroutine")
					if i%8 == 0 {
						runtime.Gosched()
						t.still("a yield in the coroutine")
					}
					if !yield(i) {
						return
					}
				}
			}
			next, stop := iter.Pull(values)
			for i := range 200 {
				if v, ok := next(); !ok || v != i {
					wrong("the iterator gave %d, not %d", v, i)
				}
				t.still("a value")
			}
			stop()
			t.still("the iterator's end")
		})
	}
	wg.Wait()
	fmt.Println("threads: iterators ran on the threads of their goroutines")
}
