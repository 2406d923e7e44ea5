package ramfs

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"
)

// renewAll is Renew of all that there is.
func renewAll(fs *FS, dir *Node) (portions int) {
	var part Part
	for portions = 1; fs.Renew(dir, nil, &part); portions++ {
	}
	return portions
}

// TestLive: a live directory is asked before each look, for the name or for all, and what it has comes and goes without a trace,
// though it is read-only; what is held stays as long as it is.
func TestLive(t *testing.T) {
	fs, _ := newFS(t, tablePages+20)
	at, _ := fs.Walk(fs.Root(), []byte("live"), Entry)
	dir, e := fs.Mkdir(at, 0o755, 1)
	if e != 0 {
		t.Fatal(e)
	}
	dir.Live, dir.ReadOnly = true, true
	there := map[string]bool{}
	var asked []string
	fs.Refresh = func(fs *FS, p, name, n, part uintptr) bool {
		if handle(p).node() != dir {
			t.Errorf("another directory is asked for")
		}
		each := []string{"a", "b", "c"}
		asked = append(asked, string(bytesAt(name, n)))
		if n > 0 {
			each = []string{unsafe.String((*byte)(unsafe.Pointer(name)), n)}
		}
		for _, name := range each {
			node := fs.Find(dir, []byte(name))
			switch {
			case there[name] && node == nil:
				d := fs.Plant(dir, []byte(name), ModeDir|0o555, 7)
				d.ReadOnly = true
				fs.Plant(d, []byte("one"), ModeFile|0o444, 8)
				fs.Plant(d, []byte("two"), ModeFile|0o444, 9)
			case !there[name] && node != nil:
				fs.Prune(dir, []byte(name))
			}
		}
		return false
	}
	// The slabs keep their pages: what is used up shows in the nodes, and in a second round's pages.
	used := []int64{}
	for round := range 3 {
		_, _, before := fs.Usage()
		for _, name := range []string{"a", "b"} {
			there[name] = true
		}
		p, e := fs.Walk(fs.Root(), []byte("live/a/two"), Follow)
		if e != 0 || p.Node == nil || p.Node.Rdev != 9 || p.Dir.Rdev != 7 || asked[len(asked)-1] != "a" {
			t.Fatalf("round %d: %v, %d, asked %q", round, p.Node, e, asked)
		}
		held := p.Node
		held.Hold()
		if p, e := fs.Walk(fs.Root(), []byte("live/c"), Follow); e != 0 || p.Node != nil {
			t.Errorf("what is not there is %v, %d", p.Node, e)
		}
		renewAll(fs, dir)
		var names []string
		for name, child, next := dir.Next(2); child != nil; name, child, next = dir.Next(next) {
			names = append(names, string(name))
		}
		if !slices.Equal(names, []string{"a", "b"}) || dir.Mtime != 1 || dir.Links() != 4 {
			t.Errorf("round %d: %q, changed at %d, %d links", round, names, dir.Mtime, dir.Links())
		}
		clear(there)
		if round == 1 { // the other way to empty it
			fs.PruneUnless(dir, 0, func(n *Node) bool { return n.Rdev != 7 })
		}
		renewAll(fs, dir)
		if _, child, _ := dir.Next(2); child != nil || dir.Links() != 2 {
			t.Errorf("round %d: something is left", round)
		}
		if held.Rdev != 9 || held.Links() != 0 {
			t.Errorf("round %d: what is held is %+v", round, held)
		}
		fs.Drop(held)
		pages, _, after := fs.Usage()
		if after != before {
			t.Errorf("round %d: %d nodes before, %d after", round, before, after)
		}
		used = append(used, pages)
	}
	if used[2] != used[0] {
		t.Errorf("pages in use: %s", fmt.Sprint(used))
	}
}
