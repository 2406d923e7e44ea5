package mount

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"sched9/srv/call"
)

func init() {
	call.Serve(serve)
	possible = true
}

// outcome makes a call that must be served. Arguments are numbers, texts and memory.
func outcome(t *testing.T, num uintptr, args ...any) syscall.Errno {
	t.Helper()
	_, errno := result(t, num, args...)
	return errno
}

// result is outcome with the call's result.
func result(t *testing.T, num uintptr, args ...any) (uintptr, syscall.Errno) {
	t.Helper()
	var a [6]uintptr
	var keep runtime.Pinner
	defer keep.Unpin()
	for i, x := range args {
		switch x := x.(type) {
		case int:
			a[i] = uintptr(x)
		case uintptr:
			a[i] = x
		case string:
			b := append([]byte(x), make([]byte, 256)...) // a path is read in pieces
			keep.Pin(&b[0])
			a[i] = uintptr(unsafe.Pointer(&b[0]))
		case []byte:
			keep.Pin(&x[0])
			a[i] = uintptr(unsafe.Pointer(&x[0]))
		}
	}
	r, served := call.Do(num, a[0], a[1], a[2], a[3], a[4], a[5])
	if !served {
		t.Fatalf("call %d is not served", num)
	}
	if call.Failed(r) {
		return 0, syscall.Errno(-r)
	}
	return r, 0
}

// liar is a file whose every count is one that cannot be.
type liar struct{ count int }

func (l liar) Stat() (Attr, error)                    { return Attr{Mode: 0o644, Size: 100}, nil }
func (l liar) ReadAt(b []byte, _ int64) (int, error)  { return l.count, nil }
func (l liar) WriteAt(b []byte, _ int64) (int, error) { return l.count, nil }

// closer is a file that counts its closes. A read waits until the test lets it go on.
type closer struct {
	liar
	reads, goOn chan bool
	closed      chan bool
}

func (c closer) ReadAt([]byte, int64) (int, error) {
	c.reads <- true
	<-c.goOn
	return 0, nil
}

func (c closer) Close() error { close(c.closed); return nil }

// opener is a file each open of which is another node.
type opener struct {
	liar
	opened Node
}

func (o opener) Open(int) (Node, error) { return o.opened, nil }

