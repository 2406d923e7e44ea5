package nine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"9fans.net/go/plan9"
	"9fans.net/go/plan9/client"
)

// serve serves a new directory, and returns its path and the other end of the connection.
func serve(t testing.TB) (dir string, conn net.Conn) {
	t.Helper()
	dir = t.TempDir()
	a, b := net.Pipe()
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer b.Close()
		Serve(b, Tree(dir))
	}()
	t.Cleanup(func() {
		a.Close()
		<-over
	})
	return dir, a
}

// mount serves a new directory to another implementation of 9P.
func mount(t *testing.T) (dir string, fs *client.Fsys) {
	t.Helper()
	dir, conn := serve(t)
	c, err := client.NewConn(conn)
	if err != nil {
		t.Fatal(err)
	}
	if fs, err = c.Attach(nil, "glenda", ""); err != nil {
		t.Fatal(err)
	}
	return dir, fs
}

// readAll reads a file to its end.
func readAll(fs *client.Fsys, name string) ([]byte, error) {
	f, err := fs.Open(name, plan9.OREAD)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func TestFiles(t *testing.T) {
	dir, fs := mount(t)
	want := bytes.Repeat([]byte("sched9\n"), 3*MaxMessage/7)
	f, err := fs.Create("a", plan9.ORDWR, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(want); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes were written, %d are there, %v", len(want), len(got), err)
	}
	if got, err := readAll(fs, "a"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes were read, %v", len(got), err)
	}
	d, err := fs.Stat("a")
	if err != nil || d.Length != uint64(len(want)) || d.Mode != 0o640 || d.Name != "a" {
		t.Errorf("%v, %v", d, err)
	}
	var change plan9.Dir
	change.Null()
	change.Name, change.Length, change.Mode, change.Mtime = "b", 5, 0o600, 1e9
	if err := fs.Wstat("a", &change); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(filepath.Join(dir, "b")); err != nil || st.Size() != 5 || st.Mode() != 0o600 || st.ModTime().Unix() != 1e9 {
		t.Errorf("%v, %v", st, err)
	}
	if _, err := fs.Create("dir", plan9.OREAD, plan9.DMDIR|0o755); err != nil {
		t.Error(err)
	}
	if d, err := fs.Stat("dir/../dir"); err != nil || d.Mode != plan9.DMDIR|0o755 || d.Qid.Type != plan9.QTDIR {
		t.Errorf("%v, %v", d, err)
	}
	for _, name := range []string{"b", "dir"} {
		if err := fs.Remove(name); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

func TestDirectory(t *testing.T) {
	dir, fs := mount(t)
	var want []string
	for i := range 2000 { // more than a message holds
		want = append(want, fmt.Sprintf("file-%04d", i))
		if err := os.WriteFile(filepath.Join(dir, want[i]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("nowhere", filepath.Join(dir, "link"))
	want = append(want, "link")
	f, err := fs.Open("/", plan9.OREAD)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 { // from the beginning again
		f.Seek(0, io.SeekStart)
		all, err := f.Dirreadall()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range all {
			got = append(got, d.Name)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%d names, not %d", len(got), len(want))
		}
	}
	f.Seek(1, io.SeekStart)
	if _, err := f.Read(make([]byte, 1000)); err == nil {
		t.Error("a directory was read from the middle of an entry")
	}
}

func TestErrors(t *testing.T) {
	dir, fs := mount(t)
	os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600)
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"missing":      {func() error { _, err := fs.Stat("none"); return err }, "no such file"},
		"no directory": {func() error { _, err := fs.Stat("file/x"); return err }, "not found"},
		"above":        {func() error { _, err := fs.Create("..", plan9.OREAD, 0o600); return err }, "no such name"},
		"exists":       {func() error { _, err := fs.Create("file", plan9.OREAD, 0o600); return err }, "exists"},
		"kind":         {func() error { _, err := fs.Create("pipe", plan9.OREAD, plan9.DMNAMEDPIPE|0o600); return err }, "only files"},
		"mode":         {func() error { _, err := fs.Open("file", 0x80); return err }, "mode 0x80"},
		"directory":    {func() error { _, err := fs.Open("/", plan9.OWRITE); return err }, "is a directory"},
		"write": {func() error {
			f, err := fs.Open("file", plan9.OREAD)
			if err == nil {
				defer f.Close()
				_, err = f.Write([]byte("x"))
			}
			return err
		}, "not open for writing"},
		"owner": {func() error {
			var d plan9.Dir
			d.Null()
			d.Uid = "bootes"
			return fs.Wstat("file", &d)
		}, "only length"},
		"rename to another": {func() error {
			os.WriteFile(filepath.Join(dir, "other"), nil, 0o600)
			var d plan9.Dir
			d.Null()
			d.Name = "other"
			return fs.Wstat("file", &d)
		}, "exists"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if i, err := fs.Stat("../../../../../.."); err != nil || i.Mode&plan9.DMDIR == 0 {
		t.Errorf("above the root: %v, %v", i, err)
	} else if d, _ := fs.Stat("/"); d.Qid != i.Qid {
		t.Error("one can walk out of the tree")
	}
}

// raw talks 9P by single messages.
type raw struct {
	t    *testing.T
	conn net.Conn
}

// send sends a request.
func (r raw) send(f *plan9.Fcall) {
	r.t.Helper()
	if err := plan9.WriteFcall(r.conn, f); err != nil {
		r.t.Fatal(err)
	}
}

// ask sends a request and returns the answer, which has to be of that type.
func (r raw) ask(f *plan9.Fcall, want uint8) *plan9.Fcall {
	r.t.Helper()
	r.send(f)
	a, err := Read(r.conn, MaxMessage)
	if err != nil || a.Type != want || a.Tag != f.Tag {
		r.t.Fatalf("%v is answered by %v, %v", f, a, err)
	}
	return a
}

// attach begins a session: fid 0 is the root.
func (r raw) attach(msize uint32) {
	r.t.Helper()
	r.ask(&plan9.Fcall{Type: plan9.Tversion, Tag: plan9.NOTAG, Msize: msize, Version: "9P2000"}, plan9.Rversion)
	r.ask(&plan9.Fcall{Type: plan9.Tattach, Tag: 1, Fid: 0, Afid: plan9.NOFID, Uname: "glenda"}, plan9.Rattach)
}

// TestFlush: a read that waits holds nothing up, and can be given up; its file's end ends it.
func TestFlush(t *testing.T) {
	dir, conn := serve(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := raw{t, conn}
	r.attach(MaxMessage)
	r.ask(&plan9.Fcall{Type: plan9.Twalk, Tag: 1, Fid: 0, Newfid: 1, Wname: []string{"pipe"}}, plan9.Rwalk)
	r.ask(&plan9.Fcall{Type: plan9.Topen, Tag: 1, Fid: 1, Mode: plan9.ORDWR}, plan9.Ropen)
	r.send(&plan9.Fcall{Type: plan9.Tread, Tag: 2, Fid: 1, Count: 10})
	r.ask(&plan9.Fcall{Type: plan9.Tstat, Tag: 3, Fid: 0}, plan9.Rstat) // answered before
	r.ask(&plan9.Fcall{Type: plan9.Tflush, Tag: 4, Oldtag: 2}, plan9.Rflush)
	r.ask(&plan9.Fcall{Type: plan9.Tflush, Tag: 4, Oldtag: 77}, plan9.Rflush)
	r.send(&plan9.Fcall{Type: plan9.Tread, Tag: 2, Fid: 1, Count: 10}) // the tag is free
	r.send(&plan9.Fcall{Type: plan9.Tclunk, Tag: 5, Fid: 1})
	var got []uint8
	for range 2 {
		a, err := Read(conn, MaxMessage)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, a.Type)
	}
	if slices.Sort(got); !slices.Equal(got, []uint8{plan9.Rerror, plan9.Rclunk}) {
		t.Errorf("a read of a file that is closed, and its clunk, are answered by %v", got)
	}
	r.ask(&plan9.Fcall{Type: plan9.Twalk, Tag: 1, Fid: 0, Newfid: 1}, plan9.Rwalk) // the fid, too
}

// TestLimits: each limit has an error, and nothing else suffers.
func TestLimits(t *testing.T) {
	dir, conn := serve(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := raw{t, conn}
	r.ask(&plan9.Fcall{Type: plan9.Tversion, Tag: plan9.NOTAG, Msize: 10, Version: "9P2000"}, plan9.Rerror)
	if a := r.ask(&plan9.Fcall{Type: plan9.Tversion, Tag: plan9.NOTAG, Msize: 1 << 30, Version: "9P1"}, plan9.Rversion); a.Version != "unknown" || a.Msize != MaxMessage {
		t.Errorf("%v", a)
	}
	r.attach(1000)
	for i := uint32(1); i < maxFids; i++ {
		r.ask(&plan9.Fcall{Type: plan9.Twalk, Tag: 1, Fid: 0, Newfid: i}, plan9.Rwalk)
	}
	r.ask(&plan9.Fcall{Type: plan9.Twalk, Tag: 1, Fid: 0, Newfid: maxFids}, plan9.Rerror)
	r.ask(&plan9.Fcall{Type: plan9.Twalk, Tag: 1, Fid: 0, Newfid: 1}, plan9.Rerror)
	r.attach(1000) // anew
	r.ask(&plan9.Fcall{Type: plan9.Twalk, Tag: 1, Fid: 0, Newfid: 1, Wname: []string{"pipe"}}, plan9.Rwalk)
	r.ask(&plan9.Fcall{Type: plan9.Topen, Tag: 1, Fid: 1, Mode: plan9.ORDWR}, plan9.Ropen)
	for i := range uint16(maxRequests) {
		r.send(&plan9.Fcall{Type: plan9.Tread, Tag: i, Fid: 1, Count: 10})
	}
	r.ask(&plan9.Fcall{Type: plan9.Tstat, Tag: maxRequests, Fid: 0}, plan9.Rerror)
	r.send(&plan9.Fcall{Type: plan9.Tread, Tag: 0, Fid: 1, Count: 10}) // a tag that is in use: that ends the connection
	if a, err := Read(conn, MaxMessage); err == nil {
		t.Errorf("answered by %v", a)
	}
}

// TestGarbage: what is no 9P ends the connection.
func TestGarbage(t *testing.T) {
	for _, garbage := range []string{"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\x08\x00\x00\x00\xff\x00\x00\x00", "\x07\x00\x00\x00\x6b\x01\x00", "GET / HTTP/1.1\r\n\r\n"} {
		_, conn := serve(t)
		go conn.Write([]byte(garbage))
		if a, err := Read(conn, MaxMessage); err == nil {
			t.Errorf("%q is answered by %v", garbage, a)
		}
	}
}

// TestRandom does random things by 9P and at once by package os, and compares what is there.
func TestRandom(t *testing.T) {
	_, fs := mount(t)
	twin := t.TempDir()
	r := rand.New(rand.NewPCG(9, 9))
	name := func() string {
		return []string{"a", "b", "c", "d", "d/e", "d/f", "g", "g/h"}[r.IntN(8)]
	}
	for step := range 3000 {
		n, data := name(), bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(5000))
		at := filepath.Join(twin, n)
		var err, want error
		switch r.IntN(6) {
		case 0:
			_, err = fs.Create(n, plan9.OREAD, plan9.DMDIR|0o755)
			want = os.Mkdir(at, 0o755)
		case 1:
			var f *client.Fid
			if f, err = fs.Create(n, plan9.OWRITE, 0o600); err == nil {
				f.Close()
			}
			var o *os.File
			if o, want = os.OpenFile(at, os.O_CREATE|os.O_EXCL, 0o600); want == nil {
				o.Close()
			}
		case 2:
			err, want = fs.Remove(n), os.Remove(at)
		case 3:
			offset := r.Int64N(9000)
			var f *client.Fid
			if f, err = fs.Open(n, plan9.ORDWR); err == nil {
				_, err = f.WriteAt(data, offset)
				f.Close()
			}
			var o *os.File
			if o, want = os.OpenFile(at, os.O_RDWR, 0); want == nil {
				_, want = o.WriteAt(data, offset)
				o.Close()
			}
		case 4:
			var got, is []byte
			got, err = readAll(fs, n)
			is, want = os.ReadFile(at)
			if st, e := os.Stat(at); e == nil && st.IsDir() {
				continue // that reads entries
			}
			if !bytes.Equal(got, is) {
				t.Fatalf("step %d: %s has %d bytes, not %d", step, n, len(got), len(is))
			}
		case 5:
			var d plan9.Dir
			d.Null()
			d.Length = uint64(r.IntN(9000))
			err, want = fs.Wstat(n, &d), os.Truncate(at, int64(d.Length))
		}
		if (err == nil) != (want == nil) {
			t.Fatalf("step %d, %s: %v, not %v", step, n, err, want)
		}
		var no syscall.Errno
		if errors.As(want, &no) && !strings.Contains(err.Error(), "not found") && !strings.Contains(err.Error(), no.Error()) {
			t.Fatalf("step %d, %s: %v, not %v", step, n, err, want)
		}
	}
}

// FuzzServe: no bytes make the server do anything but end the connection or answer, and files outside its tree stay.
func FuzzServe(f *testing.F) {
	var begin []byte
	for _, m := range []*plan9.Fcall{
		{Type: plan9.Tversion, Tag: plan9.NOTAG, Msize: 8192, Version: "9P2000"},
		{Type: plan9.Tattach, Fid: 0, Afid: plan9.NOFID},
	} {
		b, _ := m.Bytes()
		begin = append(begin, b...)
	}
	for _, m := range []*plan9.Fcall{
		{Type: plan9.Twalk, Fid: 0, Newfid: 1, Wname: []string{"..", "f"}},
		{Type: plan9.Topen, Fid: 0},
		{Type: plan9.Tcreate, Fid: 0, Name: "n", Perm: 0o600, Mode: plan9.ORDWR | plan9.ORCLOSE},
		{Type: plan9.Tread, Fid: 0, Count: 1 << 31}, {Type: plan9.Twrite, Fid: 0, Offset: 1, Data: []byte("x")},
		{Type: plan9.Tremove, Fid: 0}, {Type: plan9.Tstat, Fid: 0}, {Type: plan9.Twstat, Fid: 0, Stat: make([]byte, 50)},
		{Type: plan9.Tflush, Oldtag: 0}, {Type: plan9.Tclunk, Fid: 0},
	} {
		b, err := m.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(slices.Concat(begin, b, b))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir, conn := serve(t)
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			conn.Write(data)
			conn.Close()
		}()
		io.Copy(io.Discard, conn)
		if _, err := os.Stat(filepath.Dir(dir)); err != nil {
			t.Fatal(err)
		}
	})
}
