// Calls runs loops of short system calls, more than there are Ps, while main sleeps.
//
// Shows [S2] and [S3]: such a loop spends its time in calls, so that the timer interrupt nearly always strikes in one. Still the loop
// must leave, on its way out of the call, once its slice is used up or main's timer is due. It calls no function that would check for
// a request to leave. If the interrupt did not handle slices and timers in calls, only the loops that began first would run, and main
// would not wake up: on one P this program would not end.
//
// The arguments are the length of a call in microseconds and a limit in milliseconds on main's lateness, for runs whose time is
// counted instructions; 0: the lateness is only printed.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	rounds = 4
	sleep  = 100 * time.Millisecond
)

// loop makes calls of length ts until stop.
func loop(ts *syscall.Timespec, stop *atomic.Bool) (calls int) {
	for ; !stop.Load(); calls++ {
		syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(ts)), 0, 0)
	}
	return calls
}

// round runs n loops while main sleeps. The results are by how much it wakes up late, how many loops have begun by then,
// and how many calls each has made.
func round(n int, length time.Duration) (late time.Duration, begun int, calls []int) {
	var stop atomic.Bool
	var began atomic.Int32
	var wg sync.WaitGroup
	calls = make([]int, n)
	for i := range n {
		wg.Go(func() {
			began.Add(1)
			ts := syscall.NsecToTimespec(int64(length))
			calls[i] = loop(&ts, &stop)
		})
	}
	start := time.Now()
	time.Sleep(sleep)
	late = time.Since(start) - sleep
	begun = int(began.Load())
	stop.Store(true)
	wg.Wait()
	return late, begun, calls
}

// wrong ends the program.
func wrong(format string, args ...any) {
	fmt.Printf("calls: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// argument is the i-th argument, or otherwise.
func argument(i, otherwise int) int {
	if len(os.Args) <= i {
		return otherwise
	}
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		wrong("argument %q is no number", os.Args[i])
	}
	return n
}

func main() {
	length := time.Duration(argument(1, 100)) * time.Microsecond
	limit := time.Duration(argument(2, 0)) * time.Millisecond
	n := max(8, 2*runtime.GOMAXPROCS(0))
	fmt.Printf("calls: %d loops of calls of %v on %d Ps\n", n, length, runtime.GOMAXPROCS(0))
	for range rounds {
		late, begun, calls := round(n, length)
		fmt.Printf("calls: main woke up %v late, %d loops had begun, calls %v\n", late.Round(time.Microsecond), begun, calls)
		switch {
		case late < 0:
			wrong("main woke up early")
		case limit != 0 && late > limit:
			wrong("main woke up %v late, at most %v is expected", late, limit)
		case limit != 0 && begun != n:
			wrong("%d of %d loops had begun", begun, n)
		}
	}
	fmt.Println("calls: done")
}
