package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"sched9/names"
)

// goid returns the caller's number.
func goid() string {
	var b [64]byte
	return strings.Fields(string(b[:runtime.Stack(b[:], false)]))[1]
}

// fields returns those of the only record of a file.
func fields(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return names.Fields(string(text)), nil
}

// until waits for a state of goroutine id.
func until(id, state string) error {
	for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
		f, err := fields("/proc/" + id + "/status")
		if err != nil || f[1] == state {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("goroutine %s does not come to %s: %v", id, state, f)
		}
	}
}

// begin starts fn and returns its goroutine's number.
func begin(fn func()) string {
	id := make(chan string)
	go func() {
		id <- goid()
		fn()
	}()
	return <-id
}
