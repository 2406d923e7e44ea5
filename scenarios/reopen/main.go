// Reopen opens and closes pipes from many goroutines, so that a freed file number is reused at once.
//
// Shows [N1]: a goroutine that waits for a file is woken for it, even if another file just had the same number and is being
// taken out of the poller. Each round makes a pipe, waits for another goroutine's write to it, and closes both ends. A lost
// wake-up leaves the reader waiting: the run's limit is the check. The bytes read are checked too; no other goroutine writes
// them. Then each reader has two numbers, one small and one among the largest that a program may have, and waits by the larger one.
//
// The number of rounds is the first argument (default 1200).
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

func main() {
	rounds := 1200
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	many(rounds, func() (r, w *os.File, err error) { return os.Pipe() })
	many(rounds/8, far)
	fmt.Println("reopen: done")
}

// many has goroutines open so many pipes, one after another, and read from each what is written to it.
func many(rounds int, open func() (r, w *os.File, err error)) {
	var wg sync.WaitGroup
	for id := range 12 {
		wg.Go(func() {
			b := make([]byte, 1)
			for i := range rounds {
				r, w, err := open()
				if err != nil {
					wrong("%v", err)
				}
				mine := byte(i*12 + id)
				go func() {
					w.Write([]byte{mine})
					w.Close()
				}()
				if n, err := r.Read(b); n != 1 || err != nil || b[0] != mine {
					wrong("a read gave %d bytes, %v: %d, not %d", n, err, b[0], mine)
				}
				r.Close()
			}
		})
	}
	wg.Wait()
}

// far opens a pipe. Its reader has another number, which is closed when the writer is no longer needed.
func far() (r, w *os.File, err error) {
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil {
		return nil, nil, err
	}
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC|syscall.O_NONBLOCK); err != nil {
		return nil, nil, err
	}
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(ends[0]), syscall.F_DUPFD_CLOEXEC, uintptr(most.Cur-100))
	if errno != 0 {
		return nil, nil, errno
	}
	r, w = os.NewFile(n, "r"), os.NewFile(uintptr(ends[1]), "w")
	runtime.AddCleanup(w, func(small int) { syscall.Close(small) }, ends[0])
	return r, w, nil
}

func wrong(format string, args ...any) {
	fmt.Printf("reopen: wrong: "+format+"\n", args...)
	os.Exit(1)
}
