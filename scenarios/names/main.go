// Names reads and writes the files in which a guest shows its scheduler (docs/names.md): /proc, /sched, /dev and /env. Stock Go on
// Linux has none of them, and there it says so.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"sched9/kernel/names"
	_ "sched9/names"
)

func main() {
	if _, err := os.Stat("/sched/ctl"); err != nil {
		fmt.Println("names: no /sched here")
		return
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"table", table}, {"environment", environment}, {"messages", messages}, {"self", self}, {"waiting", waiting}, {"callees", callees}, {"queues", queues}, {"times", times}, {"listing", listing},
		{"snapshot", snapshot}, {"control", control}, {"mistakes", mistakes}, {"policy", policy}, {"trace", traced}, {"stop", stop}, {"note", note}, {"raw", raw}, {"churn", churn},
	} {
		if err := step.do(); err != nil {
			fmt.Printf("names: %s: %v\n", step.name, err)
			os.Exit(1)
		}
		fmt.Println("names:", step.name, "ok")
	}
	fmt.Println("names: done")
}

// table opens each file of the table: those of goroutine 1, P 0 and M 0.
func table() error {
	for _, f := range names.Table[1:] {
		if f.Path == "/proc/trace" { // it opens only when something is traced
			continue
		}
		path := strings.NewReplacer("GOID", "1", "/N/", "/0/").Replace(f.Path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, w := range f.Words {
			if !strings.Contains(string(text), w.Name) {
				return fmt.Errorf("%s does not name %s", path, w.Name)
			}
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() != true || (info.Mode()&0o200 != 0) != (f.Words != nil) {
			return fmt.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
		if _, err := os.OpenFile(path, os.O_WRONLY, 0); (err == nil) != (f.Words != nil) {
			return fmt.Errorf("%s opened for writing: %v", path, err)
		}
	}
	return nil
}

// environment has the variables as files, and the console by Plan 9's name.
func environment() error {
	text, err := os.ReadFile("/env/GREETING")
	if err != nil || string(text) != "good day, world" {
		return fmt.Errorf("/env/GREETING is %q, %v", text, err)
	}
	return os.WriteFile("/dev/cons", []byte("names: this line went to /dev/cons\n"), 0)
}

// messages has what the runtime prints, and not what the program writes.
func messages() error {
	println("names: the runtime says", "this")
	text, err := os.ReadFile("/dev/kmesg")
	if err != nil || !strings.HasPrefix(string(text), fmt.Sprintf("boot: %d processors, ", runtime.NumCPU())) {
		return fmt.Errorf("/dev/kmesg: %q, %v", text, err)
	}
	if !strings.Contains(string(text), "names: the runtime says this\n") || strings.Contains(string(text), "table ok") {
		return fmt.Errorf("/dev/kmesg: %q", text)
	}
	for i := range 640 {
		println("names: one of many lines", i)
	}
	text, err = os.ReadFile("/dev/kmesg")
	if err != nil || len(text) > 16<<10 || !strings.HasPrefix(string(text), "names: one of many lines ") || !strings.HasSuffix(string(text), " 639\n") {
		return fmt.Errorf("/dev/kmesg after many lines: %d bytes, %.40q, %v", len(text), text, err)
	}
	return nil
}

// self leaves the process's own directory as Linux has it.
func self() error {
	if _, err := os.ReadDir("/proc/self/fd"); err != nil {
		return err
	}
	for _, name := range []string{"/proc/0", "/proc/01", "/proc/999999999", "/proc/1/mem"} {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Mkdir("/proc/77777777", 0o755); !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("mkdir in /proc: %v", err)
	}
	return nil
}

// goid returns the caller's number.
func goid() string {
	var b [64]byte
	return strings.Fields(string(b[:runtime.Stack(b[:], false)]))[1]
}

// fields returns those of the only record of a file.
func fields(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return split(strings.TrimSuffix(string(text), "\n")), nil
}

// split takes a record apart: a field in quotes has blanks.
func split(record string) (all []string) {
	quoted, field := false, ""
	for _, c := range record {
		switch {
		case c == '\'':
			quoted = !quoted
		case c == ' ' && !quoted:
			all, field = append(all, field), ""
		default:
			field += string(c)
		}
	}
	return append(all, field)
}

// until waits for a state of goroutine id.
func until(id, state string) error {
	for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
		f, err := fields("/proc/" + id + "/status")
		if err != nil || f[1] == state {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("goroutine %s does not come to %s: %v", id, state, f)
		}
	}
}

// begin starts fn and returns its goroutine's number.
func begin(fn func()) string {
	id := make(chan string)
	go func() {
		id <- goid()
		fn()
	}()
	return <-id
}

//go:noinline
func receive(c chan int) { <-c }

// waiting shows a goroutine that waits for a channel of three places with one value taken, and where it does.
func waiting() error {
	full, empty := make(chan int, 3), make(chan int)
	for range 3 {
		full <- 1
	}
	for _, w := range []struct {
		id, reason, in string
		rest           []string
	}{
		{begin(func() { full <- 1 }), "chan send", "main.waiting", []string{"3", "3"}},
		{begin(func() { receive(empty) }), "chan receive", "main.receive", []string{"0", "0"}},
	} {
		if err := until(w.id, "wait"); err != nil {
			return err
		}
		f, err := fields("/proc/" + w.id + "/wait")
		if err != nil || len(f) != 6 || f[0] != w.reason || f[2] != "chan" || f[4] != w.rest[0] || f[5] != w.rest[1] {
			return fmt.Errorf("/proc/%s/wait: %q, %v", w.id, f, err)
		}
		stack, err := os.ReadFile("/proc/" + w.id + "/stack")
		if err != nil || !strings.HasPrefix(string(stack), "runtime.gopark ") || !strings.Contains(string(stack), "\n"+w.in) {
			return fmt.Errorf("/proc/%s/stack: %s, %v", w.id, stack, err)
		}
		args, err := fields("/proc/" + w.id + "/args")
		if err != nil || len(args) != 3 || !strings.Contains(args[1], "names/main.go:") || args[2] != goid() {
			return fmt.Errorf("/proc/%s/args: %q, %v", w.id, args, err)
		}
	}
	empty <- 1
	<-full
	return nil
}

//go:noinline
func called(c chan int, _ string) { <-c }

func put(c chan int) { receive(c) } // the compiler puts this into its caller

// waiter is for a go statement of a method.
type waiter struct{ c chan int }

//go:noinline
func (w *waiter) method(n int) { <-w.c }

// held is what only a variable knows.
var held = func(c chan int, _ int) { <-c }

// callees has goroutines called after the function of their go statement, not after what the compiler makes of that.
func callees() error {
	c := make(chan int)
	for want, start := range map[string]func(){
		"main.called":                func() { go called(c, "x") },
		"main.put":                   func() { go put(c) },
		"main.(*waiter).method":      func() { go (&waiter{c}).method(1) },
		"main.callees.func4.gowrap1": func() { go held(c, 1) },
	} {
		start()
		for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
			all := map[string]bool{}
			n, err := countCalled(want, all)
			if err != nil {
				return err
			}
			if n == 1 {
				break
			}
			if time.Now().After(end) {
				return fmt.Errorf("no goroutine is called %s: %v", want, all)
			}
		}
		c <- 1
	}
	return nil
}

// countCalled counts the goroutines that are called so in both their files, and notes the names of all.
func countCalled(name string, all map[string]bool) (n int, err error) {
	dirs, err := os.ReadDir("/proc")
	for _, d := range dirs {
		status, err1 := fields("/proc/" + d.Name() + "/status")
		args, err2 := fields("/proc/" + d.Name() + "/args")
		if err1 != nil || err2 != nil {
			continue // it has ended
		}
		all[status[11]] = true
		if status[11] == name && args[0] == name {
			n++
		}
	}
	return n, err
}

// queues has every goroutine of some that always want to run in a queue at one time or another.
func queues() error {
	var end atomic.Bool
	defer end.Store(true)
	missing := map[string]bool{}
	for range 2*runtime.GOMAXPROCS(0) + 2 {
		missing[begin(func() {
			for !end.Load() {
				runtime.Gosched()
			}
		})] = true
	}
	for limit := time.Now().Add(20 * time.Second); len(missing) > 0; runtime.Gosched() {
		files := []string{"/sched/global"}
		for i := range runtime.GOMAXPROCS(0) {
			files = append(files, fmt.Sprintf("/sched/p/%d/queue", i))
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				id := strings.Fields(line)[0]
				if id == "0" {
					return fmt.Errorf("%s: %q", name, text)
				}
				delete(missing, id)
			}
		}
		if time.Now().After(limit) {
			return fmt.Errorf("goroutines %v are in no queue", missing)
		}
	}
	return nil
}

