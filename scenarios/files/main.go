// Command files makes, writes, renames and removes files from many goroutines, and talks through
// pipes. It checks every byte and every name, and what Linux says where something is wrong.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var wrong atomic.Int32

// check complains if ok is false.
func check(ok bool, format string, args ...any) {
	if !ok {
		wrong.Add(1)
		fmt.Printf("wrong: "+format+"\n", args...)
	}
}

// must complains of an error.
func must(err error) {
	check(err == nil, "%v", err)
}

func main() {
	dir, err := os.MkdirTemp("", "files")
	must(err)
	for _, part := range []struct {
		name string
		fn   func(dir string)
	}{{"names", names}, {"bytes", contents}, {"many", many}, {"append", appending}, {"pipes", pipes}, {"named pipes", namedPipes}, {"numbers", numbers}, {"locks", locks}, {"copies", copies}, {"errors", errnos}, {"devices", devices}} {
		sub := filepath.Join(dir, part.name)
		must(os.Mkdir(sub, 0o755))
		before := wrong.Load()
		part.fn(sub)
		if wrong.Load() == before {
			fmt.Printf("files: %s ok\n", part.name)
		}
	}
	must(os.RemoveAll(dir))
	_, err = os.Lstat(dir)
	check(errors.Is(err, fs.ErrNotExist), "what was removed is there: %v", err)
	if wrong.Load() != 0 {
		os.Exit(1)
	}
	fmt.Println("files: done")
}

// names gives, takes and follows names.
func names(dir string) {
	wd, err := os.Getwd()
	must(err)
	must(os.Chdir(dir))
	must(os.MkdirAll("a/b/c", 0o755))
	must(os.WriteFile("a/b/f", []byte("text"), 0o640))
	must(os.Link("a/b/f", "hard"))
	must(os.Symlink("a/b", "soft"))
	must(os.Rename("a/b/f", "a/g"))
	b, err := os.ReadFile("hard")
	check(err == nil && string(b) == "text", "%q %v", b, err)
	check(os.Chmod("hard", 0o600) == nil, "chmod")
	info, err := os.Stat("a/g")
	must(err)
	check(info.Mode() == 0o600 && info.Size() == 4 && info.Sys().(*syscall.Stat_t).Nlink == 2, "%v %d", info.Mode(), info.Size())
	other, err := os.Stat("hard")
	check(err == nil && os.SameFile(info, other), "two names of one file are two files")
	to, err := os.Readlink("soft")
	check(err == nil && to == "a/b", "%q %v", to, err)
	when := time.Unix(1234567890, 123456789)
	must(os.Chtimes("hard", when, when))
	info, err = os.Stat("hard")
	check(err == nil && info.ModTime().Equal(when), "%v %v", info.ModTime(), err)
	now, err := os.Getwd()
	check(err == nil && now == dir, "in %q, not in %q: %v", now, dir, err)

	var seen []string
	must(filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		must(err)
		seen = append(seen, d.Type().String()+" "+path)
		return nil
	}))
	want := []string{"d--------- .", "d--------- a", "d--------- a/b", "d--------- a/b/c", "---------- a/g", "---------- hard", "L--------- soft"}
	check(slices.Equal(seen, want), "%q", seen)

	root, err := os.OpenRoot("a")
	must(err)
	_, err = root.Open("../hard")
	check(err != nil, "a root was left")
	must(root.WriteFile("b/new", []byte("x"), 0o600))
	must(root.Close())
	_, err = os.Stat("a/b/new")
	must(err)
	must(os.Chdir(wd))
}

