package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// policy changes it while goroutines run, wait and are in calls; priorities are there while it has such.
func policy() error {
	var end atomic.Bool
	var all sync.WaitGroup
	c, done := make(chan int), make(chan bool)
	turns := []func(){
		runtime.Gosched, runtime.Gosched, func() {},
		func() { time.Sleep(50 * time.Microsecond) },
		func() { syscall.Nanosleep(&syscall.Timespec{Nsec: 1000}, nil) },
		func() {
			select {
			case c <- 1:
			case <-done:
			}
		},
		func() {
			select {
			case <-c:
			case <-done:
			}
		},
	}
	for _, turn := range turns {
		all.Go(func() {
			for !end.Load() {
				turn()
			}
		})
	}
	release := make(chan bool)
	id := begin(func() { <-release })
	pri := func(id string) string {
		f, err := fields("/proc/" + id + "/status")
		if err != nil {
			return err.Error()
		}
		return f[9]
	}
	say := func(line string) error { return os.WriteFile("/sched/ctl", []byte(line), 0) }
	give := func(line string) error { return os.WriteFile("/proc/"+id+"/ctl", []byte(line), 0) }
	for _, name := range []string{"pool", "mlfq", "pool", "M:N", "mlfq", "mlfq"} {
		if err := say("policy " + name); err != nil {
			return err
		}
		text, err := os.ReadFile("/sched/policy")
		if err != nil || !strings.Contains(string(text), name+" *\n") || strings.Count(string(text), "*") != 1 {
			return fmt.Errorf("policy %s: %q, %v", name, text, err)
		}
		time.Sleep(2 * time.Millisecond)
		err = give("pri 3")
		if name != "mlfq" {
			if got := pri(id); err == nil || !strings.Contains(err.Error(), "the policy has no priorities") || got != "-" {
				return fmt.Errorf("pri under %s: %v, then %s", name, err, got)
			}
			continue
		}
		if got := pri(id); err != nil || got != "3" {
			return fmt.Errorf("pri 3: %v, then %s", err, got)
		}
		if err := give("pri 4"); err == nil || !strings.Contains(err.Error(), "pri N: ") || pri(id) != "3" {
			return fmt.Errorf("pri 4: %v", err)
		}
	}
	for line, want := range map[string]string{"policy best": "policy NAME: ", "policy 1:1": "1:1 and N:1 are for whole runs", "policy N:1": "1:1 and N:1 are for whole runs"} {
		if err := say(line); err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("%s: %v", line, err)
		}
	}
	close(release)
	end.Store(true)
	close(done)
	all.Wait()
	// A new goroutine has the priority 0, though the runtime makes it of what has been another; and sinks only by a slice of its own, which
	// is so long here that none uses it up, however slow the machine is.
	if err := say("slice 10s"); err != nil {
		return err
	}
	release = make(chan bool)
	defer close(release)
	for range 20 {
		if id := begin(func() { <-release }); pri(id) != "0" {
			return fmt.Errorf("a new goroutine has the priority %s", pri(id))
		}
	}
	if err := say("slice 10ms"); err != nil {
		return err
	}
	return say("policy M:N")
}