// clock returns nanoseconds since boot.
func clock() int64 {
	f, err := fields("/dev/time")
	if err != nil {
		panic(err)
	}
	n, _ := strconv.ParseInt(f[2], 10, 64)
	return n
}

// age returns the sum of goroutine id's times, and the time that it ran.
func age(id string) (sum, run int64, err error) {
	f, err := fields("/proc/" + id + "/status")
	if err != nil {
		return 0, 0, err
	}
	for i, text := range f[4:8] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return 0, 0, fmt.Errorf("a time of goroutine %s is %s", id, text)
		}
		if sum += n; i == 0 {
			run = n
		}
	}
	return sum, run, nil
}

// times holds the accounts against the clock: between two looks a goroutine's four times together grow by what lies between them, no
// more and no less; and those that run do so for no longer than there are Ps.
func times() error {
	var end atomic.Bool
	ids := []string{goid()}
	for range 2 * runtime.GOMAXPROCS(0) {
		ids = append(ids, begin(func() {
			for n := 0; !end.Load(); n++ {
				if n%1000 == 0 {
					runtime.Gosched()
				}
			}
		}))
	}
	defer end.Store(true)
	type look struct{ before, after, sum, run int64 }
	looks := [2][]look{}
	for i := range looks {
		for _, id := range ids {
			l := look{before: clock()}
			var err error
			if l.sum, l.run, err = age(id); err != nil {
				return err
			}
			l.after = clock()
			looks[i] = append(looks[i], l)
		}
		time.Sleep(20 * time.Millisecond)
	}
	const grain = 4000 // the clock is measured against itself, and reads in steps
	ran := int64(0)
	for i, a := range looks[0] {
		b := looks[1][i]
		grew := b.sum - a.sum
		if grew < b.before-a.after-grain || grew > b.after-a.before+grain {
			return fmt.Errorf("goroutine %s: its times grew by %d between %d and %d", ids[i], grew, b.before-a.after, b.after-a.before)
		}
		if b.run < a.run {
			return fmt.Errorf("goroutine %s has run %d, and later %d", ids[i], a.run, b.run)
		}
		if i > 0 { // the first, this one, makes system calls, and comes back from them before it has a P
			ran += b.run - a.run
		}
	}
	last := len(ids) - 1
	if most := (looks[1][last].after - looks[0][0].before) * int64(runtime.GOMAXPROCS(0)); ran > most || ran == 0 {
		return fmt.Errorf("goroutines ran %d of %d", ran, most)
	}
	return nil
}

