package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// pointBlocked is a state: count goroutines whose dumps contain each of the words.
type pointBlocked struct {
	count int
	words []string
}

var (
	pointMu       sync.Mutex
	pointArrivals = map[string]int{}
	pointTurn     atomic.Int64 // how many of pointOrder have passed
)

// point is called where a goroutine comes to the point. A goroutine that waits here sleeps and looks again, so that the
// runtime does not see a deadlock.
func point(name string) {
	pointMu.Lock()
	pointArrivals[name]++
	label := fmt.Sprint(name, ".", pointArrivals[name])
	pointMu.Unlock()
	at := slices.Index(pointOrder, label)
	for slices.Contains(pointHold, label) || int64(at) > pointTurn.Load() {
		time.Sleep(50 * time.Microsecond)
	}
	for state, ok := pointUntil[label]; ok && !state.holds(); {
		time.Sleep(50 * time.Microsecond)
	}
	if at >= 0 && pointTurn.Add(1) == int64(len(pointOrder)) {
		fmt.Fprintln(os.Stderr, "schedule: done")
	}
}

// holds looks whether the program is in the state.
func (b pointBlocked) holds() bool {
	dump := make([]byte, 1<<20)
	dump = dump[:runtime.Stack(dump, true)]
	found := 0
	for one := range strings.SplitSeq(string(dump), "\n\n") {
		has := func(word string) bool { return strings.Contains(one, word) }
		if !slices.ContainsFunc(b.words, func(word string) bool { return !has(word) }) {
			found++
		}
	}
	return found >= b.count
}

// pointEnd waits until main's goroutine is the only one, and ends the program with status 1 when one of the others
// waits for ever.
func pointEnd() {
	profile := pprof.Lookup("goroutineleak")
	for runtime.NumGoroutine() > 1 {
		time.Sleep(100 * time.Microsecond)
		if profile == nil {
			continue
		}
		var dump bytes.Buffer
		if err := profile.WriteTo(&dump, 2); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		for one := range strings.SplitSeq(dump.String(), "\n\n") {
			if strings.Contains(one, "leaked") {
				fmt.Fprintln(os.Stderr, one)
				os.Exit(1)
			}
		}
	}
}
