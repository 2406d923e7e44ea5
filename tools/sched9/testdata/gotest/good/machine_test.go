package good

import (
	"errors"
	"os"
	"os/user"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMachine asks what a program may ask of its machine.
func TestMachine(t *testing.T) {
	if n := debug.SetMaxThreads(20); n != 10000 {
		t.Errorf("%d threads were allowed", n)
	}
	if n := debug.SetMaxThreads(10000); n != 20 {
		t.Errorf("%d threads were allowed, not 20", n)
	}
	// More Ps than vCPUs would never run, but the collector would count them.
	most := runtime.NumCPU()
	old := runtime.GOMAXPROCS(most + 1)
	if n := runtime.GOMAXPROCS(old); old != most || n != most {
		t.Errorf("%d Ps at first, and then %d, on %d vCPUs", old, n, most)
	}
	if name, err := os.Hostname(); err != nil || name != "sched9" {
		t.Error(name, err)
	}
	if u, err := user.Current(); err != nil || u.Uid != "0" || u.Username == "" {
		t.Error(u, err)
	}
	if u, err := user.Lookup("root"); err != nil || u.Uid != "0" || u.HomeDir != "/root" {
		t.Error(u, err)
	}
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil || info.Totalram*uint64(info.Unit) < 64<<20 || info.Freeram >= info.Totalram || info.Procs != 1 {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestNames: with -names, and only then, a test sees the scheduler as files.
func TestNames(t *testing.T) {
	b, err := os.ReadFile("/proc/1/status")
	if named := os.Getenv("HOW") == "names"; named != strings.HasPrefix(string(b), "1 ") || named != (err == nil) {
		t.Errorf("%q, %v", b, err)
	}
}

// TestUsage compares the processors' time with the clock's: all of it in a loop, and less than half when nothing runs.
func TestUsage(t *testing.T) {
	used := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil || r.Maxrss < 1<<10 || r.Maxrss > 1<<20 || r.Stime.Nano() != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		return time.Duration(r.Utime.Nano())
	}
	before, begin := used(), time.Now()
	for time.Since(begin) < 20*time.Millisecond {
	}
	took := time.Since(begin)
	if d := used() - before; d < took-time.Microsecond {
		t.Errorf("a loop of %v used %v", took, d)
	}
	before, begin = used(), time.Now()
	time.Sleep(300 * time.Millisecond)
	d := used() - before
	if took := time.Since(begin); d >= took*time.Duration(runtime.NumCPU())/2 {
		t.Errorf("a sleep of %v used %v", took, d)
	}
	var r syscall.Rusage
	if err := syscall.Getrusage(-1, &r); err != nil || r != (syscall.Rusage{}) { // RUSAGE_CHILDREN
		t.Errorf("%+v, %v", r, err)
	}
	if err := syscall.Getrusage(1, &r); err != syscall.EINVAL { // RUSAGE_THREAD
		t.Error(err)
	}
}

// TestTimeOfDay asks for the time of day between two looks at the clock, which are to the nanosecond.
func TestTimeOfDay(t *testing.T) {
	before := time.Now().UnixMicro()
	var now syscall.Timeval
	err := syscall.Gettimeofday(&now)
	is := now.Sec*1e6 + now.Usec
	if after := time.Now().UnixMicro(); err != nil || is < before || is > after || now.Usec >= 1e6 {
		t.Errorf("%d us, %v: not from %d to %d", is, err, before, after)
	}
}

// TestLimits asks for limits, and sets them to what they are and to what they are not; some cannot be changed.
func TestLimits(t *testing.T) {
	const none = ^uint64(0)
	for _, c := range []struct {
		resource int
		want     uint64
		err      error
	}{
		{syscall.RLIMIT_NOFILE, 1 << 18, nil},
		{syscall.RLIMIT_CORE, none, nil},
		{syscall.RLIMIT_AS, none, nil},
		{syscall.RLIMIT_STACK, none, nil},
		{16, 0, syscall.EINVAL},
	} {
		var l syscall.Rlimit
		if err := syscall.Getrlimit(c.resource, &l); !errors.Is(err, c.err) || l.Cur != c.want || l.Max != c.want {
			t.Errorf("resource %d: %+v, %v", c.resource, l, err)
		}
		if c.err != nil {
			continue
		}
		if err := syscall.Setrlimit(c.resource, &l); err != nil {
			t.Errorf("resource %d as it is: %v", c.resource, err)
		}
		was := l
		l.Cur--
		changes := c.resource == syscall.RLIMIT_NOFILE || c.resource == syscall.RLIMIT_CORE
		if err := syscall.Setrlimit(c.resource, &l); changes != (err == nil) || !changes && err != syscall.EPERM {
			t.Errorf("resource %d with less: %v", c.resource, err)
		}
		var is syscall.Rlimit
		if err := syscall.Getrlimit(c.resource, &is); err != nil || changes != (is == l) {
			t.Errorf("resource %d, after less was set: %+v, %v", c.resource, is, err)
		}
		if err := syscall.Setrlimit(c.resource, &was); err != nil {
			t.Errorf("resource %d as it was: %v", c.resource, err)
		}
		l.Cur, l.Max = l.Max, l.Cur
		if err := syscall.Setrlimit(c.resource, &l); err != syscall.EINVAL {
			t.Errorf("resource %d, more than may be: %v", c.resource, err)
		}
	}
}

// TestOpenLimit opens files up to a limit.
func TestOpenLimit(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: was.Cur, Max: was.Max + 1}); err != syscall.EPERM {
		t.Errorf("a higher ceiling: %v", err)
	}
	const most = 16
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: most, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was)
	var err error
	for i := 0; err == nil && i <= most; i++ {
		var f *os.File
		if f, err = os.Open("testdata/text"); err == nil {
			defer f.Close()
			if f.Fd() >= most {
				t.Errorf("a file has number %d", f.Fd())
			}
		}
	}
	if !errors.Is(err, syscall.EMFILE) {
		t.Errorf("one file too many: %v", err)
	}
	if err := syscall.Dup3(0, most, 0); err != syscall.EBADF {
		t.Errorf("a duplicate with the number of the limit: %v", err)
	}
}