// listing has a directory for each goroutine, as long as that lives.
func listing() error {
	release := make(chan bool)
	var ended sync.WaitGroup
	ids := map[string]bool{}
	for range 300 {
		ended.Add(1)
		ids[begin(func() { defer ended.Done(); <-release })] = true
	}
	count := func() (n int, err error) {
		all, err := os.ReadDir("/proc")
		for _, e := range all {
			if ids[e.Name()] && e.IsDir() {
				n++
			}
		}
		return n, err
	}
	if n, err := count(); err != nil || n != len(ids) {
		return fmt.Errorf("%d of %d goroutines are listed, %v", n, len(ids), err)
	}
	close(release)
	ended.Wait()
	for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
		n, err := count()
		if err != nil || n == 0 {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d goroutines that have ended are listed", n)
		}
	}
}

// snapshot reads what was at the open, however long it takes, and after the goroutine has ended.
func snapshot() error {
	release := make(chan bool)
	id := begin(func() { <-release })
	if err := until(id, "wait"); err != nil {
		return err
	}
	f, err := os.Open("/proc/" + id + "/status")
	if err != nil {
		return err
	}
	defer f.Close()
	whole, err := os.ReadFile(fmt.Sprint("/proc/self/fd/", f.Fd()))
	if err != nil {
		return err
	}
	close(release)
	for end := time.Now().Add(20 * time.Second); ; runtime.Gosched() {
		if _, err := os.ReadFile("/proc/" + id + "/status"); errors.Is(err, fs.ErrNotExist) {
			break
		} else if time.Now().After(end) {
			return fmt.Errorf("goroutine %s does not end: %v", id, err)
		}
	}
	var got []byte
	for b := make([]byte, 7); ; {
		n, err := f.Read(b)
		if got = append(got, b[:n]...); err != nil {
			break
		}
	}
	if string(got) != string(whole) || !strings.HasPrefix(string(got), id+" wait ") {
		return fmt.Errorf("%q, then %q", whole, got)
	}
	return nil
}

