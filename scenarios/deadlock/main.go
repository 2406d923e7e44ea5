// Deadlock puts all goroutines to sleep, for ever or not. The argument says how.
//
// Shows [U6]: when no goroutine can ever run again the program ends at once, with the fatal error of that name and
// status 2; main's runtime.Goexit without other goroutines has a message of its own. As long as a timer, the
// console, a system call that holds a vCPU, or a vCPU that runs foreign code can wake a goroutine there is no alarm.
// The runtime has goroutines of its own that sleep for a time (a collection every two minutes, schedtrace): they do
// not keep a program alive, and do not delay the verdict; otherwise the first endings would take two minutes, or
// never come.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var ways = map[string]func(){
	"asleep":    asleep,
	"tied":      tied,
	"collected": collected,
	"timers":    timers,
	"goexit":    runtime.Goexit,
	"wait":      wait,
	"input":     input,
	"call":      call,
	"foreign":   foreign,
}

func main() {
	how := "wait"
	if len(os.Args) > 1 {
		how = os.Args[1]
	}
	way := ways[how]
	if way == nil {
		fmt.Printf("deadlock: no way %q\n", how)
		os.Exit(64)
	}
	fmt.Printf("deadlock: %s on %d vCPUs\n", how, runtime.NumCPU())
	way()
	fmt.Println("deadlock: none")
}

// asleep has a goroutine in every kind of wait.
func asleep() {
	var mu sync.Mutex
	var rw sync.RWMutex
	mu.Lock()
	rw.Lock()
	full := make(chan int, 1)
	full <- 1
	cond := sync.NewCond(new(sync.Mutex))
	go mu.Lock()
	go rw.RLock()
	go func() { full <- 2 }()
	go func() { <-make(chan int) }()
	go func() { select {} }()
	go func() { cond.L.Lock(); cond.Wait() }()
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Wait()
}

// tied has all goroutines tied to threads, as many as there are, and more.
func tied() {
	for range 2 * runtime.NumCPU() {
		go func() {
			runtime.LockOSThread()
			runtime.Gosched()
			select {}
		}()
	}
	runtime.LockOSThread()
	select {}
}

// collected leaves the runtime waiting for the time of the next collection.
func collected() {
	runtime.GC()
	select {}
}

// timers waits for timers first, and then for nothing.
func timers() {
	done := make(chan bool)
	for i := range 3 {
		time.AfterFunc(time.Duration(i+1)*10*time.Millisecond, func() { done <- true })
	}
	for range 3 {
		<-done
	}
	fmt.Println("deadlock: the timers rang")
	<-done
}

// wait is for a timer, through two goroutines that wait for each other.
func wait() {
	rung := make(chan bool)
	var mu sync.Mutex
	mu.Lock()
	time.AfterFunc(100*time.Millisecond, func() { mu.Unlock() })
	go func() { mu.Lock(); rung <- true }()
	<-rung
}

// input waits for a line that is typed when the program asks for it.
func input() {
	r := bufio.NewReader(os.Stdin)
	for range 3 {
		line := make(chan string)
		go func() {
			text, _ := r.ReadString('\n')
			line <- text
		}()
		for buf := make([]byte, 1<<16); !bytes.Contains(buf[:runtime.Stack(buf, true)], []byte("[IO wait")); {
			runtime.Gosched()
		}
		fmt.Println("deadlock: anybody there?")
		fmt.Printf("deadlock: somebody typed %q\n", <-line)
	}
}

// call is a system call that holds its vCPU, while all other goroutines wait for the caller.
func call() {
	for range 5 {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			syscall.Nanosleep(&syscall.Timespec{Nsec: 30_000_000}, nil)
			done <- true
		}()
		<-done
	}
}

// later is assembly.
func later()

// block is what foreign code gets: its address does not change.
var block struct{ rounds, answer uint64 }

// callee is the function that foreign code calls. It is not on main's stack, which moves.
var callee func(v uintptr)

// foreign is code on a vCPU of its own, which calls after a while.
func foreign() {
	const foreignCPU = 0x9001
	called := make(chan uintptr)
	callee = func(v uintptr) { called <- v }
	code := later
	block.rounds = 20_000_000
	_, _, errno := syscall.RawSyscall(foreignCPU, **(**uintptr)(unsafe.Pointer(&code)), uintptr(unsafe.Pointer(&block)), *(*uintptr)(unsafe.Pointer(&callee)))
	if errno != 0 {
		fmt.Println("deadlock: wrong: no vCPU for foreign code:", errno)
		os.Exit(1)
	}
	fmt.Println("deadlock: foreign code called with", <-called)
}