// contents reads the written bytes, at any place, and zeros elsewhere.
func contents(dir string) {
	f, err := os.Create(filepath.Join(dir, "f"))
	must(err)
	want := make([]byte, 300_000)
	for i := range 200 {
		at, n := i*7919%250_000, i*613%9000
		for j := range n {
			want[at+j] = byte(i + j)
		}
		_, err := f.WriteAt(want[at:at+n], int64(at))
		must(err)
	}
	must(f.Truncate(300_000))
	got, err := os.ReadFile(f.Name())
	check(err == nil && bytes.Equal(got, want), "bytes differ: %v", err)
	must(f.Truncate(1000))
	must(f.Truncate(100_000))
	got, err = os.ReadFile(f.Name())
	clear(want[1000:])
	check(err == nil && bytes.Equal(got, want[:100_000]), "what was cut off came back: %v", err)

	// Far behind the end, and a file without a name.
	must(os.Remove(f.Name()))
	const far = 200 << 30
	_, err = f.WriteAt([]byte("far"), far)
	must(err)
	b := make([]byte, 5)
	n, err := f.ReadAt(b, far-2)
	check(n == 5 && err == nil && string(b) == "\x00\x00far", "%q %v", b, err)
	n, err = f.ReadAt(b, far+3)
	check(n == 0 && err == io.EOF, "%d %v", n, err)
	must(f.Close())
}

// many uses the same directories from many goroutines at once.
func many(dir string) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			own := filepath.Join(dir, fmt.Sprint("own", i))
			must(os.Mkdir(own, 0o755))
			for j := range 50 {
				name := filepath.Join(own, fmt.Sprint(j))
				text := strings.Repeat(name, j)
				must(os.WriteFile(name, []byte(text), 0o644))
				moved := filepath.Join(dir, fmt.Sprintf("moved-%d-%d", i, j))
				must(os.Rename(name, moved))
				b, err := os.ReadFile(moved)
				check(err == nil && string(b) == text, "%s has %d bytes: %v", moved, len(b), err)
				if j%2 == 0 {
					must(os.Remove(moved))
				}
			}
		})
	}
	wg.Wait()
	list, err := os.ReadDir(dir)
	check(err == nil && len(list) == 20+20*25, "%d entries: %v", len(list), err)
}

// appending appends lines to one file from many goroutines: each is there once and whole.
func appending(dir string) {
	name := filepath.Join(dir, "log")
	const writers, lines = 8, 60
	var wg sync.WaitGroup
	for w := range writers {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		must(err)
		wg.Go(func() {
			for i := range lines {
				_, err := fmt.Fprintf(f, "%d.%d %s\n", w, i, strings.Repeat("x", i*100))
				must(err)
			}
			must(f.Close())
		})
	}
	wg.Wait()
	f, err := os.Open(name)
	must(err)
	defer f.Close()
	next := make([]int, writers)
	for s := bufio.NewScanner(f); s.Scan(); {
		var w, i int
		var rest string
		fmt.Sscanf(s.Text(), "%d.%d %s", &w, &i, &rest)
		check(w < writers && next[w] == i && len(rest) == i*100, "a line of %d: %d, %d is next, %d long", w, i, next[w], len(rest))
		next[w] = i + 1
	}
	for w, n := range next {
		check(n == lines, "%d wrote %d lines, %d are there", w, lines, n)
	}
}

// pipes sends bytes through a chain of pipes, with deadlines and broken ends.
func pipes(string) {
	const stages, size = 5, 500_000
	first, feed, err := os.Pipe()
	must(err)
	from := first
	var wg sync.WaitGroup
	for range stages {
		r, w, err := os.Pipe()
		must(err)
		in := from
		wg.Go(func() {
			_, err := io.Copy(struct{ io.Writer }{w}, struct{ io.Reader }{in})
			must(err)
			must(w.Close())
			must(in.Close())
		})
		from = r
	}
	wg.Go(func() {
		for i := 0; i < size; i += 10 {
			_, err := fmt.Fprintf(feed, "%09d\n", i)
			must(err)
		}
		must(feed.Close())
	})
	s, at := bufio.NewScanner(from), 0
	for ; s.Scan(); at += 10 {
		check(s.Text() == fmt.Sprintf("%09d", at), "%q at %d", s.Text(), at)
	}
	check(at == size && s.Err() == nil, "%d bytes came: %v", at, s.Err())
	wg.Wait()

	r, w, err := os.Pipe()
	must(err)
	must(r.SetReadDeadline(time.Now().Add(20 * time.Millisecond)))
	_, err = r.Read(make([]byte, 1))
	check(errors.Is(err, os.ErrDeadlineExceeded), "%v", err)
	must(r.Close())
	_, err = w.Write([]byte("x"))
	check(errors.Is(err, syscall.EPIPE), "%v", err)
	must(w.Close())

	// A duplicate keeps an end open.
	r, w, err = os.Pipe()
	must(err)
	n, err := syscall.Dup(int(w.Fd()))
	must(err)
	must(w.Close())
	_, err = syscall.Write(n, []byte("dup"))
	must(err)
	must(syscall.Close(n))
	b, err := io.ReadAll(r)
	check(err == nil && string(b) == "dup", "%q %v", b, err)
	must(r.Close())
}