// control does to the scheduler what calls do.
func control() error {
	was := runtime.GOMAXPROCS(0)
	for _, n := range []int{1, runtime.NumCPU()} {
		if err := os.WriteFile("/sched/ctl", []byte(fmt.Sprintf("gomaxprocs %d\n", n)), 0); err != nil || runtime.GOMAXPROCS(0) != n {
			return fmt.Errorf("gomaxprocs %d: %d, %v", n, runtime.GOMAXPROCS(0), err)
		}
	}
	runtime.GOMAXPROCS(was)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := os.WriteFile("/sched/ctl", []byte("gc"), 0); err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	if after.NumGC <= before.NumGC {
		return fmt.Errorf("%d collections before, %d after", before.NumGC, after.NumGC)
	}
	for _, word := range []string{"audit", "slice 1ms"} {
		if err := os.WriteFile("/sched/ctl", []byte(word), 0); err != nil {
			return err
		}
	}
	status, err := os.ReadFile("/sched/status")
	if err != nil || !strings.Contains(string(status), "\nslice 1000000\n") {
		return fmt.Errorf("%s, %v", status, err)
	}
	return os.WriteFile("/sched/ctl", []byte("slice 10ms"), 0)
}

// mistakes are errors that say what is right, and change nothing.
func mistakes() error {
	procs := runtime.GOMAXPROCS(0)
	for _, m := range []struct{ path, line, want string }{
		{"/sched/ctl", "faster", "no such word; /sched/ctl takes gomaxprocs N, slice D, policy NAME, trace on|off, gc, audit"},
		{"/sched/ctl", "", ""},
		{"/sched/ctl", "\n", "no such word"},
		{"/sched/ctl", "gomaxprocs", "gomaxprocs N: "},
		{"/sched/ctl", "gomaxprocs 0", "gomaxprocs N: "},
		{"/sched/ctl", "gomaxprocs -1", "gomaxprocs N: "},
		{"/sched/ctl", "gomaxprocs 1000", "the number of Ps is from 1 to the number of vCPUs"},
		{"/sched/ctl", "slice 1", "slice D: "},
		{"/sched/ctl", "slice 1ns", "slice D: "},
		{"/sched/ctl", "gc now", "gc takes no argument"},
		{"/sched/ctl", strings.Repeat("x", names.MaxCommand+1), "invalid argument"},
		{"/proc/1/ctl", "stop", "a goroutine cannot do this to itself"},
		{"/proc/1/ctl", "note", "note TEXT: "},
		{"/proc/2/ctl", "stop", "the goroutine is the runtime's own"},
	} {
		err := os.WriteFile(m.path, []byte(m.line), 0)
		if m.want == "" && err != nil || m.want != "" && (err == nil || !strings.Contains(err.Error(), m.want)) {
			return fmt.Errorf("%q to %s: %v", m.line, m.path, err)
		}
	}
	if now := runtime.GOMAXPROCS(0); now != procs {
		return fmt.Errorf("GOMAXPROCS was %d and is %d", procs, now)
	}
	return nil
}

