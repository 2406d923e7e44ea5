// Latency keeps every P busy with twice as many endless loops, and measures how long others wait.
//
// Shows [U2] and [A1] (a goroutine that becomes runnable has a CPU soon, though none gives way), [T1] (a timer
// is late by little where loops hold all Ps) and [A4] (a stop of the world reaches loops by an interrupt).
// Three kinds of waiting are measured: of a sleeper for its P, of a server for a P after the sleeper's
// request, and of a goroutine at the end of the global queue, behind the loops.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

const rounds = 60

// loop never calls anything.
func loop() {
	for {
	}
}

// server answers with the time at which it ran.
func server(ask <-chan time.Time, answer chan<- time.Duration) {
	for asked := range ask {
		answer <- time.Since(asked)
	}
}

// behind gives way: it goes to the end of the global queue, behind those that were preempted.
func behind(n int, waits chan<- time.Duration) {
	for range n {
		t := time.Now()
		runtime.Gosched()
		waits <- time.Since(t)
	}
	close(waits)
}

// report prints the median and the longest of waits.
func report(what string, waits []time.Duration) {
	if len(waits) == 0 {
		fmt.Printf("latency: wrong: no %s was counted\n", what)
		os.Exit(1)
	}
	slices.Sort(waits)
	us := func(d time.Duration) int64 { return d.Microseconds() }
	fmt.Printf("latency: %s: median %d us, most %d us, of %d\n", what, us(waits[len(waits)/2]), us(waits[len(waits)-1]), len(waits))
}

func main() {
	procs := runtime.GOMAXPROCS(0)
	fmt.Printf("latency: %d endless loops on %d Ps\n", 2*procs, procs)
	for range 2 * procs {
		go loop()
	}
	ask, answer := make(chan time.Time), make(chan time.Duration)
	go server(ask, answer)

	var late, asked []time.Duration
	for i := range rounds {
		pause := time.Duration(1+i*7%13) * time.Millisecond
		t := time.Now()
		time.Sleep(pause)
		late = append(late, time.Since(t)-pause)
		ask <- time.Now()
		asked = append(asked, <-answer)
	}
	report("a sleeper was late by", late)
	report("a server began after", asked)

	waits := make(chan time.Duration, 12)
	go behind(cap(waits), waits)
	var yields []time.Duration
	for w := range waits {
		yields = append(yields, w)
	}
	report("behind the loops a turn took", yields)

	var stops []time.Duration
	for range rounds {
		t := time.Now()
		var m runtime.MemStats
		runtime.ReadMemStats(&m) // stops the world
		stops = append(stops, time.Since(t))
	}
	report("the world stopped, was looked at and went on in", stops)
	fmt.Println("latency: done")
}
