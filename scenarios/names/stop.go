package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// stop stops goroutines that run, that wait, and that are in system calls, and starts them.
func stop() error {
	for name, turn := range map[string]func(){
		"loop": func() {}, "sleep": func() { time.Sleep(time.Microsecond) }, "yield": runtime.Gosched,
		"call": func() { syscall.Nanosleep(&syscall.Timespec{Nsec: 1000}, nil) },
	} {
		var turns atomic.Int64
		var end atomic.Bool
		id := begin(func() {
			for !end.Load() {
				turns.Add(1)
				turn()
			}
		})
		ctl := "/proc/" + id + "/ctl"
		if err := os.WriteFile(ctl, []byte("start"), 0); err == nil || !strings.Contains(err.Error(), "the goroutine is not stopped") {
			return fmt.Errorf("%s: start before stop: %v", name, err)
		}
		for range 3 {
			if err := os.WriteFile(ctl, []byte("stop"), 0); err != nil {
				return err
			}
			if err := until(id, "stopped"); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			n := turns.Load()
			runtime.GC()
			time.Sleep(time.Millisecond)
			if turns.Load() != n {
				return fmt.Errorf("%s: it was stopped, and went on", name)
			}
			if err := os.WriteFile(ctl, []byte("start"), 0); err != nil {
				return err
			}
			for limit := time.Now().Add(20 * time.Second); turns.Load() == n; runtime.Gosched() {
				if time.Now().After(limit) {
					return fmt.Errorf("%s: it was started, and does not run", name)
				}
			}
		}
		end.Store(true)
	}
	return nil
}

// note makes a goroutine panic that computes, and cannot one that waits.
func note() error {
	heard, ready := make(chan any), make(chan bool)
	sum := 0
	id := begin(func() {
		defer func() { heard <- recover() }()
		ready <- true
		for n := 0; n >= 0; n = (n + 1) & 0xffff {
			sum += n
		}
	})
	<-ready
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("note hear me\n"), 0); err != nil {
		return err
	}
	if r := fmt.Sprint(<-heard); r != "note: hear me" {
		return fmt.Errorf("the goroutine heard %q", r)
	}
	release := make(chan bool)
	id = begin(func() { <-release })
	defer close(release)
	if err := until(id, "wait"); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("note hear me"), 0); err == nil || !strings.Contains(err.Error(), "a note cannot reach it") {
		return fmt.Errorf("a note to one that waits: %v", err)
	}
	return nil
}