// policy changes it while goroutines run, wait and are in calls; priorities are there while it has such.
func policy() error {
	var end atomic.Bool
	var all sync.WaitGroup
	c, done := make(chan int), make(chan bool)
	turns := []func(){
		runtime.Gosched, runtime.Gosched, func() {},
		func() { time.Sleep(50 * time.Microsecond) },
		func() { syscall.Nanosleep(&syscall.Timespec{Nsec: 1000}, nil) },
		func() {
			select {
			case c <- 1:
			case <-done:
			}
		},
		func() {
			select {
			case <-c:
			case <-done:
			}
		},
	}
	for _, turn := range turns {
		all.Go(func() {
			for !end.Load() {
				turn()
			}
		})
	}
	release := make(chan bool)
	id := begin(func() { <-release })
	pri := func(id string) string {
		f, err := fields("/proc/" + id + "/status")
		if err != nil {
			return err.Error()
		}
		return f[9]
	}
	say := func(line string) error { return os.WriteFile("/sched/ctl", []byte(line), 0) }
	give := func(line string) error { return os.WriteFile("/proc/"+id+"/ctl", []byte(line), 0) }
	for _, name := range []string{"pool", "mlfq", "pool", "M:N", "mlfq", "mlfq"} {
		if err := say("policy " + name); err != nil {
			return err
		}
		text, err := os.ReadFile("/sched/policy")
		if err != nil || !strings.Contains(string(text), name+" *\n") || strings.Count(string(text), "*") != 1 {
			return fmt.Errorf("policy %s: %q, %v", name, text, err)
		}
		time.Sleep(2 * time.Millisecond)
		err = give("pri 3")
		if name != "mlfq" {
			if got := pri(id); err == nil || !strings.Contains(err.Error(), "the policy has no priorities") || got != "-" {
				return fmt.Errorf("pri under %s: %v, then %s", name, err, got)
			}
			continue
		}
		if got := pri(id); err != nil || got != "3" {
			return fmt.Errorf("pri 3: %v, then %s", err, got)
		}
		if err := give("pri 4"); err == nil || !strings.Contains(err.Error(), "pri N: ") || pri(id) != "3" {
			return fmt.Errorf("pri 4: %v", err)
		}
	}
	for line, want := range map[string]string{"policy best": "policy NAME: ", "policy 1:1": "1:1 and N:1 are for whole runs", "policy N:1": "1:1 and N:1 are for whole runs"} {
		if err := say(line); err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("%s: %v", line, err)
		}
	}
	close(release)
	end.Store(true)
	close(done)
	all.Wait()
	// A new goroutine has the priority 0, though the runtime makes it of what has been another.
	release = make(chan bool)
	defer close(release)
	for range 20 {
		if id := begin(func() { <-release }); pri(id) != "0" {
			return fmt.Errorf("a new goroutine has the priority %s", pri(id))
		}
	}
	return say("policy M:N")
}

// traced reads what happens to goroutines while it does.
func traced() error {
	say := func(line string) error { return os.WriteFile("/sched/ctl", []byte(line), 0) }
	if _, err := os.Open("/proc/trace"); err == nil || !strings.Contains(err.Error(), "nothing is traced") {
		return fmt.Errorf("open while nothing is traced: %v", err)
	}
	if err := say("trace maybe"); err == nil || !strings.Contains(err.Error(), "trace on|off: ") {
		return fmt.Errorf("trace maybe: %v", err)
	}
	if err := say("trace on"); err != nil {
		return err
	}
	all, err := os.Open("/proc/trace")
	if err != nil {
		return err
	}
	release := make(chan bool)
	id := begin(func() { <-release })
	if err := until(id, "wait"); err != nil {
		return err
	}
	close(release)
	lines := bufio.NewScanner(all)
	want := []string{"Create", "Start", "Block", "Unblock", "Start", "Exit"} // among others
	last := int64(0)
	for lines.Scan() && len(want) > 0 {
		f := split(lines.Text())
		at, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || len(f) != 7 || at < last {
			return fmt.Errorf("%q after %d: %v", f, last, err)
		}
		last = at
		if f[3] != id || f[4] != want[0] {
			continue
		}
		if f[4] == "Create" && !strings.HasPrefix(f[5], "main.begin.") || f[4] == "Block" && len(want) == 4 && f[5] != "chan receive" && f[5] != "chan send" {
			return fmt.Errorf("%q", f)
		}
		want = want[1:]
	}
	if len(want) > 0 {
		return fmt.Errorf("no line about %s of goroutine %s: %v", want[0], id, lines.Err())
	}
	if err := say("trace off"); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, all); err != nil { // it ends
		return err
	}
	all.Close()

	var end atomic.Bool
	defer end.Store(true)
	for i := range 3 {
		id = begin(func() {
			for !end.Load() {
				time.Sleep(time.Duration(i+1) * 100 * time.Microsecond)
			}
		})
	}
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("trace 1"), 0); err != nil {
		return err
	}
	one, err := os.Open("/proc/trace")
	if err != nil {
		return err
	}
	defer one.Close()
	lines = bufio.NewScanner(one)
	for n := 0; n < 20; n++ {
		if !lines.Scan() {
			return fmt.Errorf("the trace of goroutine %s ends: %v", id, lines.Err())
		}
		if f := split(lines.Text()); f[3] != id && f[4] != "Lost" {
			return fmt.Errorf("%q, and only goroutine %s is traced", f, id)
		}
	}
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("trace 0"), 0); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, one)
	return err
}

