// Reopen opens and closes pipes from many goroutines, so that a file's number, once free, is another's at once.
//
// Shows [N1]: who waits for a file is told of it, also if the file's number was somebody else's a moment ago, who takes that
// one out of the poller. Each round makes a pipe, waits for what another goroutine writes to it, and closes both ends. A
// wake-up that is lost leaves the reader waiting: the run's limit is the check. So is what was read, which nobody else writes.
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
