// Sysmon leaves the machine alone for five minutes.
//
// Shows [S5]: two minutes after the last collection there is another even without allocations, and unused memory goes
// back to the machine little by little. No thread of the runtime's does this: a sleeping M wakes by the clock. main fills
// memory, drops it, collects once, and then sleeps, with the argument "busy" not all of the time; then it compares the
// runtime's counters. A traceback then says for how many minutes a goroutine has waited; stock Go counts them from the first
// collection in that time. A guest that counts instructions sleeps for minutes in no time at all, because its clock jumps when
// nothing runs.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

const (
	blocks = 64 // of a MiB
	rest   = 5 * time.Minute
)

func wrong(format string, args ...any) {
	fmt.Printf("sysmon: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// fill takes memory, uses it and drops it.
func fill() {
	all := make([][]byte, blocks)
	for i := range all {
		all[i] = make([]byte, 1<<20)
		for j := 0; j < len(all[i]); j += 4096 {
			all[i][j] = byte(i)
		}
	}
	runtime.KeepAlive(all)
}

// pass lets five minutes pass; a busy program computes for a moment every ten seconds
// of them.
func pass(busy bool) {
	begin := time.Now()
	if !busy {
		time.Sleep(rest)
		return
	}
	for i := 1; time.Since(begin) < rest; i++ {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * 10 * time.Second)))
		for end := time.Now().Add(2 * time.Millisecond); time.Now().Before(end); {
		}
	}
}

// waits waits for a channel that nothing is sent on.
func waits(c chan bool) { <-c }

// waited is what a traceback says of such a goroutine.
func waited() string {
	text := make([]byte, 1<<16)
	text = text[:runtime.Stack(text, true)]
	before, _, _ := strings.Cut(string(text), "\nmain.waits(")
	_, state, _ := strings.Cut(before[strings.LastIndex(before, "\n")+1:], "[")
	return strings.TrimSuffix(state, "]:")
}

func main() {
	go waits(make(chan bool))
	busy := len(os.Args) > 1 && os.Args[1] == "busy"
	fill()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	pass(busy)
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	if took < rest {
		wrong("five minutes took %v", took)
	}
	n := after.NumGC - before.NumGC
	fmt.Printf("sysmon: %v, %d collections that nobody asked for\n", took.Round(time.Second), n)
	if n != 2 || after.NumForcedGC != before.NumForcedGC {
		wrong("there were %d collections, %d of them the program's", n, after.NumForcedGC-before.NumForcedGC)
	}
	fmt.Printf("sysmon: %d KiB were given back, and now %d of %d\n", before.HeapReleased>>10, after.HeapReleased>>10, after.HeapSys>>10)
	if after.HeapReleased-before.HeapReleased < blocks<<20*3/4 {
		wrong("only %d KiB were given back", (after.HeapReleased-before.HeapReleased)>>10)
	}
	fmt.Printf("sysmon: a goroutine is in %s\n", waited())
	fmt.Println("sysmon: done")
}
