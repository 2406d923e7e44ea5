// Reopen opens and closes pipes from many goroutines, so that a freed file number is reused at once.
//
// Shows [N1]: a goroutine that waits for a file is woken for it, even if another file just had the same number and is being
// taken out of the poller. Each round makes a pipe, waits for another goroutine's write to it, and closes both ends. A lost
// wake-up leaves the reader waiting: the run's limit is the check. The bytes read are checked too; no other goroutine writes
// them.
//
// The number of rounds is the first argument (default 1200).
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

func main() {
	rounds := 1200
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	var wg sync.WaitGroup
	for id := range 12 {
		wg.Go(func() {
			b := make([]byte, 1)
			for i := range rounds {
				r, w, err := os.Pipe()
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
	fmt.Println("reopen: done")
}

func wrong(format string, args ...any) {
	fmt.Printf("reopen: wrong: "+format+"\n", args...)
	os.Exit(1)
}
