// Exit ends in every way a Go program can end. The argument chooses the way, a number is a status; without one it ends well.
//
// Shows [U6] (all goroutines asleep is a fatal error with status 2, and no false alarm is raised while a timer can still
// wake one), the exit status of each ending, and that a dying program's output always comes out: the ending "output" leaves
// by os.Exit directly after its last line, and expect.toml requires that line.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

var endings = map[string]func(){
	"return":   func() {},
	"log":      func() { log.Fatal("exit: log.Fatal was here") },
	"output":   output,
	"panic":    func() { deeper(3) },
	"value":    func() { panic(weather{"rain", 12}) },
	"error":    func() { panic(fmt.Errorf("outer: %w", errors.New("inner"))) },
	"repanic":  repanic,
	"nilmap":   func() { var m map[string]int; m["x"] = 1 },
	"other":    func() { go deeper(2); select {} },
	"fatal":    func() { var mu sync.Mutex; mu.Unlock() },
	"deadlock": deadlock,
	"goexit":   func() { runtime.Goexit() },
	"leave":    leave,
	"noalarm":  noAlarm,
}

type weather struct {
	what    string
	degrees int
}

func main() {
	how := "return"
	if len(os.Args) > 1 {
		how = os.Args[1]
	}
	end := endings[how]
	if n, err := strconv.Atoi(how); err == nil {
		end = func() { os.Exit(n) }
	}
	if end == nil {
		fmt.Printf("exit: no ending %q\n", how)
		os.Exit(64)
	}
	defer fmt.Println("exit: the deferred call of main ran")
	fmt.Printf("exit: ending %q\n", how)
	end()
}

// output must lose nothing, although the program does not wait for the console.
func output() {
	for i := range 200 {
		fmt.Printf("exit: line %03d of output, long enough that a buffer of 4 KiB fills many times\n", i)
	}
	fmt.Print("exit: the last word, without a newline")
	os.Exit(3)
}

// deeper gives the goroutine trace a few frames with known names.
//
//go:noinline
func deeper(n int) {
	if n == 0 {
		panic("exit: boom")
	}
	deeper(n - 1)
}

// repanic recovers and panics again in the deferred call: the report names both.
func repanic() {
	defer func() {
		panic(fmt.Sprintf("second after %v", recover()))
	}()
	panic("first")
}

// deadlock leaves three goroutines asleep, each in another wait structure.
func deadlock() {
	var mu sync.Mutex
	mu.Lock()
	var none chan int
	go mu.Lock()
	go func() { <-none }()
	runtime.Gosched()
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Wait()
}

// leave ends main's goroutine; the program lives as long as another goroutine does.
func leave() {
	go func() {
		for runtime.NumGoroutine() > 1 {
			time.Sleep(time.Millisecond)
		}
		fmt.Println("exit: outlived main")
		os.Exit(5)
	}()
	runtime.Goexit()
}

// noAlarm puts every goroutine to sleep while only a timer can wake one of them.
func noAlarm() {
	rung := make(chan bool)
	var mu sync.Mutex
	mu.Lock()
	time.AfterFunc(200*time.Millisecond, func() { mu.Unlock() })
	go func() { mu.Lock(); rung <- true }()
	<-rung
	fmt.Println("exit: no false alarm")
}