// mountedAt mounts a tree in a new directory, until the test ends.
func mountedAt(t *testing.T, root Node) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = Mount(root, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Unmount(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// opened opens a file that is served.
func opened(t *testing.T, name string, flags int) uintptr {
	t.Helper()
	n, errno := result(t, syscall.SYS_OPENAT, atCWD, name, flags, 0)
	if errno != 0 {
		t.Fatalf("%s: %v", name, errno)
	}
	return n
}

// TestLies: a count that cannot be is the server's error, and reaches no memory of the program's.
func TestLies(t *testing.T) {
	for _, count := range []int{-1, -1 << 63, 11, 1 << 40} {
		dir := mountedAt(t, Dir{"f": liar{count}})
		n := opened(t, dir+"/f", syscall.O_RDWR)
		b := []byte("0123456789 what is behind the buffer")
		was := slices.Clone(b)
		for _, num := range []uintptr{syscall.SYS_READ, syscall.SYS_PREAD64, syscall.SYS_WRITE, syscall.SYS_PWRITE64} {
			if r, errno := result(t, num, n, b, 10, 0); errno != syscall.EIO || !slices.Equal(b, was) {
				t.Errorf("a count of %d: call %d returns %d, %v, memory %q", count, num, r, errno, b)
			}
		}
		if r, errno := result(t, syscall.SYS_LSEEK, n, 0, 1); r != 0 || errno != 0 {
			t.Errorf("a count of %d: the position is %d, %v", count, r, errno)
		}
		outcome(t, syscall.SYS_CLOSE, n)
	}
}

// TestEntries: names that cannot be are not listed, and a directory is listed in pieces, each entry once.
func TestEntries(t *testing.T) {
	d := Dir{"": liar{}, "..": liar{}, "a/b": liar{}, "zero\x00": liar{}, string(make([]byte, 256)): liar{}}
	var want []string
	for i := range 50 {
		want = append(want, string(rune('A'+i)))
		d[want[i]] = liar{}
	}
	dir := mountedAt(t, d)
	n := opened(t, dir, syscall.O_RDONLY|syscall.O_DIRECTORY)
	var got []string
	for b := make([]byte, 100); ; {
		r, errno := result(t, syscall.SYS_GETDENTS64, n, b, 100)
		if errno != 0 {
			t.Fatal(errno)
		}
		if r == 0 {
			break
		}
		for e := b[:r]; len(e) > 0; e = e[binary.NativeEndian.Uint16(e[16:]):] {
			name := e[19:]
			got = append(got, string(name[:slices.Index(name, 0)]))
		}
	}
	slices.Sort(got[2:])
	if got[0] != "." || got[1] != ".." || !slices.Equal(got[2:], want) {
		t.Errorf("listed %q", got)
	}
	if errno := outcome(t, syscall.SYS_GETDENTS64, n, make([]byte, 8), 8); errno != 0 { // at the end
		t.Error(errno)
	}
	result(t, syscall.SYS_LSEEK, n, 0, 0)
	if errno := outcome(t, syscall.SYS_GETDENTS64, n, make([]byte, 8), 8); errno != syscall.EINVAL {
		t.Errorf("no room for an entry: %v", errno)
	}
	outcome(t, syscall.SYS_CLOSE, n)
}

// TestCloseLate: a file that is closed while a call is in it goes away when that has returned, and once, whatever numbers it had.
func TestCloseLate(t *testing.T) {
	c := closer{reads: make(chan bool), goOn: make(chan bool), closed: make(chan bool)}
	dir := mountedAt(t, Dir{"f": opener{opened: c}})
	n := opened(t, dir+"/f", syscall.O_RDONLY)
	twin, errno := result(t, syscall.SYS_DUP, n)
	if errno != 0 {
		t.Fatal(errno)
	}
	over := make(chan syscall.Errno)
	go func() {
		_, errno := result(t, syscall.SYS_READ, twin, make([]byte, 1), 1)
		over <- errno
	}()
	<-c.reads
	for _, n := range []uintptr{n, twin} {
		if errno := outcome(t, syscall.SYS_CLOSE, n); errno != 0 {
			t.Error(errno)
		}
	}
	select {
	case <-c.closed:
		t.Error("closed while a call is in it")
	default:
	}
	c.goOn <- true
	if errno := <-over; errno != 0 {
		t.Error(errno)
	}
	<-c.closed // a second time would panic
	if call.At(twin) != nil {
		t.Error("the number is still known")
	}
}

// TestPlaces: paths that lead out of a server's tree are the kernel's, and those of the kernel that lead in are the server's.
func TestPlaces(t *testing.T) {
	dir := mountedAt(t, Dir{"d": Dir{"f": liar{}}})
	out := filepath.Join(filepath.Dir(dir), "out")
	if err := os.WriteFile(out, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := opened(t, dir+"/d", syscall.O_RDONLY)
	var st syscall.Stat_t
	b := unsafe.Slice((*byte)(unsafe.Pointer(&st)), unsafe.Sizeof(st))
	for path, size := range map[string]int64{"f": 100, "./../d/f": 100, "../../out": 4, dir + "/d/f": 100, dir + "/../out": 4} {
		st = syscall.Stat_t{}
		if errno := outcome(t, sysNewfstatat, n, path, b, 0); errno != 0 || st.Size != size {
			t.Errorf("%s: %v, %d bytes, not %d", path, errno, st.Size, size)
		}
	}
	for _, c := range []struct {
		path string
		want syscall.Errno
	}{{"none", syscall.ENOENT}, {"f/", syscall.ENOTDIR}, {"f/..", syscall.ENOTDIR}, {"none/..", syscall.ENOENT}, {"", syscall.ENOENT}} {
		if errno := outcome(t, sysNewfstatat, n, c.path, b, 0); errno != c.want {
			t.Errorf("%q: %v, not %v", c.path, errno, c.want)
		}
	}
	if errno := outcome(t, syscall.SYS_RENAMEAT, n, "f", n, "g"); errno != syscall.EROFS {
		t.Errorf("rename: %v", errno)
	}
	outcome(t, syscall.SYS_CLOSE, n)
}
