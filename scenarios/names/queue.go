package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// queues has every goroutine of some that always want to run in a queue at one time or another.
func queues() error {
	var end atomic.Bool
	defer end.Store(true)
	missing := map[string]bool{}
	for range 2*runtime.GOMAXPROCS(0) + 2 {
		missing[begin(func() {
			for !end.Load() {
				runtime.Gosched()
			}
		})] = true
	}
	for limit := time.Now().Add(20 * time.Second); len(missing) > 0; runtime.Gosched() {
		files := []string{"/sched/global"}
		for i := range runtime.GOMAXPROCS(0) {
			files = append(files, fmt.Sprintf("/sched/p/%d/queue", i))
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				id := strings.Fields(line)[0]
				if id == "0" {
					return fmt.Errorf("%s: %q", name, text)
				}
				delete(missing, id)
			}
		}
		if time.Now().After(limit) {
			return fmt.Errorf("goroutines %v are in no queue", missing)
		}
	}
	return nil
}