// namedPipes opens both ends in every order, and closes them.
func namedPipes(dir string) {
	name := filepath.Join(dir, "fifo")
	must(syscall.Mkfifo(name, 0o640))
	check(syscall.Mkfifo(name, 0o640) == syscall.EEXIST, "a second pipe of one name")
	info, err := os.Lstat(name)
	check(err == nil && info.Mode() == os.ModeNamedPipe|0o640, "%v %v", info.Mode(), err)
	_, err = os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	check(errors.Is(err, syscall.ENXIO), "a writer without a reader: %v", err)

	// Each end waits for the other, in either order, and again after both have gone.
	for i := range 6 {
		text := strings.Repeat(fmt.Sprint(i), 100_000)
		ready := make(chan bool)
		var wg sync.WaitGroup
		wg.Go(func() {
			if i%2 == 0 {
				<-ready
			}
			w, err := os.OpenFile(name, os.O_WRONLY, 0)
			must(err)
			_, err = w.WriteString(text)
			must(err)
			must(w.Close())
		})
		if i%2 == 0 {
			close(ready)
		}
		r, err := os.Open(name)
		must(err)
		b, err := io.ReadAll(r)
		check(err == nil && string(b) == text, "%d bytes of %d: %v", len(b), len(text), err)
		must(r.Close())
		wg.Wait()
	}

	// Several writers; the reader is at the end when the last has gone, and reads on when another comes.
	r, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	must(err)
	b := make([]byte, 10)
	n, err := r.Read(b)
	check(n == 0 && err == io.EOF, "no writer yet: %d %v", n, err)
	var writers []*os.File
	for i := range 3 {
		w, err := os.OpenFile(name, os.O_WRONLY, 0)
		must(err)
		fmt.Fprint(w, i)
		writers = append(writers, w)
	}
	n, err = io.ReadFull(r, b[:3])
	check(err == nil && string(b[:n]) == "012", "%q %v", b[:n], err)
	must(writers[0].Close())
	must(writers[2].Close())
	got := make(chan error)
	go func() {
		n, err := r.Read(b)
		if err == nil && string(b[:n]) != "last" {
			err = fmt.Errorf("read %q", b[:n])
		}
		got <- err
	}()
	_, err = writers[1].WriteString("last")
	must(err)
	must(<-got)
	go func() {
		_, err := r.Read(b)
		got <- err
	}()
	must(writers[1].Close())
	err = <-got
	check(err == io.EOF, "the last writer has gone: %v", err)

	// Several readers: a writer is told when the last has gone.
	w, err := os.OpenFile(name, os.O_WRONLY, 0)
	must(err)
	other, err := os.Open(name)
	must(err)
	must(r.Close())
	_, err = w.WriteString("x")
	must(err)
	must(other.Close())
	_, err = w.WriteString("x")
	check(errors.Is(err, syscall.EPIPE), "no reader left: %v", err)
	must(w.Close())

	// An open for both reading and writing does not wait.
	both, err := os.OpenFile(name, os.O_RDWR, 0)
	must(err)
	_, err = both.WriteString("both")
	must(err)
	n, err = both.Read(b)
	check(err == nil && string(b[:n]) == "both", "%q %v", b[:n], err)
	must(os.Remove(name))
	must(both.Close())
	for kind, want := range map[uint32]error{syscall.S_IFSOCK: nil, syscall.S_IFDIR: syscall.EPERM, syscall.S_IFLNK: syscall.EINVAL} {
		err := syscall.Mknod(filepath.Join(dir, "node"), kind|0o600, 0)
		check(err == want, "mknod of kind %#o: %v", kind, err)
	}
	_, err = os.Open(filepath.Join(dir, "node"))
	check(errors.Is(err, syscall.ENXIO), "a socket: %v", err)
}

