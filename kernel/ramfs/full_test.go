package ramfs

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestFull does random operations on a tree that is nearly always full: an operation that fails
// changes nothing, and all memory comes back in the end.
func TestFull(t *testing.T) {
	for seed := range uint64(30) {
		fs, arena := newFS(t, tablePages+12)
		r := rand.New(rand.NewPCG(seed, 1))
		root := fs.Root()
		failed := 0
		count := func() (n int) {
			for _, child, at := root.Next(2); child != nil; _, child, at = root.Next(at) {
				n++
			}
			return n
		}
		for range 3000 {
			name := []byte(fmt.Sprint(r.IntN(120)))
			before, pages := count(), fs.pages.Load()
			var e Errno
			switch r.IntN(6) {
			case 0, 1, 2:
				var n *Node
				if n, _, e = fs.Open(root, name, OpenWrite|OpenCreate, 0o600, 1); e == 0 && r.IntN(2) == 0 {
					at := int64(r.IntN(1 << 24))
					size := n.Size
					if _, e = fs.Reserve(n, at, 3*PageSize); e == ENOSPC && n.Size != size {
						t.Fatal("a write that failed changed the size")
					}
					before = count()
					pages = fs.pages.Load()
				}
			case 3:
				at, _ := fs.Walk(root, name, Entry)
				e = fs.Symlink(at, []byte("somewhere"), 1)
			case 4:
				from, _ := fs.Walk(root, name, Entry)
				to, _ := fs.Walk(root, []byte(fmt.Sprint("long name that has a record of its own size", r.IntN(99), "...................................")), Entry)
				e = fs.Rename(from, to, 0, 1)
			case 5:
				at, _ := fs.Walk(root, name, Entry)
				e = fs.Unlink(at, 1)
			}
			if e == ENOSPC {
				failed++
				if count() != before || fs.pages.Load() > pages+1 {
					t.Fatalf("seed %d: what failed left %d names of %d, %d pages of %d", seed, count(), before, fs.pages.Load(), pages)
				}
			}
			if fs.pages.Load() > fs.limit || int64(arena.out) != fs.pages.Load() {
				t.Fatalf("%d pages are in use, %d counted, %d allowed", arena.out, fs.pages.Load(), fs.limit)
			}
		}
		if failed == 0 {
			t.Error("it was never full")
		}
		for {
			name, child, _ := root.Next(2)
			if child == nil {
				break
			}
			at, _ := fs.Walk(root, name, Entry)
			if e := fs.Unlink(at, 1); e != 0 {
				t.Fatal(e)
			}
		}
		if fs.nodes != 1 {
			t.Errorf("%d nodes are left", fs.nodes)
		}
	}
}

// TestShrink gives back a large file's memory in steps.
func TestShrink(t *testing.T) {
	fs, _ := newFS(t, 3000)
	n, _, _ := fs.Open(fs.Root(), []byte("f"), OpenWrite|OpenCreate, 0o600, 1)
	base := fs.pages.Load()
	for i := range int64(2000) {
		if _, e := fs.Reserve(n, i*PageSize*3, 1); e != 0 {
			t.Fatal(e)
		}
		n.Edit(i*PageSize*3, 1, 1)
	}
	steps := 1
	for last := fs.pages.Load(); fs.Shrink(n, 5); steps++ {
		if fs.pages.Load() >= last || last-fs.pages.Load() > shrinkStep+4 {
			t.Fatalf("a step gave back %d pages", last-fs.pages.Load())
		}
		last = fs.pages.Load()
	}
	if e := fs.Truncate(n, 5, 1); e != 0 || n.Size != 5 {
		t.Fatal(e, n.Size)
	}
	if steps < 2000/shrinkStep || fs.pages.Load() > base+4 {
		t.Errorf("%d steps, %d pages are left", steps, fs.pages.Load()-base)
	}
}
