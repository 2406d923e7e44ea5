// Disk reads and writes a disk, with the device polled and through the network poller.
//
// Shows [N1] (goroutines that wait for a device hold no M; its interrupt makes them runnable) and [N3]. Each sector of
// the disk holds its number, so that every byte is known. Without O_NONBLOCK a read holds its vCPU until the device is
// done. With it, many goroutines wait at once, each for its own request, even on a machine with one vCPU. If all of
// them have the right bytes at the end, no request was lost, done twice or given to another. Their writes are read
// back both ways. At last files are closed, and reads given up, while the device still works for them, often enough
// that the places for requests would run out if one were lost each time.
//
// The disk is /dev/vda, or the file that the first argument names.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	sector  = 512
	readers = 16
	writers = 4
)

var (
	name = "/dev/vda"
	size int64 // of the disk
	half int64 // the first half is only read
)

func wrong(format string, args ...any) {
	fmt.Printf("disk: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// open opens the disk, with O_NONBLOCK if it shall wait in the poller.
func open(flag int) *os.File {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		wrong("%v", err)
	}
	return f
}

// check compares bytes read at off in the first half with the expected ones.
func check(got []byte, off int64) {
	for i := 0; i < len(got); {
		at := off + int64(i)
		var want [8]byte
		binary.LittleEndian.PutUint64(want[:], uint64(at/sector))
		n := min(8-int(at%8), len(got)-i)
		if part := want[at%8:][:n]; !bytes.Equal(got[i:i+n], part) {
			wrong("byte %d is of % x, not % x", at, got[i:i+n], part)
		}
		i += n
	}
}

// random is a generator of its own for each goroutine.
type random uint64

func (r *random) below(n int64) int64 {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int64(uint64(*r) >> 1 % uint64(n))
}

// together runs fn n times at once and says how long that took.
func together(what string, n int, fn func(id int) (transferred int64)) {
	var wg sync.WaitGroup
	var sum atomic.Int64
	begin := time.Now()
	for id := range n {
		wg.Go(func() { sum.Add(fn(id)) })
	}
	wg.Wait()
	fmt.Printf("disk: %d goroutines %s %d KiB in %v\n", n, what, sum.Load()>>10, time.Since(begin))
}

// readPolled reads anywhere, any number of bytes.
func readPolled(id int) (n int64) {
	f := open(os.O_RDONLY)
	defer f.Close()
	r := random(id + 1)
	for range 5 {
		off := r.below(half)
		b := make([]byte, 1+r.below(min(60_000, half-off)))
		if _, err := f.ReadAt(b, off); err != nil {
			wrong("a read of %d bytes at %d: %v", len(b), off, err)
		}
		check(b, off)
		n += int64(len(b))
	}
	return n
}

// readWaiting reads a stretch of the disk in pieces of any size.
func readWaiting(id int) (n int64) {
	f := open(os.O_RDONLY | syscall.O_NONBLOCK)
	defer f.Close()
	r := random(id + 100)
	begin := half / readers * int64(id)
	if _, err := f.Seek(begin, io.SeekStart); err != nil {
		wrong("%v", err)
	}
	b := make([]byte, 20_000)
	for n < min(half/readers, 60_000) {
		k, err := f.Read(b[:1+r.below(min(int64(len(b)), half-begin-n))])
		if err != nil || k == 0 {
			wrong("a read at %d gave %d bytes, %v", begin+n, k, err)
		}
		check(b[:k], begin+n)
		n += int64(k)
	}
	return n
}

// write makes each goroutine write a part of the second half, with bytes computed from its number
// and the place, and read it back both ways. Pieces begin and end anywhere.
func write(flag int) func(id int) int64 {
	return func(id int) (n int64) {
		length := min(half/writers, 30_000)
		begin := half + half/writers*int64(id)
		r := random(id + 1000 + flag)
		want := make([]byte, length)
		for i := range want {
			want[i] = byte(r.below(256))
		}
		f := open(os.O_RDWR | flag)
		defer f.Close()
		if _, err := f.Seek(begin, io.SeekStart); err != nil {
			wrong("%v", err)
		}
		for n < length {
			k, err := f.Write(want[n:][:1+r.below(min(20_000, length-n))])
			if err != nil {
				wrong("a write at %d: %v", begin+n, err)
			}
			n += int64(k)
		}
		if err := f.Sync(); err != nil {
			wrong("%v", err)
		}
		got := make([]byte, length)
		if _, err := f.ReadAt(got, begin); err != nil || !bytes.Equal(got, want) {
			wrong("what was written at %d did not come back: %v", begin, err)
		}
		clear(got)
		g := open(os.O_RDONLY | syscall.O_NONBLOCK)
		defer g.Close()
		g.Seek(begin, io.SeekStart)
		if _, err := io.ReadFull(g, got); err != nil || !bytes.Equal(got, want) {
			wrong("what was written at %d did not come back through the poller: %v", begin, err)
		}
		return n
	}
}

// giveUp closes files, and lets deadlines pass, while reads are on their way.
func giveUp(id int) (n int64) {
	r := random(id + 7)
	b := make([]byte, 20_000)
	for i := range 20 {
		f := open(os.O_RDONLY | syscall.O_NONBLOCK)
		off := r.below(half - int64(len(b)))
		f.Seek(off, io.SeekStart)
		if i%2 == 0 {
			done := make(chan error)
			go func() {
				k, err := f.Read(b)
				check(b[:k], off)
				done <- err
			}()
			for range r.below(4) {
				runtime.Gosched()
			}
			f.Close()
			if err := <-done; err != nil && !errors.Is(err, os.ErrClosed) {
				wrong("a read of a file that was closed: %v", err)
			}
			continue
		}
		f.SetReadDeadline(time.Now().Add(time.Duration(r.below(200_000))))
		k, err := f.Read(b)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, os.ErrNoDeadline) {
			wrong("a read with a deadline: %v", err)
		}
		check(b[:k], off)
		n += int64(k)
		// The next read still works.
		f.SetReadDeadline(time.Time{})
		off += int64(k)
		k, err = f.Read(b)
		if err != nil || k == 0 {
			wrong("a read after one that timed out gave %d bytes, %v", k, err)
		}
		check(b[:k], off)
		n += int64(k)
		f.Close()
	}
	return n
}

