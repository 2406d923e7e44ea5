package nine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"9fans.net/go/plan9"

	"sched9/srv/nine"
	"sched9/srv/wire"
)

// guest is a relay to a tree of files at the other end of a wire, as in a guest.
func guest(t *testing.T) (dir string, r *Relay, stop func()) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	r, err := Listen(filepath.Join(dir, "..", "socket"))
	if err != nil {
		t.Fatal(err)
	}
	a, b := net.Pipe()
	var all sync.WaitGroup
	all.Go(func() { r.Run(a) })
	all.Go(func() {
		wire.New(b, func(c *wire.Conn) {
			defer c.Close()
			nine.Serve(c, nine.Tree(dir))
		}).Run()
	})
	stop = func() {
		a.Close()
		b.Close()
		all.Wait()
	}
	t.Cleanup(stop)
	return dir, r, stop
}

// TestGuest does all that commands do, from the note of an address to the guest's end.
func TestGuest(t *testing.T) {
	dir, r, stop := guest(t)
	address, err := Find()
	if err != nil || address != r.Address {
		t.Fatalf("%q was found, %v", address, err)
	}
	c, err := Dial(address, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var files []*File
	for i := range 3 * batch {
		files = append(files, &File{Name: fmt.Sprintf("/d/%d", i)})
	}
	os.Mkdir(filepath.Join(dir, "d"), 0o700)
	long := bytes.Repeat([]byte("0123456789"), 5000)
	for i, f := range files {
		if i%3 != 0 {
			if err := os.WriteFile(filepath.Join(dir, f.Name), long[:i*500], 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.ReadFiles(files); err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if there := i%3 != 0; (f.Err == nil) != there || there && !bytes.Equal(f.Data, long[:i*500]) {
			t.Errorf("%s: %d bytes, %v", f.Name, len(f.Data), f.Err)
		}
	}
	all, err := c.ReadDir("/d")
	if err != nil || len(all) != 2*batch || all[0].Name != "1" {
		t.Errorf("%d entries, %v", len(all), err)
	}
	if err := c.Write("/d/1", io.LimitReader(strings.NewReader(strings.Repeat("x", 200_000)), 100_000)); err != nil {
		t.Error(err)
	}
	if d, err := c.Stat("/d/1"); err != nil || d.Length != 100_000 {
		t.Errorf("%v, %v", d, err)
	}
	var reported Error
	for _, err := range []error{c.Write("/none", strings.NewReader("x")), c.Copy(io.Discard, strings.Repeat("/d", 20)), c.Copy(io.Discard, "/none")} {
		if !errors.As(err, &reported) {
			t.Errorf("an error of one file: %v", err)
		}
	}
	stop()
	if _, err := c.Stat("/"); err == nil || err.Error() != "the guest is gone" {
		t.Errorf("when the guest is gone: %v", err)
	}
	if address, err := Find(); err == nil {
		t.Errorf("%q is still found", address)
	}
	if _, err := Dial(r.Address, time.Minute); err == nil {
		t.Error("one can still connect")
	}
}

func TestFind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "sched9 run -9p") {
		t.Errorf("none: %v", err)
	}
	dir, err := places()
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "999999999-1"), []byte("of a run that was killed"), 0o600)
	forget, err := note("one")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := Find(); a != "one" {
		t.Errorf("%q, %v", a, err)
	}
	if _, err := note("two"); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(); err == nil || !strings.HasSuffix(err.Error(), "-9p one, -9p two") {
		t.Errorf("two: %v", err)
	}
	forget()
	if a, err := Find(); a != "two" {
		t.Errorf("%q, %v", a, err)
	}
	os.Chmod(dir, 0o777)
	if _, err := Find(); err == nil {
		t.Error("a directory that others can write to is believed")
	}
}

