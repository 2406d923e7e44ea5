package ramfs

import (
	"strings"
	"testing"
)

// TestCross: a path is followed to the first directory with a mark, by links and by "..", and the rest is what remains of it and of the links that
// led there. A path that begins in that directory stays there.
func TestCross(t *testing.T) {
	fs, _ := newFS(t, tablePages+20)
	mkdir := func(name string) *Node {
		p, _ := fs.Walk(fs.Root(), []byte(name), Entry)
		n, e := fs.Mkdir(p, 0o755, 1)
		if e != 0 {
			t.Fatal(name, e)
		}
		return n
	}
	link := func(name, target string) {
		p, _ := fs.Walk(fs.Root(), []byte(name), Entry)
		if e := fs.Symlink(p, []byte(target), 1); e != 0 {
			t.Fatal(name, e)
		}
	}
	mkdir("n")
	m := mkdir("n/m")
	below := mkdir("n/m/below")
	m.Mount = 7
	link("in", "/n/m/x")
	link("n/up", "../in/y/")
	link("n/m/shadow", "/n")
	link("long", "/n/m/"+strings.Repeat("l", MaxPath-10))
	for _, c := range []struct {
		at   *Node
		path string
		end  End
		rest string // "-": none is crossed
		e    Errno
	}{
		{fs.Root(), "/n/m", Follow, "", 0},
		{fs.Root(), "/n/m", Entry, "", 0},
		{fs.Root(), "n//m//a/../b/", Follow, "a/../b/", 0},
		{fs.Root(), "/n/m/..", Follow, "..", 0},
		{fs.Root(), "/in", Follow, "x", 0},
		{fs.Root(), "/in", NoFollow, "-", 0},
		{fs.Root(), "/in/", NoFollow, "x/.", 0},
		{fs.Root(), "/in", Entry, "-", 0},
		{fs.Root(), "/n/up/z", Follow, "x/y//z", 0},
		{fs.Root(), "/n/none/m", Follow, "-", 0},
		{fs.Root(), "/n", Follow, "-", 0},
		{fs.Root(), "/long", Follow, strings.Repeat("l", MaxPath-10), 0},
		{fs.Root(), "/long/more/than/there/is/room/for", Follow, "", ENAMETOOLONG},
		{m, ".", Follow, "-", 0},
		{m, "below", Follow, "-", 0},
		{m, "shadow/m/q", Follow, "q", 0},
		{below, "..", Follow, "", 0},
	} {
		x := &Crossing{}
		e := fs.Cross(c.at, []byte(c.path), c.end, x)
		got := string(x.Rest[:x.N])
		if x.Mount == 0 {
			got = "-"
		}
		if e != c.e || e == 0 && got != c.rest {
			t.Errorf("%.30q, %d: %.50q, error %d; want %.50q, %d", c.path, c.end, got, e, c.rest, c.e)
		}
		if p, e := fs.Walk(c.at, []byte(c.path), c.end); e == 0 && p.Node != nil && strings.HasSuffix(c.path, "m") && p.Node != m && c.rest == "" {
			t.Errorf("%q: Walk minds the mark", c.path)
		}
	}
}