// large writes more than a slot holds, beside others, and reads it back: more of these than there are slots
// for polled transfers.
func large(id int) (n int64) {
	length := half / 16
	begin := half + length*int64(id)
	f := open(os.O_RDWR)
	defer f.Close()
	want := bytes.Repeat([]byte{byte(id + 1), 7}, int(length/2))
	if _, err := f.WriteAt(want, begin); err != nil {
		wrong("a large write at %d: %v", begin, err)
	}
	got := make([]byte, len(want))
	if _, err := f.ReadAt(got, begin); err != nil || !bytes.Equal(got, want) {
		wrong("what was written at %d did not come back: %v", begin, err)
	}
	return int64(len(want))
}

// share makes one goroutine use a file with O_NONBLOCK for Write and another for Sync, ReadAt and WriteAt; then
// one for Read and the other for WriteAt of the same bytes. A lost wake-up leaves the first waiting for ever;
// its writes are checked.
func share() func(id int) int64 {
	f := open(os.O_RDWR | syscall.O_NONBLOCK)
	var over atomic.Bool
	const blocks, block = 200, 4096
	beside := func() {
		b := make([]byte, block)
		for i := int64(0); !over.Load(); i++ {
			switch i % 4 {
			case 0, 1:
				f.Sync()
			case 2:
				f.ReadAt(b[:1], size) // behind the end
			case 3:
				f.WriteAt(b, half+blocks*block)
			}
		}
	}
	return func(id int) (n int64) {
		if id > 0 {
			beside()
			return 0
		}
		defer f.Close()
		defer over.Store(true)
		b := make([]byte, block)
		f.Seek(half, io.SeekStart)
		for i := range int64(blocks) {
			for j := range b {
				b[j] = byte(i)
			}
			if k, err := f.Write(b); k != block || err != nil {
				wrong("a write beside Sync took %d bytes, %v", k, err)
			}
			n += block
		}
		for i := range int64(blocks) {
			if k, err := f.ReadAt(b, half+i*block); k != block || err != nil || b[0] != byte(i) || b[block-1] != byte(i) {
				wrong("block %d beside Sync: %d bytes, %v, of block %d", i, k, err, b[0])
			}
		}
		f.Seek(0, io.SeekStart)
		for off := int64(0); off < blocks*block; {
			k, err := f.Read(b)
			if k == 0 || err != nil {
				wrong("a read beside WriteAt gave %d bytes, %v", k, err)
			}
			check(b[:k], off)
			off += int64(k)
		}
		return n
	}
}

// ends looks at the disk's end.
func ends(flag int) {
	f := open(os.O_RDWR | flag)
	defer f.Close()
	if got, err := f.Seek(0, io.SeekEnd); got != size || err != nil {
		wrong("the disk ends at %d, %v", got, err)
	}
	if n, err := f.Read(make([]byte, 10)); n != 0 || err != io.EOF {
		wrong("a read at the end gave %d bytes, %v", n, err)
	}
	if st, err := f.Stat(); err == nil && st.Mode()&os.ModeDevice != 0 {
		if n, err := f.Write(make([]byte, 10)); n != 0 || !errors.Is(err, syscall.ENOSPC) {
			wrong("a write at the end took %d bytes, %v", n, err)
		}
	}
	f.Seek(-700, io.SeekEnd)
	b := make([]byte, 1000)
	if n, err := io.ReadFull(f, b); n != 700 || err != io.ErrUnexpectedEOF {
		wrong("a read across the end gave %d bytes, %v", n, err)
	}
}

func main() {
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	f := open(os.O_RDONLY)
	size, _ = f.Seek(0, io.SeekEnd)
	half = size / 2 / sector * sector
	st, err := f.Stat()
	if err != nil || size < 1<<20 {
		wrong("%d bytes, %v", size, err)
	}
	f.Close()
	fmt.Printf("disk: %s %v, %d sectors\n", name, st.Mode(), size/sector)

	ends(0)
	ends(syscall.O_NONBLOCK)
	together("read, polled,", 4, readPolled)
	together("read, waiting,", readers, readWaiting)
	together("wrote, polled,", writers, write(0))
	together("wrote, waiting,", writers, write(syscall.O_NONBLOCK))
	together("read, both ways at once,", readers, func(id int) int64 {
		if id%4 == 0 {
			return readPolled(id)
		}
		return readWaiting(id)
	})
	together("gave up, and read,", 8, giveUp)
	together("read, waiting,", readers, readWaiting)
	together("wrote at once, polled,", 12, large)
	together("shared a file:", 2, share())
	fmt.Println("disk: done")
}
