package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// Steps that use files, pipes, disks and the clock.

// print prints lines, which all end in a full stop. The host sees whether one is lost or torn.
func (w *worker) print() {
	for range 1 + w.IntN(3) {
		w.said++
		fmt.Printf("kernelstorm: round %d worker %d line %d %s.\n", w.round, w.id, w.said, strings.Repeat("x", w.IntN(300)))
	}
}

// some returns n bytes.
func (w *worker) some(n int) []byte {
	b := make([]byte, n)
	x := w.Uint64()
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = byte(x >> 56)
	}
	return b
}

// file writes a file in memory, reads it back, cuts it, and removes it.
func (w *worker) file() {
	name := fmt.Sprintf("/tmp/kernelstorm-%d-%d", os.Getpid(), w.id)
	want := w.some(1 + w.IntN(20_000))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	w.must("a new file", err)
	for at := 0; at < len(want); {
		n := 1 + w.IntN(len(want)-at)
		_, err := f.WriteAt(want[at:at+n], int64(at))
		w.must("a write", err)
		at += n
	}
	got, err := os.ReadFile(name)
	w.must("a read", err)
	if !bytes.Equal(got, want) {
		w.wrong("a file does not hold what was written")
	}
	n := w.IntN(len(want))
	w.must("truncate", f.Truncate(int64(n)))
	w.must("truncate", f.Truncate(int64(len(want))))
	clear(want[n:])
	_, err = f.ReadAt(got, 0)
	w.must("a read", err)
	if !bytes.Equal(got, want) {
		w.wrong("a file that was cut to %d of %d bytes does not hold zeros behind them", n, len(want))
	}
	w.must("remove", os.Remove(name))
	w.must("close", f.Close())
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		w.wrong("a file that was removed: %v", err)
	}
}

// pipe sends bytes to a goroutine, which may lose patience before it gets any.
func (w *worker) pipe() {
	r, out, err := os.Pipe()
	w.must("a pipe", err)
	want := w.some(1 + w.IntN(100_000))
	if w.IntN(2) == 0 {
		begin, d := time.Now(), time.Duration(w.IntN(2000))*time.Microsecond
		w.must("a deadline", r.SetReadDeadline(begin.Add(d)))
		if n, err := r.Read(make([]byte, 10)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) < d {
			w.wrong("a read of an empty pipe gave %d bytes, %v after %v of %v", n, err, time.Since(begin), d)
		}
		w.must("no deadline", r.SetReadDeadline(time.Time{}))
	}
	done := make(chan error)
	go func() {
		got, err := io.ReadAll(r)
		if err == nil && !bytes.Equal(got, want) {
			err = fmt.Errorf("%d bytes came of %d, or others", len(got), len(want))
		}
		done <- err
	}()
	for at := 0; at < len(want); {
		n := 1 + w.IntN(len(want)-at)
		_, err := out.Write(want[at : at+n])
		w.must("a write to a pipe", err)
		at += n
	}
	w.must("close", out.Close())
	w.must("a pipe", <-done)
	w.must("close", r.Close())
}

const (
	disk   = "/dev/vda"
	sector = 512
	part   = 24 * sector // of the disk, for each worker
)

var diskSize int64 // 0: there is none

// findDisk looks for the disk.
func findDisk() {
	if f, err := os.Open(disk); err == nil {
		diskSize, _ = f.Seek(0, io.SeekEnd)
		f.Close()
	}
	if diskSize < workers*part {
		diskSize = 0
	}
}

// A diskPart is what a worker knows of its part of the disk.
type diskPart struct {
	at   int64
	want []byte
}

// open fills the part: earlier rounds may have left anything.
func (d *diskPart) open(w *worker) {
	if diskSize == 0 {
		return
	}
	*d = diskPart{int64(w.id) * part, w.some(part)}
	f := w.openDisk(os.O_RDWR)
	_, err := f.WriteAt(d.want, d.at)
	w.must("a first write", err)
	w.closeDisk(f)
}

