// Fileserver is a file server in sixty lines: a goroutine of the program owns a number, which the rest of the program reads and
// changes as a file, by package os. While one waits for it no processor is held. On Linux it says that it cannot be.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"sched9/srv"
)

// counter is a file whose number a goroutine owns: reading tells it, writing adds to it.
type counter struct{ add, value chan int }

func (c counter) own() {
	for n := 0; ; {
		select {
		case k := <-c.add:
			n += k
		case c.value <- n:
		}
	}
}

func (c counter) Stat() (srv.Attr, error) { return srv.Attr{Mode: 0o644}, nil }

func (c counter) ReadAt(b []byte, at int64) (int, error) {
	return strings.NewReader(fmt.Sprintln(<-c.value)).ReadAt(b, at)
}

func (c counter) WriteAt(b []byte, at int64) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, syscall.EINVAL
	}
	c.add <- n
	return len(b), nil
}

func main() {
	count := counter{make(chan int), make(chan int)}
	go count.own()
	os.MkdirAll(root, 0o755)
	err := srv.Mount(srv.Dir{"count": count, "clock": newClock()}, root)
	if errors.Is(err, syscall.ENOSYS) {
		fmt.Println("fileserver: nothing can be mounted here")
		return
	} else if err != nil {
		fmt.Println("fileserver:", err)
		os.Exit(1)
	}
	use()
}
