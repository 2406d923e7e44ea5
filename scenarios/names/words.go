package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"sched9/kernel/names"
)

// arguments are what a word may get, right or wrong.
var arguments = []string{"", "0", "1", "2", "3", "99", "-1", "any", "on", "off", "M:N", "pool", "mlfq", "1:1", "100us", "1ms", "x"}

// words has goroutines write words of the table with such arguments to ctl files, at random, while others compute, meet, and sleep. Each write does what
// it says or is an error that is a sentence. Afterwards all go on, and the structures are whole.
func words() error {
	var end atomic.Bool
	workers := make([]*worker, 3*(runtime.GOMAXPROCS(0)+1))
	meet := make(chan int)
	for i := range workers {
		w := &worker{}
		step := []func(){
			func() {},
			func() {
				select {
				case meet <- 1:
				case <-meet:
				case <-time.After(time.Millisecond):
				}
			},
			func() { time.Sleep(100 * time.Microsecond) },
		}[i%3]
		w.id = begin(func() {
			for !end.Load() {
				step()
				w.turns.Add(1)
			}
		})
		workers[i] = w
	}
	defer end.Store(true)
	procs := runtime.GOMAXPROCS(0)
	if err := os.WriteFile("/sched/ctl", []byte("slice 1ms"), 0); err != nil {
		return err
	}
	var writers sync.WaitGroup
	failed := make(chan error, 4)
	for k := range uint64(4) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(k, 1))
			for range 25 {
				if err := oneWord(r, workers); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	writers.Wait()
	close(failed)
	if err := <-failed; err != nil {
		return err
	}
	for _, w := range workers {
		os.WriteFile("/proc/"+w.id+"/ctl", []byte("start"), 0) // an error if it is not stopped
		if err := os.WriteFile("/proc/"+w.id+"/ctl", []byte("wired any"), 0); err != nil {
			return err
		}
	}
	for _, line := range []string{fmt.Sprint("gomaxprocs ", procs), "policy M:N", "slice 10ms", "trace off", "audit"} {
		if err := os.WriteFile("/sched/ctl", []byte(line), 0); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	for _, w := range workers {
		was := w.turns.Load()
		for limit := time.Now().Add(20 * time.Second); w.turns.Load() == was; time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				return fmt.Errorf("goroutine %s does not go on", w.id)
			}
		}
	}
	return nil
}

// worker is a goroutine that words are about.
type worker struct {
	id    string
	turns atomic.Int64
}

// oneWord writes a word to a file. What it stops it starts again.
func oneWord(r *rand.Rand, workers []*worker) error {
	kind, path := names.SchedCtl, "/sched/ctl"
	w := workers[r.IntN(len(workers))]
	switch r.IntN(5) {
	case 0, 1:
		kind, path = names.ProcCtl, "/proc/"+w.id+"/ctl"
	case 2:
		kind, path = names.MCtl, "/sched/m/0/ctl"
	}
	all := names.Table[kind].Words
	word := all[r.IntN(len(all))].Name
	line := word
	if r.IntN(3) > 0 && word != "note" { // which may strike where nobody recovers
		line = strings.TrimSpace(word + " " + arguments[r.IntN(len(arguments))])
	}
	err := os.WriteFile(path, []byte(line), 0)
	var number syscall.Errno
	const linux = 134 // Linux's errors are below
	if errors.As(err, &number) && number < linux {
		return fmt.Errorf("%q to %s: %w", line, path, err)
	}
	if err == nil && line == "stop" {
		time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond)
		os.WriteFile(path, []byte("start"), 0) // an error if another has started it
	}
	return nil
}
