package main

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// ends are the ways in which programs end, after they have printed their results.
var ends = map[string]func(){
	"return": func() {},
	"exit":   func() { os.Exit(7) },
	"panic":  func() { panic("the end") },
	"nil":    func() { var none *node; none.name = "" },
	"goexit": runtime.Goexit,
	"deadlock": func() {
		var mu sync.Mutex
		mu.Lock()
		go mu.Lock()
		<-make(chan int)
	},
	// main returns while others run, wait and sleep.
	"leave": func() {
		go func() {
			for {
			}
		}()
		go func() { select {} }()
		go time.Sleep(time.Hour)
		go func() {
			for {
				runtime.Gosched()
			}
		}()
		time.Sleep(time.Millisecond)
	},
	// Another dies while main and others compute.
	"beside": func() {
		go func() {
			time.Sleep(time.Millisecond)
			panic("beside loops")
		}()
		go func() {
			for {
			}
		}()
		for {
		}
	},
	// A goroutine exits while main waits in a deferred call.
	"exitbeside": func() {
		go func() {
			runtime.LockOSThread()
			time.Sleep(time.Millisecond)
			os.Exit(9)
		}()
		defer func() { select {} }()
		panic("nobody hears this")
	},
	"throw": func() { var mu sync.Mutex; mu.Unlock() },
}
