// A file with a count of its users, which the last one closes. A new user looks whether there are any, and then adds itself.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type file struct {
	users  atomic.Int32
	closed atomic.Bool
}

func (f *file) open() bool {
	if f.users.Load() == 0 {
		return false
	}
	f.users.Add(1)
	return true
}

func (f *file) release() {
	if f.users.Add(-1) == 0 {
		f.closed.Store(true)
	}
}

func main() {
	f := &file{}
	f.users.Store(1)
	var wg sync.WaitGroup
	wg.Go(func() {
		f.release()
	})
	wg.Go(func() {
		if !f.open() {
			return
		}
		if f.closed.Load() {
			fmt.Fprintln(os.Stderr, "wrong: read from a closed file")
			os.Exit(1)
		}
		f.release()
	})
	wg.Wait()
	fmt.Println("closed")
}
