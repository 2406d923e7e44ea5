// Selftest is what a machine that is new boots first: it says what the machine is, tries each mechanism that the scheduler stands on, on
// every processor, and shows a table.
//
// Shows [U1] (every processor runs goroutines), [M1] and [M9] (an interrupt wakes a processor that halts, from each other one), [A2] (loops
// without calls are interrupted, and go on as they were) and [T1] (timers ring on each processor). The proof: a goroutine is tied to each processor, so
// each step knows where it runs. What a step measures is printed; it fails only if something is wrong whatever the machine's
// speed: the clock goes backwards, memory is not what was written, a processor does not answer within a time that is ages to it.
//
// Arguments choose steps by name. On Linux it tries Linux's threads instead.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// step is a row of the table. do returns what was seen; the error absent says that the machine lacks what the step is about.
type step struct {
	name string
	do   func(m *machine) (seen string, err error)
	free bool // its goroutines go to processors as the scheduler has it: none is tied
}

var steps = []step{
	{name: "processors", do: processors},
	{name: "clock", do: clock},
	{name: "clock in step", do: inStep},
	{name: "clock against RTC", do: againstRTC},
	{name: "timer", do: timers},
	{name: "interrupts", do: interrupts},
	{name: "preemption", do: preemption, free: true},
	{name: "memory order", do: memoryOrder},
	{name: "cache line", do: cacheLine},
	{name: "TLB shootdown", do: shootdown},
	{name: "memory", do: memory},
	{name: "stop the world", do: stops, free: true},
}

// absent is no failure: the machine has nothing that could be tried.
var absent = errors.New("")

// limit is how long a step may go without progress: no machine is so slow.
const limit = 30 * time.Second

// machine are goroutines that are each tied to a processor, while they are. Number 0 is the main goroutine.
type machine struct {
	tied   bool
	work   []chan func() // by processor; nil for 0
	done   chan any      // what a piece of work panicked with, or nil
	ids    []int         // of the threads
	now    atomic.Pointer[string]
	passed atomic.Uint64 // grows with progress
}

// tie ties a goroutine to each processor.
func (m *machine) tie() {
	if m.tied {
		return
	}
	m.tied = true
	runtime.LockOSThread()
	for i := 1; i < len(m.work); i++ {
		work := make(chan func())
		m.work[i] = work
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for do := range work {
				m.done <- try(do)
			}
			m.done <- nil
		}()
	}
	m.all(func(i int) { m.ids[i] = syscall.Gettid() })
}

// untie ends these goroutines.
func (m *machine) untie() {
	if !m.tied {
		return
	}
	m.tied = false
	for _, work := range m.work[1:] {
		close(work)
		<-m.done
	}
	runtime.UnlockOSThread()
}

// try calls do and returns what it panicked with.
func try(do func()) (why any) {
	defer func() { why = recover() }()
	do()
	return nil
}

// on has each of the processors do something, at the same time, and returns when all have done it.
func (m *machine) on(ids []int, do func(i int)) {
	own := slices.Contains(ids, 0)
	var why any
	for _, i := range ids {
		if i != 0 {
			m.work[i] <- func() { do(i) }
		}
	}
	if own {
		why = try(func() { do(0) })
	}
	for _, i := range ids {
		if i != 0 {
			if w := <-m.done; w != nil {
				why = w
			}
		}
	}
	if why != nil {
		panic(why)
	}
}

// all is on for all processors.
func (m *machine) all(do func(i int)) {
	ids := make([]int, len(m.work))
	for i := range ids {
		ids[i] = i
	}
	m.on(ids, do)
}

// pairs calls do for each two processors, and says in between which, for the watch.
func (m *machine) pairs(do func(a, b int) error) error {
	for a := range m.work {
		for b := a + 1; b < len(m.work); b++ {
			m.doing(fmt.Sprintf("processors %d and %d", a, b))
			if err := do(a, b); err != nil {
				return fmt.Errorf("processors %d and %d: %w", a, b, err)
			}
		}
	}
	return nil
}

// doing notes progress, and what comes now.
func (m *machine) doing(what string) {
	m.now.Store(&what)
	m.passed.Add(1)
}

// watch ends the run if there is no progress for the limit.
func (m *machine) watch(name *atomic.Pointer[string]) {
	for last := uint64(0); ; {
		time.Sleep(limit)
		at := m.passed.Load()
		if at == last {
			fmt.Printf("selftest: wrong: %s: no progress for %v: %s\n", *name.Load(), limit, *m.now.Load())
			os.Exit(1)
		}
		last = at
	}
}

// describe prints what the kernel knows of the machine: without ranges of memory and processors, of which there may be many.
func describe() {
	text, err := os.ReadFile("/dev/machine")
	if err != nil {
		fmt.Printf("selftest: machine: %s/%s, %s; no /dev/machine here\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
		return
	}
	for line := range strings.Lines(string(text)) {
		if name, _, _ := strings.Cut(line, " "); name != "memory" && name != "cpu" {
			fmt.Print("selftest: machine: ", line)
		}
	}
}

func main() {
	describe()
	for _, name := range os.Args[1:] {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.name == name }) {
			fmt.Printf("selftest: wrong: there is no step %q\n", name)
			os.Exit(2)
		}
	}
	n := runtime.GOMAXPROCS(0)
	m := &machine{work: make([]chan func(), n), done: make(chan any, n), ids: make([]int, n)}
	var name atomic.Pointer[string]
	name.Store(new(string))
	m.doing("")
	go m.watch(&name)
	wrong := 0
	rows := []string{}
	for _, s := range steps {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], s.name) {
			continue
		}
		name.Store(&s.name)
		m.doing("it begins")
		if s.free {
			m.untie()
		} else {
			m.tie()
		}
		seen, err := s.do(m)
		word := "ok"
		switch {
		case err == absent:
			word = "absent"
		case err != nil:
			word, seen = "WRONG", err.Error()
			wrong++
		}
		row := fmt.Sprintf("%-18s %-6s %s", s.name, word, seen)
		fmt.Println("selftest:", row)
		rows = append(rows, row)
	}
	fmt.Printf("\n%s\n\n", strings.Join(rows, "\n")) // all of it at the end, for a photograph
	if wrong > 0 {
		fmt.Printf("selftest: wrong: %d of %d steps\n", wrong, len(rows))
		os.Exit(1)
	}
	fmt.Println("selftest: done")
}
