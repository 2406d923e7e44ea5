// Fileserver is a file server in some sixty lines: goroutines of the program that own a tree of files, which the rest of the program
// uses by package os. While one waits for them no processor is held. On Linux it says that it cannot be.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sched9/srv"
)

// dir is a directory of fixed contents.
type dir map[string]srv.Node

func (d dir) Stat() (srv.Attr, error) { return srv.Attr{Mode: fs.ModeDir | 0o555}, nil }

func (d dir) Lookup(name string) (srv.Node, error) {
	if n := d[name]; n != nil {
		return n, nil
	}
	return nil, syscall.ENOENT
}

func (d dir) List() (all []srv.Entry, err error) {
	for name, n := range d {
		attr, _ := n.Stat()
		all = append(all, srv.Entry{Name: name, Type: attr.Mode.Type()})
	}
	return all, nil
}

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

// clock is a file whose reader waits for the next tenth of a second.
type clock struct{ tick <-chan time.Time }

func (c clock) Stat() (srv.Attr, error) { return srv.Attr{Mode: 0o444}, nil }

func (c clock) ReadAt(b []byte, at int64) (int, error) {
	if at > 0 {
		return 0, io.EOF
	}
	return copy(b, (<-c.tick).Format("05.000")+"\n"), nil
}

func main() {
	count := counter{make(chan int), make(chan int)}
	go count.own()
	server := dir{"count": count, "clock": clock{time.Tick(100 * time.Millisecond)}}
	os.MkdirAll("/tmp/n/example", 0o755)
	if err := srv.Mount(server, "/tmp/n/example"); errors.Is(err, syscall.ENOSYS) {
		fmt.Println("fileserver: nothing can be mounted here")
		return
	} else if err != nil {
		fmt.Println("fileserver:", err)
		os.Exit(1)
	}
	use()
}
