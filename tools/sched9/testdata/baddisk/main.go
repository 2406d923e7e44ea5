// Baddisk uses /dev/vda as its arguments say, one after another, and prints each result. An argument is
// FILE.OP:SECTOR:BYTES[:MS]. The file polled has no O_NONBLOCK, and waiting has. Read and write transfer at the
// sector, sync takes no more arguments; a deadline of MS milliseconds ends waiting.read. So does waiting.close,
// which closes the file during the read. MANY.OP:SECTOR:BYTES has MANY goroutines read a sector each from there
// on.
//
// It prints bytes, first byte, error, milliseconds, and how often another goroutine ran in that time.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const sector = 512

var files = map[string]*os.File{}

// open opens the disk as it says.
func open(name string) *os.File {
	flag := os.O_RDWR
	if name != "polled" {
		flag |= syscall.O_NONBLOCK
	}
	f, err := os.OpenFile("/dev/vda", flag, 0)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return f
}

// number is argument i.
func number(words []string, i int) int {
	if i >= len(words) {
		return 0
	}
	n, _ := strconv.Atoi(words[i])
	return n
}

// do does one thing.
func do(name string, words []string) (n int, b []byte, err error) {
	f := files[name]
	if f == nil {
		f = open(name)
		files[name] = f
	}
	b = make([]byte, max(number(words, 2), 1))
	if words[0] != "sync" {
		if _, err := f.Seek(int64(number(words, 1))*sector, io.SeekStart); err != nil {
			return 0, b, err
		}
	}
	switch words[0] {
	case "sync":
		err = f.Sync()
	case "write":
		n, err = f.Write(b)
	case "close":
		go func() {
			time.Sleep(time.Duration(number(words, 3)) * time.Millisecond)
			f.Close()
		}()
		n, err = io.ReadFull(f, b)
		delete(files, name)
	case "read":
		if ms := number(words, 3); ms > 0 {
			f.SetReadDeadline(time.Now().Add(time.Duration(ms) * time.Millisecond))
			defer f.SetReadDeadline(time.Time{})
		}
		n, err = io.ReadFull(f, b)
	}
	return n, b, err
}

// many reads sectors all at once; each holds its number.
func many(count int, words []string) (n int, b []byte, err error) {
	var wg sync.WaitGroup
	var sum atomic.Int64
	b = make([]byte, 1)
	for i := range count {
		wg.Go(func() {
			f := open("waiting")
			defer f.Close()
			at := number(words, 1) + i
			f.Seek(int64(at)*sector, io.SeekStart)
			b := make([]byte, sector)
			if _, err := io.ReadFull(f, b); err != nil || b[0] != byte(at) || b[sector-1] != byte(at) {
				fmt.Println("wrong:", at, b[0], err)
				return
			}
			sum.Add(sector)
		})
	}
	wg.Wait()
	return int(sum.Load()), b, nil
}

func main() {
	var ran atomic.Int64
	go func() {
		for {
			time.Sleep(time.Millisecond)
			ran.Add(1)
		}
	}()
	for _, a := range os.Args[1:] {
		name, rest, _ := strings.Cut(a, ".")
		words := strings.Split(rest, ":")
		begin, before := time.Now(), ran.Load()
		var n int
		var b []byte
		var err error
		if count, no := strconv.Atoi(name); no == nil {
			n, b, err = many(count, words)
		} else {
			n, b, err = do(name, words)
		}
		var e syscall.Errno
		what := "ok"
		switch {
		case errors.As(err, &e):
			what = map[syscall.Errno]string{syscall.EIO: "EIO"}[e] + fmt.Sprintf("(%d)", int(e))
		case errors.Is(err, os.ErrDeadlineExceeded):
			what = "deadline"
		case errors.Is(err, os.ErrClosed):
			what = "closed"
		case err != nil:
			what = strings.ReplaceAll(err.Error(), " ", "-")
		}
		fmt.Println(a, n, b[0], what, time.Since(begin).Milliseconds(), ran.Load()-before)
	}
	fmt.Println("done")
}
