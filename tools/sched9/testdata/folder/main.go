// Folder DIR SEED GOROUTINES STEPS does random things with files in DIR, each goroutine in a directory of its own, and prints what came of each: the test
// runs it on Linux and in a guest, in two directories of one file system, and compares.
package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// depth is how many directories lie above those that paths begin in, so that links to ".." do not lead out.
const depth = 12

func main() {
	number := func(i int) int {
		n, err := strconv.Atoi(os.Args[i])
		if err != nil {
			panic(err)
		}
		return n
	}
	syscall.Umask(0o022)
	logs := make([][]string, number(3))
	var all sync.WaitGroup
	for i := range logs {
		all.Go(func() {
			w := worker{r: rand.New(rand.NewPCG(uint64(number(2)), uint64(i))), dir: filepath.Join(os.Args[1], fmt.Sprint("g", i), strings.Repeat("d/", depth))}
			if err := os.MkdirAll(w.dir, 0o755); err != nil {
				panic(err)
			}
			for step := range number(4) {
				logs[i] = append(logs[i], fmt.Sprintf("%d.%d %s", i, step, w.step()))
			}
		})
	}
	all.Wait()
	for _, log := range logs {
		fmt.Println(strings.Join(log, "\n"))
	}
}

type worker struct {
	r   *rand.Rand
	dir string
}

// names are few, so that paths meet often.
var names = []string{"a", "b", "c", "dd", "a/", "b/", ".", "..", "a/b", "b/c", "a/../b", "./a", "dd/.", "a/b/c", "b//c", "l", "l/", "l/../a", "x" + strings.Repeat("y", 254),
	"x" + strings.Repeat("y", 255), "a/b/.."}

// name returns the path of something, without cleaning it.
func (w *worker) name() string {
	n := names[w.r.IntN(len(names))]
	if w.r.IntN(3) == 0 {
		n += "/" + names[w.r.IntN(len(names))]
	}
	return w.dir + "/" + n
}

// number is Linux's of an error.
func number(err error) string {
	var e syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &e):
		return fmt.Sprint("errno ", int(e))
	}
	return err.Error()
}

// short says where a path leads, without what is the same in all.
func (w *worker) short(path string) string {
	s := strings.TrimPrefix(path, w.dir+"/")
	if len(s) > 60 {
		s = fmt.Sprint(s[:20], "...", len(s))
	}
	return s
}

// about is what stat tells that does not depend on when and where.
func about(i fs.FileInfo, err error) string {
	if err != nil {
		return number(err)
	}
	size := i.Size()
	if i.IsDir() {
		size = 0
	}
	return fmt.Sprint(i.Mode(), size, i.Sys().(*syscall.Stat_t).Nlink)
}

// times are what files are given.
func (w *worker) time() time.Time { return time.Unix(w.r.Int64N(2e9), w.r.Int64N(1e9)) }

// step does one thing, and says what, and what came of it.
func (w *worker) step() string {
	name, other := w.name(), w.name()
	what, result := "", ""
	switch w.r.IntN(18) {
	case 0, 1, 2:
		flags := []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR}[w.r.IntN(3)]
		for _, f := range []int{os.O_CREATE, os.O_CREATE, os.O_EXCL, os.O_TRUNC, os.O_APPEND, syscall.O_DIRECTORY, syscall.O_NOFOLLOW} {
			if w.r.IntN(4) == 0 {
				flags |= f
			}
		}
		// The number of a flag depends on the architecture.
		what, result = fmt.Sprintf("open %v %v", flags&os.O_CREATE != 0, flags&3), w.open(name, flags)
	case 3:
		what, result = "mkdir", number(syscall.Mkdir(name, 0o700|uint32(w.r.IntN(0o100))))
	case 4:
		what, result = "rmdir", number(syscall.Rmdir(name))
	case 5:
		what, result = "unlink", number(syscall.Unlink(name))
	case 6, 7:
		what, result = "rename "+w.short(other), number(syscall.Rename(name, other))
	case 8:
		target := []string{"a", "b/c", "../a", "..", "none", "l", ".", "dd/", "/", w.dir + "/b"}[w.r.IntN(10)]
		if target == "/" || target[0] == '/' { // both sides have other roots
			target = "../d"
		}
		what, result = "symlink "+target, number(os.Symlink(target, name))
	case 9:
		what, result = "link "+w.short(other), number(syscall.Link(name, other))
	case 10:
		var b [100]byte
		n, err := syscall.Readlink(name, b[:1+w.r.IntN(99)])
		what, result = "readlink", fmt.Sprint(number(err), " ", string(b[:max(n, 0)]))
	case 11:
		what, result = "stat", about(os.Stat(name))
	case 12:
		what, result = "lstat", about(os.Lstat(name))
	case 13:
		what, result = "chmod", number(syscall.Chmod(name, 0o700|uint32(w.r.IntN(0o100))))
	case 14:
		t := w.time()
		err := os.Chtimes(name, t, t)
		i, e := os.Stat(name)
		what, result = "times", number(err)
		if err == nil && e == nil {
			result = fmt.Sprint(i.ModTime().Equal(t))
		}
	case 15:
		what, result = "truncate", number(syscall.Truncate(name, w.r.Int64N(100_000)))
	case 16:
		what, result = "read", w.read(name)
	case 17:
		what, result = "list", w.list(name)
	}
	return fmt.Sprint(what, " ", w.short(name), ": ", result)
}

// open opens a file and does some things with it.
func (w *worker) open(name string, flags int) string {
	f, err := os.OpenFile(name, flags, os.FileMode(0o600|w.r.IntN(0o100)))
	said := []string{number(err)}
	b := make([]byte, 1+w.r.IntN(3000))
	for range w.r.IntN(4) {
		at, what := w.r.Int64N(20_000), w.r.IntN(7)
		for i := range b {
			b[i] = byte(w.r.Uint32())
		}
		if err != nil {
			continue
		}
		n, e := 0, error(nil)
		switch what {
		case 0:
			n, e = f.Write(b)
		case 1:
			n, e = syscall.Pwrite(int(f.Fd()), b, at)
		case 2:
			n, e = f.Read(b)
		case 3:
			n, e = f.ReadAt(b, at)
		case 4:
			_, e = f.Seek(at, w.r.IntN(2))
		case 5:
			e = f.Truncate(at)
		case 6:
			var i fs.FileInfo
			if i, e = f.Stat(); e == nil {
				said = append(said, about(i, e))
			}
		}
		said = append(said, fmt.Sprint(what, n, number(e)))
	}
	if err == nil {
		f.Close()
	}
	return strings.Join(said, "; ")
}

// read says what a file holds.
func (w *worker) read(name string) string {
	b, err := os.ReadFile(name)
	h := fnv.New64a()
	h.Write(b)
	return fmt.Sprintf("%s %d %x", number(err), len(b), h.Sum64())
}

// list says what a directory holds.
func (w *worker) list(name string) string {
	all, err := os.ReadDir(name)
	var said []string
	for _, e := range all {
		said = append(said, w.short(e.Name())+" "+e.Type().String())
	}
	slices.Sort(said)
	return number(err) + " " + strings.Join(said, ", ")
}
