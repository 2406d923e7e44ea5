// Faults does what a program must not do, and goes on where Go allows it.
//
// Shows that a processor fault in a goroutine becomes a Go panic (nil dereference, division, wild
// address with debug.SetPanicOnFault), that one Go does not allow to be recovered ends the run with its
// name and status 2, U8 (only the configured limit ends in "stack overflow") and A2 (registers survive). The proof: each
// recovered value is compared with what Go promises, with the fault's address where there is one; then
// many goroutines fault at once, while loops without calls have them preempted, with floating-point
// values alive across each fault. The arguments wild, text, exec, nil and overflow choose an ending.
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
)

// at makes a pointer from a number, which package unsafe forbids for good reasons.
func at(address uintptr) *int { return *(**int)(unsafe.Pointer(&address)) }

// text is the address of this program's own code.
func text() uintptr { return reflect.ValueOf(recurse).Pointer() }

// runData calls a slice of bytes (each is a return instruction on amd64; there is none of one byte on arm64) as if it were code.
func runData() {
	code := []byte{0xc3, 0xc3, 0xc3, 0xc3}
	closure := unsafe.Pointer(&code)
	f := *(*func())(unsafe.Pointer(&closure))
	f()
}

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

func main() {
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
		case "nil":
			go func() { *nilPointer = 1 }()
			select {}
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

	const goroutines, times = 16, 28
	var stop atomic.Bool
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	var wg sync.WaitGroup
	for id := range goroutines {
		wg.Go(func() { storm(id, times) })
	}
	wg.Wait()
	stop.Store(true)
	fmt.Printf("faults: %d goroutines recovered %d faults each beside endless loops\n", goroutines, times)
	fmt.Println("faults: done")
}