// numbers finds open files by their numbers.
func numbers(dir string) {
	name := filepath.Join(dir, "f")
	must(os.WriteFile(name, []byte("0123456789"), 0o600))
	f, err := os.Open(name)
	must(err)
	seek, err := f.Seek(4, io.SeekStart)
	check(seek == 4 && err == nil, "%d %v", seek, err)
	link := func(f *os.File) string {
		to, err := os.Readlink(fmt.Sprint("/proc/self/fd/", f.Fd()))
		must(err)
		return to
	}
	to := link(f)
	check(to == name, "it is called %q", to)
	for _, of := range []string{"/proc/self/fd", "/dev/fd"} {
		b, err := os.ReadFile(fmt.Sprintf("%s/%d", of, f.Fd())) // with a position of its own
		check(err == nil && string(b) == "0123456789", "%q %v", b, err)
	}
	must(os.Rename(name, name+"2"))
	to = link(f)
	check(to == name+"2", "it is now called %q", to)
	must(os.Remove(name + "2"))
	to = link(f)
	check(strings.HasSuffix(to, " (deleted)"), "it is called %q, and has no name", to)
	b, err := os.ReadFile(fmt.Sprint("/proc/self/fd/", f.Fd()))
	check(err == nil && string(b) == "0123456789", "%q %v", b, err)
	d, err := os.Open(dir)
	must(err)
	must(os.WriteFile(fmt.Sprintf("/dev/fd/%d/below", d.Fd()), nil, 0o600))
	_, err = os.Stat(filepath.Join(dir, "below"))
	must(err)

	r, w, err := os.Pipe()
	must(err)
	info, err := r.Stat()
	must(err)
	to = link(w)
	check(to == fmt.Sprintf("pipe:[%d]", info.Sys().(*syscall.Stat_t).Ino), "it is called %q", to)
	again, err := os.OpenFile(fmt.Sprint("/dev/fd/", w.Fd()), os.O_WRONLY, 0)
	must(err)
	must(w.Close())
	_, err = again.WriteString("again")
	must(err)
	must(again.Close())
	b, err = io.ReadAll(r)
	check(err == nil && string(b) == "again", "%q %v", b, err)

	entries, err := os.ReadDir("/proc/self/fd")
	must(err)
	has := map[string]bool{}
	for _, e := range entries {
		has[e.Name()] = true
		check(e.Type() == fs.ModeSymlink, "%s is %v", e.Name(), e.Type())
	}
	check(has["0"] && has["1"] && has["2"] && has[fmt.Sprint(f.Fd())], "%v", entries)
	gone := fmt.Sprint("/proc/self/fd/", f.Fd())
	must(f.Close())
	must(r.Close())
	must(d.Close())
	_, err = os.Lstat(gone)
	check(errors.Is(err, fs.ErrNotExist), "%s: %v", gone, err)
	out, err := os.OpenFile("/dev/stdout", os.O_WRONLY, 0)
	must(err)
	must(out.Close())
}