// close reads all of it.
func (d *diskPart) close(w *worker) {
	if diskSize == 0 {
		return
	}
	f := w.openDisk(os.O_RDONLY)
	w.compare(f, 0, part, w.IntN(2) == 0)
	w.closeDisk(f)
}

// opens bounds how many have the disk open: there are not so many places for requests.
var opens = make(chan bool, 8)

func (w *worker) openDisk(flag int) *os.File {
	opens <- true
	f, err := os.OpenFile(disk, flag, 0)
	w.must("the disk", err)
	return f
}

func (w *worker) closeDisk(f *os.File) {
	w.must("close", f.Close())
	<-opens
}

// compare reads n bytes from byte at of the part on.
func (w *worker) compare(f *os.File, at, n int, seek bool) {
	got := make([]byte, n)
	var err error
	if seek {
		_, err = f.Seek(w.disk.at+int64(at), io.SeekStart)
		w.must("seek", err)
		_, err = io.ReadFull(f, got)
	} else {
		_, err = f.ReadAt(got, w.disk.at+int64(at))
	}
	w.must("a read of the disk", err)
	if want := w.disk.want[at : at+n]; !bytes.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				w.wrong("byte %d of the part at %d is %#x, not %#x", at+i, w.disk.at, got[i], want[i])
			}
		}
	}
}

// wait is the flag with which a goroutine waits for the disk in the poller; without, its vCPU waits.
func (w *worker) wait() int { return []int{0, syscall.O_NONBLOCK}[w.IntN(2)] }

// diskRead reads some of its part.
func (w *worker) diskRead() {
	if diskSize == 0 {
		return
	}
	f := w.openDisk(os.O_RDONLY | w.wait())
	for range 1 + w.IntN(3) {
		at := w.IntN(part)
		w.compare(f, at, 1+w.IntN(part-at), w.IntN(2) == 0)
	}
	w.closeDisk(f)
}

// diskWrite writes some of its part, and reads it back, or leaves that to later.
func (w *worker) diskWrite() {
	if diskSize == 0 {
		return
	}
	f := w.openDisk(os.O_RDWR | w.wait())
	for range 1 + w.IntN(3) {
		at := w.IntN(part)
		b := w.some(1 + w.IntN(part-at))
		_, err := f.Seek(w.disk.at+int64(at), io.SeekStart)
		w.must("seek", err)
		n, err := f.Write(b)
		w.must("a write to the disk", err)
		if n != len(b) {
			w.wrong("a write took %d bytes of %d", n, len(b))
		}
		copy(w.disk.want[at:], b)
		if w.IntN(2) == 0 {
			w.compare(f, at, len(b), w.IntN(2) == 0)
		}
	}
	if w.IntN(4) == 0 {
		w.must("sync", f.Sync())
	}
	w.closeDisk(f)
}

// timer sleeps, or is called back, and never early.
func (w *worker) timer() {
	for range 1 + w.IntN(3) {
		begin, d := time.Now(), time.Duration(w.IntN(3_000_000))
		switch w.IntN(3) {
		case 0:
			time.Sleep(d)
		case 1:
			<-time.After(d)
		default:
			fired := make(chan bool, 1)
			t := time.AfterFunc(d/2, func() { fired <- true })
			if !t.Reset(d) {
				<-fired // it fired before that: once more comes
				begin = time.Now().Add(-d)
			}
			<-fired
		}
		if took := time.Since(begin); took < d {
			w.wrong("a wait for %v took %v", d, took)
		}
	}
}

// delay makes a call that holds its vCPU for as long as it says: the device takes a microsecond for
// a byte.
func (w *worker) delay() {
	b := make([]byte, 1+w.IntN(300))
	d := time.Duration(len(b)) * time.Microsecond
	begin := time.Now()
	if f, err := os.Open("/dev/delay"); err == nil {
		_, err := io.ReadFull(f, b)
		w.must("the device", err)
		w.must("close", f.Close())
	} else {
		time.Sleep(d)
	}
	if took := time.Since(begin); took < d {
		w.wrong("a call that lasts %v took %v", d, took)
	}
}
