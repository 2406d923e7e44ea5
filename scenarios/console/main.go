// Console reads typed lines, through the network poller.
//
// Shows [N1] (a goroutine that waits for a device holds no M), [N3] (a wait for a device can time out) and [U6]
// (waiting for input is no deadlock). A line comes only after the program has printed a line that ends in a
// question mark. So the reader always waits before its line is on its way, and another goroutine asks the
// question: if the reader kept its vCPU, on a machine with one vCPU the question would never be asked. Before
// the first question no line can come, so a read with a deadline must time out.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// lines are the input, and expect.toml's; then the input ends.
var lines = []string{
	"the first line\n",
	"\n",
	"end of text \x04 and quote \x16 are bytes like others\n",
	"ünïcödé, and a tab\t\n",
	"the last line has no end",
}

// stdin is standard input with deadlines. Linux gives it them only if asked to.
func stdin() *os.File {
	if err := os.Stdin.SetReadDeadline(time.Time{}); !errors.Is(err, os.ErrNoDeadline) {
		return os.Stdin
	}
	syscall.SetNonblock(0, true)
	return os.NewFile(0, "stdin")
}

func wrong(format string, args ...any) {
	fmt.Printf("console: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// timesOut makes sure that a read ends with its deadline, and not before.
func timesOut(f *os.File, wait time.Duration) {
	begin := time.Now()
	f.SetReadDeadline(begin.Add(wait))
	n, err := f.Read(make([]byte, 100))
	took := time.Since(begin)
	if n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || took < wait {
		wrong("a read with a deadline of %v gave %d bytes, %v after %v", wait, n, err, took)
	}
	fmt.Printf("console: a read with a deadline of %v ended after %v\n", wait, took)
}

// cutShort makes sure that a deadline which has passed ends a read that waits already.
func cutShort(f *os.File) {
	f.SetReadDeadline(time.Time{})
	done := make(chan error)
	go func() {
		_, err := f.Read(make([]byte, 100))
		done <- err
	}()
	untilWaiting()
	f.SetReadDeadline(time.Unix(1, 0))
	if err := <-done; !errors.Is(err, os.ErrDeadlineExceeded) {
		wrong("a read whose deadline was put into the past ended with %v", err)
	}
	f.SetReadDeadline(time.Time{})
}

// untilWaiting returns when some goroutine waits for a device.
func untilWaiting() {
	buf := make([]byte, 1<<16)
	for !bytes.Contains(buf[:runtime.Stack(buf, true)], []byte("[IO wait")) {
		runtime.Gosched()
	}
}

func main() {
	f := stdin()
	timesOut(f, 20*time.Millisecond)
	timesOut(f, time.Millisecond)
	cutShort(f)

	// One goroutine is always busy: a reader's wait must not depend on idle vCPUs.
	var turns atomic.Int64
	go func() {
		for {
			turns.Add(1)
			runtime.Gosched()
		}
	}()

	type line struct {
		text string
		err  error
	}
	read := make(chan line)
	go func() {
		r := bufio.NewReader(f)
		for {
			text, err := r.ReadString('\n')
			read <- line{text, err}
		}
	}()
	ask := func(what string) {
		untilWaiting() // the reader
		before := turns.Load()
		for turns.Load() == before {
			runtime.Gosched()
		}
		fmt.Printf("console: %s?\n", what)
	}
	for i, want := range lines {
		ask(fmt.Sprintf("line %d", i+1))
		end := error(nil)
		if i == len(lines)-1 {
			ask("the end")
			end = io.EOF
		}
		if got := <-read; got.text != want || got.err != end {
			wrong("line %d is %q, %v", i+1, got.text, got.err)
		}
		fmt.Printf("console: got %q\n", want)
	}
	for range 3 { // the end stays, and is read without waiting
		if got := <-read; got.text != "" || got.err != io.EOF {
			wrong("behind the end came %q, %v", got.text, got.err)
		}
	}
	fmt.Println("console: done")
}