// locks are between files, and between processes, of which there is one.
func locks(dir string) {
	name := filepath.Join(dir, "f")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		must(err)
		return f
	}
	a, b := open(), open()
	lock := func(f *os.File, how int) error { return syscall.Flock(int(f.Fd()), how) }
	for i, t := range []struct {
		f    *os.File
		how  int
		want error
	}{
		{a, syscall.LOCK_SH | syscall.LOCK_NB, nil},
		{b, syscall.LOCK_SH | syscall.LOCK_NB, nil},
		{a, syscall.LOCK_EX | syscall.LOCK_NB, syscall.EWOULDBLOCK}, // and it has lost its old lock
		{b, syscall.LOCK_EX | syscall.LOCK_NB, nil},
		{b, syscall.LOCK_EX | syscall.LOCK_NB, nil},
		{a, syscall.LOCK_SH | syscall.LOCK_NB, syscall.EWOULDBLOCK},
		{b, syscall.LOCK_SH, nil},
		{a, syscall.LOCK_SH, nil},
		{b, syscall.LOCK_UN, nil},
		{a, syscall.LOCK_EX, nil},
		{a, 16, syscall.EINVAL},
		{a, syscall.LOCK_SH | syscall.LOCK_EX, syscall.EINVAL},
	} {
		err := lock(t.f, t.how)
		check(err == t.want, "lock %d: %v, not %v", i, err, t.want)
	}
	check(syscall.Flock(1000, syscall.LOCK_SH) == syscall.EBADF, "a number that nothing has")

	// One waits for another.
	var locked atomic.Bool
	locked.Store(true)
	var wg sync.WaitGroup
	wg.Go(func() {
		err := lock(b, syscall.LOCK_EX)
		for err == syscall.EINTR {
			err = lock(b, syscall.LOCK_EX)
		}
		must(err)
		check(!locked.Load(), "two have it alone")
	})
	time.Sleep(5 * time.Millisecond)
	locked.Store(false)
	must(a.Close()) // which ends its lock
	wg.Wait()

	for i, t := range []struct {
		flags, cmd int
		kind       int16
		want       error
	}{
		{os.O_RDWR, syscall.F_SETLK, syscall.F_WRLCK, nil},
		{os.O_RDWR, syscall.F_SETLKW, syscall.F_RDLCK, nil},
		{os.O_RDONLY, syscall.F_SETLK, syscall.F_WRLCK, syscall.EBADF},
		{os.O_WRONLY, syscall.F_SETLK, syscall.F_RDLCK, syscall.EBADF},
		{os.O_RDONLY, syscall.F_SETLK, syscall.F_UNLCK, nil},
		{os.O_RDWR, syscall.F_SETLK, 7, syscall.EINVAL},
		{os.O_RDWR, syscall.F_GETLK, syscall.F_UNLCK, syscall.EINVAL},
		{os.O_RDWR, syscall.F_GETLK, syscall.F_WRLCK, nil},
	} {
		f, err := os.OpenFile(name, t.flags, 0)
		must(err)
		l := syscall.Flock_t{Type: t.kind, Start: 5, Len: 7}
		err = syscall.FcntlFlock(f.Fd(), t.cmd, &l)
		check(err == t.want, "range %d: %v, not %v", i, err, t.want)
		if t.cmd == syscall.F_GETLK && err == nil {
			check(l.Type == syscall.F_UNLCK && l.Start == 5 && l.Len == 7, "in the way is %+v", l)
		}
		must(f.Close())
	}
	must(b.Close())
}

// copies are made by package os with calls that need not be there.
func copies(dir string) {
	text := strings.Repeat("copy", 50_000)
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	must(os.WriteFile(from, []byte(text), 0o600))
	src, err := os.Open(from)
	must(err)
	dst, err := os.Create(to)
	must(err)
	n, err := io.Copy(dst, src) // copy_file_range, sendfile
	check(n == int64(len(text)) && err == nil, "%d %v", n, err)
	r, w, err := os.Pipe()
	must(err)
	_, err = src.Seek(0, io.SeekStart)
	must(err)
	go func() {
		_, err := io.Copy(w, src) // splice
		must(err)
		must(w.Close())
	}()
	_, err = dst.Seek(0, io.SeekStart)
	must(err)
	n, err = io.Copy(dst, r)
	check(n == int64(len(text)) && err == nil, "%d %v", n, err)
	must(dst.Close())
	must(src.Close())
	must(r.Close())
	b, err := os.ReadFile(to)
	check(err == nil && string(b) == text, "%d bytes: %v", len(b), err)
	must(os.CopyFS(dir+"2", os.DirFS(dir)))
}

