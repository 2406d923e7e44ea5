// Faults does what a program must not do, and goes on where Go allows it.
//
// Shows that a processor fault in a goroutine becomes a Go panic (nil dereference, division, wild address with
// debug.SetPanicOnFault), that an unrecoverable one ends the run with its name and status 2 (so do a
// breakpoint, an undefined instruction, and runtime.abort), [U8] (only the configured limit ends in "stack
// overflow") and [A2] (registers survive). The proof: each recovered value is compared with Go's
// specification, with the fault's address where there is one; then many goroutines fault at once, while loops
// without calls cause preemptions, with floating-point values alive across each fault. The argument edge makes
// goroutines fault where the page below their stack pointer is absent; wild, text, exec, nil, breakpoint,
// illegal, vector, abort, crowd and overflow choose an ending.
package main

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type big struct {
	pad  [64 << 10]byte
	last int
}

var (
	nilPointer *int
	nilBig     *big
	nilFunc    func()
	zero       int
	five       = []int{1, 2, 3, 4, 5}
	sink       int
)

const (
	wildAddress = uintptr(0xdeadbeef000)         // nothing is mapped there
	noAddress   = uintptr(0xdead_0000_0000_0000) // not canonical: another trap

	// On sched9 these are the kernel's map of physical memory, and the processors' stacks; on Linux the
	// first is the kernel's, and the second is unmapped.
	otherMap = uintptr(0xffff_8000_0000_0000)
	stacks   = uintptr(0x5000_0000_0000)
)

func wrong(format string, args ...any) {
	fmt.Printf("faults: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// at makes a pointer from a number, which package unsafe forbids for good reasons.
func at(address uintptr) *int { return *(**int)(unsafe.Pointer(&address)) }

// text is the address of this program's own code.
func text() uintptr { return reflect.ValueOf(recurse).Pointer() }

// constant is the address of a constant.
func constant() uintptr { return uintptr(unsafe.Pointer(unsafe.StringData("faults: a constant"))) &^ 7 }

// runElsewhere calls this program's code in the kernel's map of physical memory, which is not
// executable.
func runElsewhere() {
	code := otherMap + text()
	closure := unsafe.Pointer(&code)
	f := *(*func())(unsafe.Pointer(&closure))
	f()
}

// runData calls a slice of bytes (each is a return instruction on amd64; there is none of one byte on arm64) as if it were code.
func runData() {
	code := []byte{0xc3, 0xc3, 0xc3, 0xc3}
	closure := unsafe.Pointer(&code)
	f := *(*func())(unsafe.Pointer(&closure))
	f()
}

// illegal executes an instruction that there is not, vector one whose registers the kernel does not
// keep, on a processor that has it or not; abort calls runtime.abort.
func illegal()
func vector()
func abort()

// caught returns what f panics with.
func caught(f func()) (err error) {
	defer func() {
		if e, ok := recover().(error); ok {
			err = e
		}
	}()
	f()
	return nil
}

var table = []struct {
	name, want string
	f          func()
	address    uintptr
}{
	{"nil read", "nil pointer dereference", func() { sink = *nilPointer }, 0},
	{"nil write", "nil pointer dereference", func() { *nilPointer = 1 }, 0},
	{"nil, far field", "nil pointer dereference", func() { nilBig.last = 1 }, 0},
	{"nil copy", "nil pointer dereference", func() { *nilBig = big{} }, 0},
	{"nil func", "nil pointer dereference", func() { nilFunc() }, 0},
	{"division", "integer divide by zero", func() { sink = 1 / zero }, 0},
	{"remainder", "integer divide by zero", func() { sink = 1 % zero }, 0},
	{"index", "index out of range [5] with length 5", func() { sink = five[zero+5] }, 0},
	{"slice", "slice bounds out of range [6:5]", func() { sink = len(five[zero+6:]) }, 0},
	{"wild read", "invalid memory address", func() { sink = *at(wildAddress) }, wildAddress},
	{"wild write", "invalid memory address", func() { *at(wildAddress) = 1 }, wildAddress},
	{"wild memmove", "invalid memory address", func() {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(at(wildAddress))), 4096), make([]byte, 4096))
	}, wildAddress},
	{"not canonical", "invalid memory address", func() { sink = *at(noAddress) }, 0},
	{"write to text", "invalid memory address", func() { *at(text()) = 1 }, 0},
	{"write to text elsewhere", "invalid memory address", func() { *at(otherMap + text()) = 1 }, otherMap + text()&^4095},
	{"write to constants", "invalid memory address", func() { *at(constant()) = 1 }, 0},
	{"write to constants elsewhere", "invalid memory address", func() { *at(otherMap + constant()) = 1 }, otherMap + constant()&^4095},
	{"guard of g0", "invalid memory address", func() { *at(stacks + 0x40ff8) = 1 }, stacks + 0x40000},
	{"guard of interrupts", "invalid memory address", func() { *at(stacks + 0x11ff8) = 1 }, stacks + 0x11000},
	{"guard of exceptions", "invalid memory address", func() { sink = *at(stacks + 0x1a000) }, stacks + 0x1a000},
	{"guard of NMIs", "invalid memory address", func() { sink = *at(stacks + 0x23ff8) }, stacks + 0x23000},
}

