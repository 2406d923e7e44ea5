//go:build explore

package ramfs

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"sched9/sched/atomic"
)

// besides is how many pages of besideFile's files are borrowed ones: their bytes are 1, 2, ...
const besides = 3

// besideWritten is what the bytes of written pages are.
const besideWritten = 0x77

// besideBytes are the borrowed pages.
var besideBytes [besides * PageSize]byte

// besidePlaces are numbers of pages: borrowed ones, and some behind them that make a tree of one level, two and three.
var besidePlaces = []int64{0, 1, besides - 1, besides, fan - 1, fan, fan + 1, fan*fan - 1, fan * fan, fan*fan + 3*fan}

// besideGive gives n page i, and writes what it had not before.
func besideGive(t *testing.T, fs *FS, n *Node, i int64, written map[int64]bool) {
	p := fs.Own(n, i)
	if p == 0 {
		t.Fatal("no memory")
	}
	for at := range bytesAt(p, PageSize) {
		bytesAt(p, PageSize)[at] = besideWritten
	}
	written[i] = true
}

// besideFile makes a large file that has no page of its own.
func besideFile(t *testing.T) (*FS, *Node) {
	fs, _ := newFS(t, 60)
	at, _ := fs.Walk(fs.Root(), []byte("file"), Entry)
	n, e := fs.Make(at, ModeFile|0o600, 0, 1)
	if e != 0 {
		t.Fatal(e)
	}
	for i := range besideBytes {
		besideBytes[i] = byte(1 + i/PageSize)
	}
	n.Borrow(uintptr(unsafe.Pointer(&besideBytes)), int64(len(besideBytes)))
	n.Size = fan * fan * fan * PageSize
	return fs, n
}

// differs says what is wrong with page i of such a file, which may have been written, "" if nothing.
func differs(n *Node, i int64, written bool) string {
	p, size := n.View(i*PageSize, PageSize)
	want := byte(0)
	switch {
	case written:
		want = besideWritten
	case i < besides:
		want = byte(i + 1)
	}
	switch {
	case size != PageSize:
		return fmt.Sprintf("page %d: %d bytes lie together", i, size)
	case p == 0 && want != 0:
		return fmt.Sprintf("page %d is zeros, not %#x", i, want)
	case p == 0:
		return ""
	}
	for at, got := range bytesAt(p, PageSize) {
		if got != want {
			return fmt.Sprintf("byte %d of page %d is %#x, not %#x", at, i, got, want)
		}
	}
	return ""
}

// TestExplored gives files pages while they are read, as a fault in a mapped file does. Each byte is what it was at any moment: after each store of whoever
// gives a page, and if a page is given after any load of a reader's.
func TestExplored(t *testing.T) {
	defer func() { atomic.After = nil }()
	stores := 0
	for round := range 40 {
		fs, n := besideFile(t)
		order := make([]int, len(besidePlaces)) // of the first round: by number, so that the levels come one by one
		for i := range order {
			order[i] = i
		}
		if round > 0 {
			order = rand.New(rand.NewPCG(1, uint64(round))).Perm(len(order))
		}
		written := map[int64]bool{}
		for _, i := range order {
			var after func(unsafe.Pointer, atomic.Op, uint64, uint64, bool)
			after = func(_ unsafe.Pointer, _ atomic.Op, _, _ uint64, wrote bool) {
				if !wrote {
					return
				}
				stores++
				atomic.After = nil
				for _, seen := range besidePlaces {
					if s := differs(n, seen, written[seen]); s != "" {
						t.Fatalf("while page %d is given, in the order %v: %s", besidePlaces[i], order, s)
					}
				}
				atomic.After = after
			}
			atomic.After = after
			besideGive(t, fs, n, besidePlaces[i], written)
			atomic.After = nil
		}
	}
	loads := 0
	for _, first := range besidePlaces {
		for _, given := range besidePlaces {
			for _, read := range besidePlaces {
				for stop := 0; ; stop++ {
					fs, n := besideFile(t)
					written := map[int64]bool{}
					besideGive(t, fs, n, first, written)
					seen, was := 0, written[read]
					atomic.After = func(unsafe.Pointer, atomic.Op, uint64, uint64, bool) {
						if seen++; seen > stop {
							atomic.After = nil
							fs.Own(n, given)
						}
					}
					s := differs(n, read, was)
					over := atomic.After != nil
					if atomic.After = nil; s != "" {
						t.Fatalf("page %d is there, page %d is given after load %d of a reader: %s", first, given, stop+1, s)
					}
					if over {
						break
					}
					loads++
				}
			}
		}
	}
	if stores < 500 || loads < 2000 {
		t.Fatalf("only %d stores and %d loads were seen", stores, loads)
	}
	t.Logf("model: a file is read after each of %d stores, and gets a page after each of %d loads", stores, loads)
}