// errnos is what Linux says.
func errnos(dir string) {
	f := filepath.Join(dir, "f")
	must(os.WriteFile(f, nil, 0o644))
	must(os.Symlink("loop", filepath.Join(dir, "loop")))
	must(os.MkdirAll(filepath.Join(dir, "d/e"), 0o755))
	open := func(name string, flags int) error {
		n, err := syscall.Open(filepath.Join(dir, name), flags, 0o644)
		if err == nil {
			syscall.Close(n)
		}
		return err
	}
	for i, t := range []struct{ got, want error }{
		{open("none", os.O_RDONLY), syscall.ENOENT},
		{open("f/x", os.O_RDONLY), syscall.ENOTDIR},
		{open("f", os.O_CREATE|os.O_EXCL), syscall.EEXIST},
		{open("d", os.O_WRONLY), syscall.EISDIR},
		{open("f", syscall.O_DIRECTORY), syscall.ENOTDIR},
		{open("loop", os.O_RDONLY), syscall.ELOOP},
		{open(strings.Repeat("n", 256), os.O_CREATE), syscall.ENAMETOOLONG},
		{open(strings.Repeat("n/", 2100), os.O_CREATE), syscall.ENAMETOOLONG},
		{syscall.Mkdir(f, 0o755), syscall.EEXIST},
		{syscall.Rmdir(filepath.Join(dir, "d")), syscall.ENOTEMPTY},
		{syscall.Rmdir(f), syscall.ENOTDIR},
		{syscall.Unlink(filepath.Join(dir, "d")), syscall.EISDIR},
		{syscall.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "d/e/x")), syscall.EINVAL},
		{syscall.Rename(filepath.Join(dir, "d"), f), syscall.ENOTDIR},
		{syscall.Rename(f, filepath.Join(dir, "d")), syscall.EISDIR},
		{syscall.Link(filepath.Join(dir, "d"), filepath.Join(dir, "x")), syscall.EPERM},
		{syscall.Chdir(f), syscall.ENOTDIR},
		{syscall.Close(1000), syscall.EBADF},
		{syscall.EpollCtl(-1, syscall.EPOLL_CTL_ADD, 0, new(syscall.EpollEvent)), syscall.EBADF},
		{syscall.Faccessat(-100, f, 0, 2), syscall.EINVAL}, // from the working directory on, with a flag that there is not
		{syscall.Dup3(1000, 5, 0), syscall.EBADF},
	} {
		check(t.got == t.want, "error %d is %v, not %v", i, t.got, t.want)
	}
	_, err := syscall.Seek(1000, 0, 0)
	check(err == syscall.EBADF, "%v", err)
	r, w, err := os.Pipe()
	must(err)
	_, err = syscall.Seek(int(r.Fd()), 0, 0)
	check(err == syscall.ESPIPE, "%v", err)
	r.Close()
	w.Close()

	// All numbers in use, of those that the limit leaves.
	var limit syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1000, Max: limit.Max}))
	var open1 []int
	for {
		n, err := syscall.Open(f, os.O_RDONLY, 0)
		if err != nil {
			check(err == syscall.EMFILE, "%v", err)
			break
		}
		open1 = append(open1, n)
	}
	for _, n := range open1 {
		must(syscall.Close(n))
	}
	must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
}

// devices are there by name.
func devices(string) {
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	must(err)
	n, err := null.Write(make([]byte, 100))
	check(n == 100 && err == nil, "%d %v", n, err)
	_, err = null.Read(make([]byte, 1))
	check(err == io.EOF, "%v", err)
	null.Close()
	zero, err := os.Open("/dev/zero")
	must(err)
	b := []byte("xxxx")
	_, err = io.ReadFull(zero, b)
	check(err == nil && string(b) == "\x00\x00\x00\x00", "%q %v", b, err)
	zero.Close()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(err)
	_, err = full.Write([]byte("x"))
	check(errors.Is(err, syscall.ENOSPC), "%v", err)
	full.Close()
	random, err := os.Open("/dev/urandom")
	must(err)
	a, b := make([]byte, 32), make([]byte, 32)
	io.ReadFull(random, a)
	io.ReadFull(random, b)
	check(!bytes.Equal(a, b), "random bytes repeat")
	random.Close()
	if _, err = os.Open("/dev/tty"); err != nil { // Linux too, for a process without one
		check(errors.Is(err, syscall.ENXIO), "%v", err)
	}
	var status syscall.WaitStatus
	_, err = syscall.Wait4(-1, &status, 0, nil)
	check(err == syscall.ECHILD, "waiting for a child that there is not: %v", err)
	info, err := os.Stat("/dev/null")
	check(err == nil && info.Mode()&os.ModeCharDevice != 0, "%v %v", info.Mode(), err)
}
