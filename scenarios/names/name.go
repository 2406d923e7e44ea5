package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

//go:noinline
func called(c chan int, _ string) { <-c }

func put(c chan int) { receive(c) } // the compiler puts this into its caller

// waiter is for a go statement of a method.
type waiter struct{ c chan int }

//go:noinline
func (w *waiter) method(n int) { <-w.c }

// held is what only a variable knows.
var held = func(c chan int, _ int) { <-c }

// callees has goroutines called after the function of their go statement, not after what the compiler makes of that.
func callees() error {
	c := make(chan int)
	for want, start := range map[string]func(){
		"main.called":                func() { go called(c, "x") },
		"main.put":                   func() { go put(c) },
		"main.(*waiter).method":      func() { go (&waiter{c}).method(1) },
		"main.callees.func4.gowrap1": func() { go held(c, 1) },
	} {
		start()
		for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
			all := map[string]bool{}
			n, err := countCalled(want, all)
			if err != nil {
				return err
			}
			if n == 1 {
				break
			}
			if time.Now().After(end) {
				return fmt.Errorf("no goroutine is called %s: %v", want, all)
			}
		}
		c <- 1
	}
	return nil
}

// countCalled counts the goroutines that are called so in both their files, and notes the names of all.
func countCalled(name string, all map[string]bool) (n int, err error) {
	dirs, err := os.ReadDir("/proc")
	for _, d := range dirs {
		status, err1 := fields("/proc/" + d.Name() + "/status")
		args, err2 := fields("/proc/" + d.Name() + "/args")
		if err1 != nil || err2 != nil {
			continue // it has ended
		}
		all[status[11]] = true
		if status[11] == name && args[0] == name {
			n++
		}
	}
	return n, err
}
