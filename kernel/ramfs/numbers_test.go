package ramfs

import (
	"fmt"
	"slices"
	"testing"
)

// newNumbers returns a file system of so many pages more than it must have, whose directory /fd shows table.
func newNumbers(t *testing.T, pages int, table []*Node) (*FS, *arena, *Node) {
	fs, a := newFS(t, tablePages+pages)
	fs.Number = func(n int) (*Node, bool) {
		if n >= len(table) {
			return nil, false
		}
		return table[n], n+1 < len(table)
	}
	at, _ := fs.Walk(fs.Root(), []byte("fd"), Entry)
	dir, e := fs.Mkdir(at, 0o555, 1)
	if e != 0 {
		t.Fatal(e)
	}
	fs.SetNumbers(dir)
	return fs, a, dir
}

// TestNumbers has the directory of numbers follow a table, at random, by each way of looking at it.
func TestNumbers(t *testing.T) {
	table := make([]*Node, 40)
	fs, arena, dir := newNumbers(t, 20, table)
	file, _, _ := fs.Open(fs.Root(), []byte("file"), OpenWrite|OpenCreate, 0o600, 1)
	nameless := fs.Nameless(ModeFifo|0o600, 1)
	for i := range 300 {
		n := i * 7 % len(table)
		switch {
		case table[n] != nil:
			table[n] = nil
		case i%2 == 0:
			table[n] = file
		default:
			table[n] = nameless
		}
		for n, want := range table {
			link := fmt.Sprint("/fd/", n)
			at, e := fs.Walk(fs.Root(), []byte(link), Follow)
			if e != 0 || at.Node != want {
				t.Fatalf("%s leads to %v, not %v: %d", link, at.Node, want, e)
			}
			if at, e = fs.Walk(fs.Root(), []byte(link), NoFollow); e != 0 || (at.Node != nil) != (want != nil) || want != nil && fs.Behind(at.Node) != want {
				t.Fatalf("%s is %v: %d", link, at.Node, e)
			}
		}
		table[(i+3)%len(table)] = file
		renewAll(fs, dir)
		var names, want []string
		for name, child, next := dir.Next(2); child != nil; name, child, next = dir.Next(next) {
			names = append(names, string(name))
		}
		for n := range table {
			if table[n] != nil {
				want = append(want, fmt.Sprint(n))
			}
		}
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Fatalf("the directory has %q, not %q", names, want)
		}
	}
	if _, _, e := fs.Open(fs.Root(), []byte("fd/new"), OpenWrite|OpenCreate, 0o600, 1); e != EROFS {
		t.Errorf("a file was made among the numbers: %d", e)
	}
	table[3] = file
	if _, e := fs.Walk(fs.Root(), []byte("fd/3/x"), Follow); e != ENOTDIR {
		t.Errorf("something below a file: %d", e)
	}
	b := make([]byte, 100)
	if begin, e := fs.Name(file, b); e != 0 || string(b[begin:]) != "/file" {
		t.Errorf("its name is %q, %d", b[begin:], e)
	}
	if begin, e := fs.Name(dir, b); e != 0 || string(b[begin:]) != "/fd" {
		t.Errorf("its name is %q, %d", b[begin:], e)
	}
	if _, e := fs.Name(nameless, b); e != ENOENT {
		t.Errorf("what has no name has one: %d", e)
	}
	if _, e := fs.Name(file, b[:4]); e != ENAMETOOLONG {
		t.Errorf("5 bytes went into 4: %d", e)
	}
	// Where there is no memory links are missing, and come when there is some.
	held := arena.out
	fs.limit = int64(held)
	clear(table[:])
	renewAll(fs, dir)
	for n := range table {
		table[n] = file
	}
	for fs.entrySlab[0].free != 0 { // so that there is none
		fs.entrySlab[0].take(fs)
	}
	renewAll(fs, dir)
	if _, child, _ := dir.Next(2); child != nil {
		t.Error("there is a link, and no memory for it")
	}
	fs.limit = int64(held) + 20
	renewAll(fs, dir)
	if at, e := fs.Walk(fs.Root(), []byte("/fd/39"), Follow); e != 0 || at.Node != file {
		t.Errorf("%v, %d", at.Node, e)
	}
}

// TestPortions: a large directory is brought up to date in portions, between which it may be looked at and changed; one name does not bring
// the others. Reading goes on where it was, whatever is removed.
func TestPortions(t *testing.T) {
	table := make([]*Node, 3*Portion+1)
	fs, _, dir := newNumbers(t, 200, table)
	file := fs.Nameless(ModeFifo|0o600, 1)
	for i := range table {
		table[i] = file
	}
	for _, name := range []string{"fd/700", "fd/0700", "fd/-1", "fd/999999", "fd/70000000000000000000000"} {
		if at, e := fs.Walk(fs.Root(), []byte(name), NoFollow); e != 0 || (at.Node != nil) != (name == "fd/700") {
			t.Errorf("%s: %v, %d", name, at.Node, e)
		}
		if name == "fd/700" && dir.entries != 1 {
			t.Errorf("one name brought %d", dir.entries)
		}
	}
	if n := renewAll(fs, dir); n != 4 || int(dir.entries) != len(table) {
		t.Errorf("%d entries of %d in %d portions", dir.entries, len(table), n)
	}
	seen := 0
	for name, child, next := dir.Next(2); child != nil; name, child, next = dir.Next(next) {
		n := int(child.number) - 1
		if string(name) != fmt.Sprint(n) {
			t.Fatalf("%q is number %d", name, n)
		}
		// What was read last goes, and what comes next but one.
		for _, gone := range []int{n, n + 2} {
			if seen++; seen%5 == 0 && gone < len(table) {
				table[gone] = nil
				fs.Walk(fs.Root(), fmt.Append(nil, "fd/", gone), NoFollow)
			}
		}
	}
	left := 0
	for n := range table {
		if table[n] != nil {
			left++
		}
	}
	got := 0
	for _, child, next := dir.Next(2); child != nil; _, child, next = dir.Next(next) {
		got++
	}
	if got != left || left == len(table) || int(dir.entries) != left {
		t.Errorf("%d entries are read of %d, of %d numbers", got, dir.entries, left)
	}
	// All go, in portions.
	portions := 0
	for at, first := int64(0), true; at != 0 || first; first = false {
		at = fs.PruneUnless(dir, at, func(n *Node) bool { return n.number%2 == 0 })
		portions++
	}
	for _, child, next := dir.Next(2); child != nil; _, child, next = dir.Next(next) {
		if child.number%2 != 0 {
			t.Fatalf("number %d was not pruned", child.number-1)
		}
	}
	if portions < 3 {
		t.Errorf("%d portions", portions)
	}
}
