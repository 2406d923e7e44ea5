// Herd has many goroutines wait for one thing. Each time that one comes all are woken, one finds it and the others wait again: a
// thundering herd. With Signal in place of Broadcast (-signal) one is woken. Compare the switches.
//
//	sched9 compare -procs 1,4 -o herd.html ./scenarios/compare/herd
//	sched9 compare -procs 1,4 -o one.html ./scenarios/compare/herd -signal
package main

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
)

const (
	waiters = 100
	things  = 100
)

// store is what they wait at.
type store struct {
	lock sync.Mutex
	come *sync.Cond // guarded by lock, as what follows
	left int
	shut bool
}

func waiter(s *store, all *sync.WaitGroup) {
	defer all.Done()
	s.lock.Lock()
	defer s.lock.Unlock()
	for {
		for s.left == 0 && !s.shut {
			s.come.Wait()
		}
		if s.left == 0 {
			return
		}
		s.left--
	}
}

func main() {
	one := flag.Bool("signal", false, "wake one")
	flag.Parse()
	var s store
	s.come = sync.NewCond(&s.lock)
	var all sync.WaitGroup
	for range waiters {
		all.Add(1)
		go waiter(&s, &all)
	}
	for range things {
		s.lock.Lock()
		s.left++
		s.lock.Unlock()
		if *one {
			s.come.Signal()
		} else {
			s.come.Broadcast()
		}
		runtime.Gosched()
	}
	s.lock.Lock()
	s.shut = true
	s.lock.Unlock()
	s.come.Broadcast()
	all.Wait()
	fmt.Println("herd: done")
}
