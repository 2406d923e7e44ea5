// Hunted has a bug of the kind that its argument names, or none.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"sched9/tools/sched9/testdata/blocked"
)

// counter is a number, whose methods are safe one by one.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) get() int  { c.mu.Lock(); defer c.mu.Unlock(); return c.n }
func (c *counter) set(n int) { c.mu.Lock(); defer c.mu.Unlock(); c.n = n }

// lost loses an update if one goroutine reads between another's reading and writing.
func lost() {
	var c counter
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { c.set(c.get() + 1) })
	}
	all.Wait()
	if c.n != 3 {
		panic(fmt.Sprint("lost: ", 3-c.n))
	}
}

// order takes two mutexes in two orders.
func order() {
	var a, b sync.Mutex
	var all sync.WaitGroup
	all.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	all.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	all.Wait()
}

// meet has goroutines allocate and send; their order, a map's, and time are printed.
func meet() {
	begin := time.Now()
	c := make(chan []int)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 5 {
				c <- make([]int, 1000*i+j)
			}
		})
	}
	go func() { all.Wait(); close(c) }()
	set := map[int]bool{}
	for s := range c {
		fmt.Print(len(s), " ")
		set[len(s)] = true
	}
	for n := range set {
		fmt.Print(n, " ")
	}
	fmt.Println(begin, time.Since(begin))
}

// sound is what its name says: goroutines meet in several ways, and minutes pass.
func sound() {
	c := make(chan int)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			time.Sleep(5 * time.Minute)
			c <- i
		})
	}
	go func() { all.Wait(); close(c) }()
	sum := 0
	for v := range c {
		sum += v
	}
	fmt.Println("sum", sum)
}

// unread leaves a goroutine that sends to nobody, and that begins after main has ended.
func unread() {
	c := make(chan int)
	go func() { c <- 1 }()
}

// locks are reachable for ever.
var locks [2]sync.Mutex

// locked leaves two goroutines that wait for each other, in schedules in which each has one lock.
func locked() {
	for i := range 2 {
		go func() {
			locks[i].Lock()
			locks[1-i].Lock()
			locks[1-i].Unlock()
			locks[i].Unlock()
		}()
	}
}

// late panics in schedules in which the CPU stands still while two ticks come.
func late() {
	const ticks = 20
	begin := time.Now()
	t := time.NewTicker(time.Millisecond)
	for range ticks {
		<-t.C
	}
	if time.Since(begin) > ticks*time.Millisecond+time.Millisecond/2 {
		panic("late: a tick is lost")
	}
}

// maps panics, or ends by the runtime's own check, in schedules in which one goroutine comes to a map while another one changes it.
func maps() {
	m := map[int]int{}
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() { m[i]++ })
	}
	all.Wait()
}

// begins panics in schedules in which a goroutine begins before its maker goes on.
func begins() {
	var f func()
	done := make(chan bool)
	go func() { f(); close(done) }()
	f = func() {}
	<-done
}

// counts panics in schedules in which one goroutine comes between two functions of sync/atomic that another one calls.
func counts() {
	var n int32
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { atomic.StoreInt32(&n, atomic.LoadInt32(&n)+1) })
	}
	all.Wait()
	if n != 2 {
		panic("counts: one is lost")
	}
}

// published panics in schedules in which a goroutine finds what another one has just unlocked, and will go on to complete.
func published() {
	var mu sync.Mutex
	var found *counter
	var name *string
	var all sync.WaitGroup
	all.Go(func() {
		mu.Lock()
		found = &counter{}
		mu.Unlock()
		name = new(string)
	})
	all.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if found != nil && *name != "" {
			found = nil
		}
	})
	all.Wait()
}

// jobs are for a goroutine that waits for more when main ends.
var jobs = make(chan int)

// servants leaves goroutines that can run on: one waits for jobs, one for the time, one computes.
func servants() {
	go func() {
		for range jobs {
		}
	}()
	jobs <- 1
	go func() {
		for range time.Tick(time.Millisecond) {
		}
	}()
	go func() {
		for {
		}
	}()
}

func main() {
	switch os.Args[1] {
	case "lost":
		lost()
	case "order":
		order()
	case "meet":
		meet()
	case "sound":
		sound()
	case "unread":
		unread()
	case "locked":
		locked()
	case "late":
		late()
	case "maps":
		maps()
	case "begins":
		begins()
	case "counts":
		counts()
	case "published":
		published()
	case "servants":
		servants()
		os.Exit(0)
	case "spins":
		spins()
	case "tries":
		tries()
	case "blocked":
		for _, f := range blocked.Ways {
			go f()
		}
	case "held":
		for _, f := range blocked.Held {
			go f()
		}
	case "brief":
		for {
			time.Sleep(time.Microsecond)
		}
	case "loop":
		for {
		}
	case "random":
		m := map[int]bool{}
		for i := range 9 {
			m[i] = true
		}
		for i := range m {
			fmt.Print(i)
		}
		fmt.Println()
	}
}