// stop stops goroutines that run, that wait, and that are in system calls, and starts them.
func stop() error {
	for name, turn := range map[string]func(){
		"loop": func() {}, "sleep": func() { time.Sleep(time.Microsecond) }, "yield": runtime.Gosched,
		"call": func() { syscall.Nanosleep(&syscall.Timespec{Nsec: 1000}, nil) },
	} {
		var turns atomic.Int64
		var end atomic.Bool
		id := begin(func() {
			for !end.Load() {
				turns.Add(1)
				turn()
			}
		})
		ctl := "/proc/" + id + "/ctl"
		if err := os.WriteFile(ctl, []byte("start"), 0); err == nil || !strings.Contains(err.Error(), "the goroutine is not stopped") {
			return fmt.Errorf("%s: start before stop: %v", name, err)
		}
		for range 3 {
			if err := os.WriteFile(ctl, []byte("stop"), 0); err != nil {
				return err
			}
			if err := until(id, "stopped"); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			n := turns.Load()
			runtime.GC()
			time.Sleep(time.Millisecond)
			if turns.Load() != n {
				return fmt.Errorf("%s: it was stopped, and went on", name)
			}
			if err := os.WriteFile(ctl, []byte("start"), 0); err != nil {
				return err
			}
			for limit := time.Now().Add(20 * time.Second); turns.Load() == n; runtime.Gosched() {
				if time.Now().After(limit) {
					return fmt.Errorf("%s: it was started, and does not run", name)
				}
			}
		}
		end.Store(true)
	}
	return nil
}

// note makes a goroutine panic that computes, and cannot one that waits.
func note() error {
	heard, ready := make(chan any), make(chan bool)
	sum := 0
	id := begin(func() {
		defer func() { heard <- recover() }()
		ready <- true
		for n := 0; n >= 0; n = (n + 1) & 0xffff {
			sum += n
		}
	})
	<-ready
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("note hear me\n"), 0); err != nil {
		return err
	}
	if r := fmt.Sprint(<-heard); r != "note: hear me" {
		return fmt.Errorf("the goroutine heard %q", r)
	}
	release := make(chan bool)
	id = begin(func() { <-release })
	defer close(release)
	if err := until(id, "wait"); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/"+id+"/ctl", []byte("note hear me"), 0); err == nil || !strings.Contains(err.Error(), "a note cannot reach it") {
		return fmt.Errorf("a note to one that waits: %v", err)
	}
	return nil
}

// raw opens a file by a call that nobody can complete.
func raw() error {
	path := append([]byte("/sched/status"), 0)
	const atCWD = -100
	_, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(atCWD&(1<<64-1)), uintptr(unsafe.Pointer(&path[0])), 0, 0, 0, 0)
	if errno != syscall.EOPNOTSUPP {
		return fmt.Errorf("a raw open: %v", errno)
	}
	return nil
}

// churn looks at goroutines that come and go.
func churn() error {
	var readers, writers sync.WaitGroup
	var end atomic.Bool
	for range 3 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for !end.Load() {
				var some sync.WaitGroup
				for range 20 {
					some.Go(runtime.Gosched)
				}
				some.Wait()
			}
		}()
	}
	errs := make(chan error, 3)
	for i := range 3 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for range 4 {
				all, err := os.ReadDir("/proc")
				if err != nil {
					errs <- err
					return
				}
				for _, e := range all {
					if !e.IsDir() {
						continue
					}
					name := "/proc/" + e.Name() + "/" + []string{"status", "stack", "wait"}[i]
					if _, err := os.ReadFile(name); err != nil && e.Name() != "self" && !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "no such goroutine") {
						errs <- err
						return
					}
				}
			}
		}()
	}
	readers.Wait()
	end.Store(true)
	writers.Wait()
	close(errs)
	return <-errs
}