func try(name, want string, f func(), address uintptr) {
	err := caught(f)
	bad := err == nil || !strings.Contains(err.Error(), want)
	if a, ok := err.(interface{ Addr() uintptr }); address != 0 && (!ok || a.Addr()&^4095 != address) {
		bad = true
	}
	if bad {
		fmt.Printf("faults: wrong: %s gave %v\n", name, err)
		os.Exit(1)
	}
}

// storm faults again and again, with values in floating-point registers.
func storm(id, times int) {
	debug.SetPanicOnFault(true) // of this goroutine
	x, y := 1/float64(id+2), 0.0
	want := 1 / float64(id+2)
	for i := range times {
		c := &table[(id+i)%len(table)]
		try(c.name, c.want, func() {
			for range 200 {
				x = 3.99 * x * (1 - x)
				y += math.Sqrt(x)
			}
			c.f()
		}, c.address)
		for range 200 {
			want = 3.99 * want * (1 - want)
		}
		if x != want || math.IsNaN(y) {
			fmt.Printf("faults: wrong: after fault %d of goroutine %d x is %v, not %v\n", i, id, x, want)
			os.Exit(1)
		}
	}
}

func recurse(n int) int {
	var pad [32]int
	pad[n%32] = n
	return recurse(n+1) + pad[(n+1)%32]
}

// crowd makes many goroutines reach a breakpoint. On every P one computes for longer than a time slice, so that it has
// been asked to leave when it gets there (with GODEBUG=asyncpreemptoff=1 it does not leave before); then the goroutine
// that waits for its P gets there at once. The first must still reach the program's end.
func crowd() {
	procs := runtime.GOMAXPROCS(0)
	for range 4 * procs {
		go func() {
			time.Sleep(20 * time.Millisecond)
			runtime.Breakpoint()
		}()
	}
	time.Sleep(time.Millisecond) // they sleep
	for range procs {
		go func() {
			for range 30_000_000 { // some slices, and no call at which it could leave
			}
			runtime.Breakpoint()
		}()
	}
	select {}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "edge" {
		edges()
		fmt.Println("faults: done")
		return
	}
	if len(os.Args) > 1 {
		fmt.Printf("faults: ending %q\n", os.Args[1])
		// Neither of these may help: the faults below end the program at once.
		defer fmt.Println("faults: wrong: a deferred call ran")
		defer func() { recover() }()
		switch os.Args[1] {
		case "wild":
			sink = *at(wildAddress)
		case "text":
			*at(text()) = 1
		case "exec":
			runData()
		case "elsewhere":
			runElsewhere()
		case "nil":
			go func() { *nilPointer = 1 }()
			select {}
		case "breakpoint":
			runtime.Breakpoint()
		case "illegal":
			debug.SetPanicOnFault(true)
			illegal()
		case "vector":
			debug.SetPanicOnFault(true)
			vector()
		case "abort":
			debug.SetPanicOnFault(true)
			abort()
		case "crowd":
			crowd()
		case "overflow":
			debug.SetMaxStack(8 << 20)
			sink = recurse(0)
		}
		return
	}

	debug.SetPanicOnFault(true)
	for _, c := range table {
		try(c.name, c.want, c.f, c.address)
	}
	if minusOne := zero - 1; math.MinInt/minusOne != math.MinInt {
		fmt.Println("faults: wrong: MinInt / -1")
		os.Exit(1)
	}
	fmt.Printf("faults: %d kinds recovered\n", len(table))

	const goroutines, times = 16, 42
	var stop atomic.Bool
	var turns sync.WaitGroup // each loop has one: only interrupts let as many as these in
	for range 2 * runtime.GOMAXPROCS(0) {
		turns.Add(1)
		go func() {
			turns.Done()
			for !stop.Load() {
			}
		}()
	}
	var wg sync.WaitGroup
	for id := range goroutines {
		wg.Go(func() { storm(id, times) })
	}
	wg.Wait()
	turns.Wait()
	stop.Store(true)
	fmt.Printf("faults: %d goroutines recovered %d faults each beside endless loops\n", goroutines, times)
	fmt.Println("faults: done")
}