func TestAddress(t *testing.T) {
	for s, want := range map[string]string{
		":5640": "tcp 127.0.0.1:5640", "localhost:1": "tcp 127.0.0.1:1", "[::1]:0": "tcp [::1]:0", "/a/b": "unix /a/b",
		"5640": "", ":": "", ":65536": "", ":+1": "", "sched9.example:1": "", "": "",
	} {
		network, at, err := Address(s)
		if got := network + " " + at; err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
}

// answers is a guest that answers each request with bytes made of it, and after the last with nothing.
func answers(t testing.TB, limit time.Duration, all ...func(*plan9.Fcall) []byte) (*Client, error) {
	a, b := net.Pipe()
	t.Cleanup(func() { a.Close(); b.Close() })
	go func() {
		for _, answer := range all {
			r, err := nine.Read(b, nine.MaxMessage)
			if err != nil {
				return
			}
			b.Write(answer(r))
		}
		io.Copy(io.Discard, b)
	}()
	return New(a, limit)
}

// message is an answer of one message.
func message(f plan9.Fcall) func(*plan9.Fcall) []byte {
	return func(t *plan9.Fcall) []byte {
		if f.Tag == 0 {
			f.Tag = t.Tag
		}
		b, _ := f.Bytes()
		return b
	}
}

// version and attach are answers to the first two requests.
var (
	version = message(plan9.Fcall{Type: plan9.Rversion, Msize: 8192, Version: "9P2000"})
	attach  = message(plan9.Fcall{Type: plan9.Rattach})
)

// TestGarbage: answers that make no sense, or do not come, are errors.
func TestGarbage(t *testing.T) {
	text := func(s string) func(*plan9.Fcall) []byte { return func(*plan9.Fcall) []byte { return []byte(s) } }
	for name, all := range map[string][]func(*plan9.Fcall) []byte{
		"no answer":       {},
		"none to attach":  {version},
		"none later":      {version, attach},
		"text":            {text("HTTP/1.0 400 Bad Request\r\n\r\n")},
		"too short":       {text("\x04\x00\x00\x00")},
		"malformed":       {version, text("\x09\x00\x00\x00\x69\x00\x00\x00\x00")},
		"another version": {message(plan9.Fcall{Type: plan9.Rversion, Msize: 8192, Version: "9P3"})},
		"messages of 0":   {message(plan9.Fcall{Type: plan9.Rversion, Version: "9P2000"})},
		"too large":       {message(plan9.Fcall{Type: plan9.Rversion, Msize: 1 << 31, Version: "9P2000"})},
		"another tag":     {version, message(plan9.Fcall{Type: plan9.Rattach, Tag: 77})},
		"another type":    {version, message(plan9.Fcall{Type: plan9.Rclunk})},
		"a long walk":     {version, attach, message(plan9.Fcall{Type: plan9.Rwalk, Wqid: make([]plan9.Qid, 9)})},
		"no directory": {version, attach, message(plan9.Fcall{Type: plan9.Rwalk, Wqid: make([]plan9.Qid, 1)}), message(plan9.Fcall{Type: plan9.Ropen}),
			message(plan9.Fcall{Type: plan9.Rread, Data: []byte("\xff\xff")}), message(plan9.Fcall{Type: plan9.Rread}), message(plan9.Fcall{Type: plan9.Rclunk})},
	} {
		t.Run(name, func(t *testing.T) {
			silent := name == "no answer" || strings.HasPrefix(name, "none")
			limit := 10 * time.Minute
			if silent {
				limit = 200 * time.Millisecond
			}
			c, err := answers(t, limit, all...)
			if err == nil {
				_, err = c.ReadDir("/d")
			}
			switch {
			case err == nil:
				t.Error("no error")
			case silent && err.Error() != "the guest did not answer within 200ms":
				t.Error(err)
			case !silent && !errors.Is(err, ErrGarbage):
				t.Error(err)
			}
		})
	}
}

// TestWritten: a guest that says it wrote more than it got, or nothing, is not believed.
func TestWritten(t *testing.T) {
	for _, n := range []uint32{0, 5, 1 << 31} {
		c, err := answers(t, 10*time.Minute, version, attach, message(plan9.Fcall{Type: plan9.Rwalk, Wqid: make([]plan9.Qid, 1)}), message(plan9.Fcall{Type: plan9.Ropen}),
			message(plan9.Fcall{Type: plan9.Rwrite, Count: n}))
		if err == nil {
			err = c.Write("/f", strings.NewReader("text"))
		}
		if !errors.Is(err, ErrGarbage) {
			t.Errorf("%d of 4 bytes: %v", n, err)
		}
	}
}

// FuzzAnswers: whatever a guest sends, a client ends when the guest does.
func FuzzAnswers(f *testing.F) {
	var session []byte
	for _, m := range []plan9.Fcall{
		{Type: plan9.Rversion, Tag: plan9.NOTAG, Msize: 8192, Version: "9P2000"}, {Type: plan9.Rattach}, {Type: plan9.Rwalk, Tag: 1, Wqid: make([]plan9.Qid, 1)},
		{Type: plan9.Ropen, Tag: 1}, {Type: plan9.Rread, Data: make([]byte, 60)}, {Type: plan9.Rread}, {Type: plan9.Rclunk, Tag: 1}, {Type: plan9.Rerror, Ename: "no"},
	} {
		b, err := m.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(session)
		session = slices.Concat(session, b)
	}
	f.Add(session)
	f.Fuzz(func(t *testing.T, data []byte) {
		a, b := net.Pipe()
		go func() {
			go io.Copy(io.Discard, b)
			b.Write(data)
			b.Close()
		}()
		defer a.Close()
		c, err := New(a, 0)
		if err != nil {
			return
		}
		c.ReadDir("/d")
		c.ReadFiles([]*File{{Name: "/a"}, {Name: "/b"}})
		c.Write("/w", strings.NewReader("text"))
		if _, err := c.Stat("/s"); err == nil {
			return
		}
	})
}
