package ramfs

import (
	"fmt"
	"slices"
	"testing"
)

// TestNumbers has the directory of numbers follow a table, at random, by each way of looking at it.
func TestNumbers(t *testing.T) {
	fs, arena := newFS(t, tablePages+20)
	var table [40]*Node
	fs.Number = func(n int) (*Node, bool) { return table[n], n+1 < len(table) }
	at, _ := fs.Walk(fs.Root(), []byte("fd"), Entry)
	dir, e := fs.Mkdir(at, 0o555, 1)
	if e != 0 {
		t.Fatal(e)
	}
	fs.SetNumbers(dir)
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
		fs.Renew(dir)
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
	fs.Renew(dir)
	for n := range table {
		table[n] = file
	}
	for fs.entrySlab[0].free != 0 { // so that there is none
		fs.entrySlab[0].take(fs)
	}
	fs.Renew(dir)
	if _, child, _ := dir.Next(2); child != nil {
		t.Error("there is a link, and no memory for it")
	}
	fs.limit = int64(held) + 20
	fs.Renew(dir)
	if at, e := fs.Walk(fs.Root(), []byte("/fd/39"), Follow); e != 0 || at.Node != file {
		t.Errorf("%v, %d", at.Node, e)
	}
}
