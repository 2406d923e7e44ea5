package remote

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"sched9/srv/mount"
	"sched9/srv/nine"
)

// dial returns the root of a directory that srv/nine serves, by 9P2000.
func dial(t *testing.T) (dir string, root *plainNode) {
	t.Helper()
	dir = t.TempDir()
	a, b := net.Pipe()
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer b.Close()
		nine.Serve(b, nine.Tree(dir))
	}()
	t.Cleanup(func() {
		a.Close()
		<-over
	})
	n, err := Attach(NewStream(a, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return dir, n.(*plainNode)
}

// TestPlain does with a server of 9P2000 all that nodes can do, and looks at what it serves.
func TestPlain(t *testing.T) {
	dir, root := dial(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want := bytes.Repeat([]byte("0123456789"), 30_000) // more than a message
	n, err := root.Create("file", syscall.O_RDWR, 0o640)
	must(err)
	f := n.(*plainNode)
	if k, err := f.WriteAt(want, 3); k != len(want) || err != nil {
		t.Fatalf("%d bytes written, %v", k, err)
	}
	got := make([]byte, len(want)+10)
	if k, err := f.ReadAt(got, 3); err != nil || !bytes.Equal(got[:k], want) {
		t.Fatalf("%d bytes read, %v", k, err)
	}
	must(f.Close())
	size, mode, when := int64(4), fs.FileMode(0o600), time.Unix(1e9, 0)
	must(root.Mkdir("dir", 0o755))
	n, err = root.Lookup("file")
	must(err)
	must(n.(mount.Setter).Set(mount.Change{Size: &size, Mode: &mode, Mtime: &when}))
	if at, err := n.Stat(); err != nil || at.Size != 4 || at.Mode != 0o600 || !at.Mtime.Equal(when) {
		t.Errorf("%+v, %v", at, err)
	}
	must(n.(io.Closer).Close())
	must(root.Create1("other", t))
	must(root.Rename("file", root, "other"))
	if b, err := os.ReadFile(filepath.Join(dir, "other")); err != nil || string(b) != "\x00\x00\x000" {
		t.Errorf("the renamed file holds %q, %v", b, err)
	}
	d, err := root.Open(syscall.O_RDONLY)
	must(err)
	all, err := d.(mount.Directory).List()
	must(err)
	must(d.(io.Closer).Close())
	slices.SortFunc(all, func(a, b mount.Entry) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	if len(all) != 2 || all[0].Name != "dir" || all[0].Type != fs.ModeDir || all[1].Name != "other" || all[1].Type != 0 {
		t.Errorf("the directory has %v", all)
	}
	for _, c := range []struct {
		err  error
		want error
	}{
		{root.Mkdir("dir", 0o755), syscall.EEXIST},
		{root.Remove("none", false), syscall.ENOENT},
		{root.Symlink("a", "b"), syscall.EPERM},
		{root.Rename("none", root, "x"), syscall.ENOENT},
	} {
		if c.err != c.want {
			t.Errorf("%v, not %v", c.err, c.want)
		}
	}
	must(root.Remove("dir", true))
	must(root.Remove("other", false))
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
	if c := root.c; len(c.free) != int(c.next)-1 {
		t.Errorf("%d of %d fids are free, all but the root's should be", len(c.free), c.next)
	}
}

// Create1 makes a file and closes it.
func (n *plainNode) Create1(name string, t *testing.T) error {
	t.Helper()
	f, err := n.Create(name, syscall.O_WRONLY, 0o600)
	if err == nil {
		err = f.(*plainNode).Close()
	}
	return err
}

// TestDeadLine: a server that is silent, that goes away, or that sends what cannot be, makes calls fail, in time.
func TestDeadLine(t *testing.T) {
	for name, server := range map[string]func(c net.Conn){
		"silent":     func(c net.Conn) { io.Copy(io.Discard, c) },
		"deaf":       func(net.Conn) {},
		"gone":       func(c net.Conn) { c.Read(make([]byte, 10)); c.Close() },
		"short":      func(c net.Conn) { go io.Copy(io.Discard, c); c.Write([]byte{6, 0, 0, 0, 101, 255}) },
		"endless":    func(c net.Conn) { go io.Copy(io.Discard, c); c.Write([]byte{255, 255, 255, 255, 101, 255, 255}) },
		"not asked":  func(c net.Conn) { go io.Copy(io.Discard, c); c.Write([]byte{7, 0, 0, 0, 101, 1, 0}) },
		"not a word": func(c net.Conn) { go io.Copy(io.Discard, c); c.Write([]byte{7, 0, 0, 0, 101, 255, 255}) },
	} {
		a, b := net.Pipe()
		go server(b)
		if _, err := Attach(NewStream(a, 20*time.Millisecond)); err == nil {
			t.Errorf("%s: a session with nobody", name)
		}
		a.Close()
		b.Close()
	}
}

// half is a connection that nobody writes to any more, and whose other half never ends.
type half struct{ net.Conn }

func (half) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (half) Close() error              { return nil }

// TestHalf: a call whose message cannot be sent ends at once, with no limit.
func TestHalf(t *testing.T) {
	a, b := net.Pipe()
	if _, err := Attach(NewStream(half{a}, 0)); err == nil {
		t.Error("a session with nobody")
	}
	a.Close()
	b.Close()
}

// FuzzStream has the other end say anything: nothing hangs or dies.
func FuzzStream(f *testing.F) {
	version := []byte("\x15\x00\x00\x00\x65\xff\xff\x00\x20\x00\x00\x08\x009P2000.L")
	f.Add(append(slices.Clone(version), "\x14\x00\x00\x00\x69\x00\x00\x80\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"...))
	f.Add(append(slices.Clone(version), "\x0b\x00\x00\x00\x07\x00\x00\x02\x00\x00\x00"...))
	f.Fuzz(func(t *testing.T, said []byte) {
		a, b := net.Pipe()
		go io.Copy(io.Discard, b)
		go func() {
			b.Write(said)
			b.Close()
		}()
		root, err := Attach(NewStream(a, time.Minute))
		if err == nil {
			root.Stat()
			root.(mount.Directory).Lookup("name")
			root.(mount.Directory).List()
		}
		a.Close()
	})
}
