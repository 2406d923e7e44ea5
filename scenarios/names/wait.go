package main

import (
	"fmt"
	"os"
	"strings"
)

//go:noinline
func receive(c chan int) { <-c }

// waiting shows a goroutine that waits for a channel of three places with one value taken, and where it does.
func waiting() error {
	full, empty := make(chan int, 3), make(chan int)
	for range 3 {
		full <- 1
	}
	for _, w := range []struct {
		id, reason, in string
		rest           []string
	}{
		{begin(func() { full <- 1 }), "chan send", "main.waiting", []string{"3", "3"}},
		{begin(func() { receive(empty) }), "chan receive", "main.receive", []string{"0", "0"}},
	} {
		if err := until(w.id, "wait"); err != nil {
			return err
		}
		f, err := fields("/proc/" + w.id + "/wait")
		if err != nil || len(f) != 6 || f[0] != w.reason || f[2] != "chan" || f[4] != w.rest[0] || f[5] != w.rest[1] {
			return fmt.Errorf("/proc/%s/wait: %q, %v", w.id, f, err)
		}
		stack, err := os.ReadFile("/proc/" + w.id + "/stack")
		if err != nil || !strings.HasPrefix(string(stack), "runtime.gopark ") || !strings.Contains(string(stack), "\n"+w.in) {
			return fmt.Errorf("/proc/%s/stack: %s, %v", w.id, stack, err)
		}
		args, err := fields("/proc/" + w.id + "/args")
		if err != nil || len(args) != 3 || !strings.Contains(args[1], "names/goroutine.go:") || args[2] != goid() {
			return fmt.Errorf("/proc/%s/args: %q, %v", w.id, args, err)
		}
	}
	empty <- 1
	<-full
	return nil
}
