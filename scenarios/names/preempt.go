package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// preempt has a goroutine leave its M long before its slice is over. With several Ps two that compute are wired to one of them: the one
// that waits goes on though the slice lasts for ten seconds. An M on which nothing runs is told of; one's own is given up for a moment.
func preempt() error {
	m, err := fields("/proc/" + goid() + "/status")
	if err != nil {
		return err
	}
	if err := os.WriteFile("/sched/m/"+m[2]+"/ctl", []byte("preempt"), 0); err != nil {
		return err
	}
	if err := os.WriteFile("/sched/m/"+m[2]+"/ctl", []byte("stop"), 0); err == nil || !strings.Contains(err.Error(), "no such word; /sched/m/N/ctl takes preempt") {
		return fmt.Errorf("a wrong word: %v", err)
	}
	procs := runtime.GOMAXPROCS(0)
	if procs == 1 {
		return nil
	}
	if err := os.WriteFile("/sched/ctl", []byte("slice 10s"), 0); err != nil {
		return err
	}
	var end atomic.Bool
	var ids [2]string
	for i := range ids {
		ids[i] = begin(func() {
			for !end.Load() {
			}
		})
		if err := wire(ids[i], "1"); err != nil {
			return err
		}
	}
	defer end.Store(true)
	changes, last := 0, -1
	for limit := clock() + 30e9; changes < 10; { // three slices
		if clock() > limit {
			return fmt.Errorf("%d changes in the time of three slices", changes)
		}
		for i, id := range ids {
			status, err := fields("/proc/" + id + "/status")
			if err != nil {
				return err
			}
			if status[1] != "run" {
				continue
			}
			if i != last {
				changes, last = changes+1, i
			}
			err = os.WriteFile("/sched/m/"+status[2]+"/ctl", []byte("preempt"), 0)
			if err != nil && !strings.Contains(errors.Unwrap(err).Error(), "no goroutine runs on this M") {
				return err
			}
		}
		time.Sleep(time.Millisecond)
	}
	return os.WriteFile("/sched/ctl", []byte("slice 10ms"), 0)
}
