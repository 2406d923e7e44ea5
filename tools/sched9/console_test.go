package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
)

// A consoled is a machine with one of the consoles that there are.
type consoled struct {
	name, arch, machine string
	serial              bool
}

// consoles are all of them.
var consoles = []consoled{
	{"q35", "amd64", "q35", false},
	{"pc", "amd64", "pc", false},
	{"microvm", "amd64", "microvm", false},
	{"virt", "arm64", "virt", false},
	{"q35-serial", "amd64", "q35", true},
	{"virt-serial", "arm64", "virt", true},
}

// waiting are those on which only the writer waits for the reader. QEMU's PL011 writes each byte to its end and stops
// the whole machine until then (docs/limits.md).
var waiting = slices.DeleteFunc(slices.Clone(consoles), func(c consoled) bool { return c.name == "virt-serial" })

// outputImages are those of testdata/output, by architecture.
var outputImages = map[string]func() ([]byte, error){
	"amd64": sync.OnceValues(func() ([]byte, error) { return buildOutput("amd64") }),
	"arm64": sync.OnceValues(func() ([]byte, error) { return buildOutput("arm64") }),
}

// buildOutput builds one.
func buildOutput(arch string) ([]byte, error) {
	src, _, err := image.Find([]string{"./testdata/output"})
	if err != nil {
		return nil, err
	}
	img, err := image.Build(context.Background(), src, image.Options{Arch: arch, Stderr: os.Stderr})
	return img.Data, err
}

// onConsoles runs fn for a guest with each of the consoles, in subtests.
func onConsoles(t *testing.T, consoles []consoled, smp int, args []string, fn func(t *testing.T, g guest.Guest)) {
	for _, c := range consoles {
		t.Run(c.name, func(t *testing.T) {
			img, err := outputImages[c.arch]()
			if err != nil {
				t.Fatal(err)
			}
			fn(t, guest.Guest{
				Name: "output", Image: img, Args: args, Arch: c.arch, Machine: c.machine, Serial: c.serial,
				SMP: smp, Mem: "256M", Accel: "tcg", Timeout: time.Minute,
			})
		})
	}
}

// boots runs g to its end, which is status 0.
func boots(t *testing.T, g guest.Guest) {
	t.Helper()
	o, err := guest.Run(t.Context(), g)
	if err != nil || o.Status != 0 {
		t.Fatalf("status %d, %s, %v", o.Status, o.Why, err)
	}
}

// TestOrder: if both outputs go to one place, their order is that of the writes, to the byte.
func TestOrder(t *testing.T) {
	var want strings.Builder
	for i := range 50 {
		fmt.Fprintf(&want, "out %d\nprint %[1]d\nerr %[1]d\nhalf and half %[1]d\n", i)
	}
	onConsoles(t, consoles, 2, []string{"order"}, func(t *testing.T, g guest.Guest) {
		var out bytes.Buffer
		g.Stdout, g.Merged = &out, true
		boots(t, g)
		if out.String() != want.String() {
			t.Errorf("got\n%s", out.String())
		}
	})
}

// TestOnePlace: the command finds out that both of its outputs are one file.
func TestOnePlace(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	again, err := os.OpenFile(f.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if status := execute(t.Context(), []string{"run", "-accel", "tcg", "./testdata/output", "order"}, f, again); status != 0 {
		t.Fatalf("status %d", status)
	}
	got, err := os.ReadFile(f.Name())
	if err != nil || !strings.HasPrefix(string(got), "out 0\nprint 0\nerr 0\nhalf and half 0\nout 1\n") {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestCrashOutput: what a dying program says goes to standard error and to where debug.SetCrashOutput wants it.
func TestCrashOutput(t *testing.T) {
	var out, err bytes.Buffer
	if status := execute(t.Context(), []string{"run", "-accel", "tcg", "./testdata/output", "crash"}, &out, &err); status != 2 {
		t.Errorf("status %d", status)
	}
	for _, said := range []string{out.String(), err.String()} {
		if !strings.Contains(said, "panic: on purpose\n\ngoroutine 1") || !strings.Contains(said, "main.main()") {
			t.Errorf("a crash said:\n%s", said)
		}
	}
}

// lineForm is what a line of `output lines` looks like, with who wrote it and which one it is.
var lineForm = regexp.MustCompile(`^g([0-9]+) ([0-9]+) (?:([a-z])[a-z]*|print ([0-9]+) true) end$`)

// checkLines reads what `output lines` of so many rounds wrote: every line is whole, is there once, and those of
// one goroutine are in order.
func checkLines(t *testing.T, text string, rounds int) {
	t.Helper()
	const kinds, many = 6, 100
	lengths := [kinds]int{20, 700, 3000, 0, 300, 40_000}
	next := map[int]int{}
	done := false
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if l == "done end" {
			done = true
			continue
		}
		m := lineForm.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("a torn line: %.200q", l)
		}
		g, _ := strconv.Atoi(m[1])
		i, _ := strconv.Atoi(m[2])
		if i != next[g] {
			t.Fatalf("goroutine %d: line %d comes where %d should: %.100q", g, i, next[g], l)
		}
		next[g]++
		want := fmt.Sprintf("g%d %d print %[2]d true end", g, i)
		if n := lengths[g%kinds]; n > 0 {
			want = fmt.Sprintf("g%d %d %s end", g, i, strings.Repeat(string(rune('a'+i%26)), n))
		}
		if l != want {
			t.Fatalf("a torn line: %.200q", l)
		}
	}
	for g := range 2 * kinds {
		want := rounds
		if g%kinds == 4 {
			want *= many
		}
		if next[g] != want {
			t.Errorf("goroutine %d: %d lines, want %d", g, next[g], want)
		}
	}
	if !done {
		t.Error("the last line is not there")
	}
}

// TestWholeLines: no line is torn, whatever its length and whatever else writes, and none is lost.
func TestWholeLines(t *testing.T) {
	const rounds = 5
	onConsoles(t, consoles, 4, []string{"lines", strconv.Itoa(rounds)}, func(t *testing.T, g guest.Guest) {
		var out, both, err bytes.Buffer
		g.Stdout, g.Merged = &both, true
		boots(t, g)
		checkLines(t, both.String(), rounds)
		g.Stdout, g.Stderr, g.Merged = &out, &err, false
		boots(t, g)
		checkLines(t, out.String()+err.String(), rounds)
		for l := range strings.Lines(out.String()) {
			if m := lineForm.FindStringSubmatch(strings.TrimSuffix(l, "\n")); m != nil && m[4] != "" {
				t.Fatalf("%q is on standard output", l)
			}
		}
	})
}

// lazy waits before it takes the first bytes.
type lazy struct {
	bytes.Buffer
	wait <-chan struct{}
}

// Write waits.
func (l *lazy) Write(p []byte) (int, error) {
	<-l.wait
	return l.Buffer.Write(p)
}

// TestPausedReader: a reader that pauses loses nothing, on any console, even if it pauses longer than the
// guest runs.
func TestPausedReader(t *testing.T) {
	const rounds = 10
	onConsoles(t, consoles, 2, []string{"lines", strconv.Itoa(rounds)}, func(t *testing.T, g guest.Guest) {
		t.Parallel()
		later := make(chan struct{})
		time.AfterFunc(5*time.Second, func() { close(later) })
		out := &lazy{wait: later}
		g.Stdout, g.Merged = out, true
		boots(t, g)
		checkLines(t, out.String(), rounds)
	})
}

// TestOthersRun: a goroutine that waits for its reader keeps no P from others, and standard error is not behind
// standard output. The reader goes on when it has heard from the others.
func TestOthersRun(t *testing.T) {
	onConsoles(t, waiting, 2, []string{"alive"}, func(t *testing.T, g guest.Guest) {
		g.Env = []string{"GOMAXPROCS=1"}
		heard := make(chan struct{})
		out := &lazy{wait: heard}
		g.Stdout = out
		var text strings.Builder
		g.Stderr = writerFunc(func(p []byte) (int, error) {
			text.Write(p)
			if strings.Contains(text.String(), "alive 19 ") {
				select {
				case <-heard:
				default:
					close(heard)
				}
			}
			return len(p), nil
		})
		boots(t, g)
		if !strings.Contains(text.String(), "alive 19 false\n") || out.Len() != 1<<20 {
			t.Errorf("%d bytes, and standard error said\n%s", out.Len(), text.String())
		}
	})
}

// writerFunc is a function as a Writer.
type writerFunc func([]byte) (int, error)

// Write calls f.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestReaderDoesNotCount: with counted instructions a guest does the same whatever its reader does.
func TestReaderDoesNotCount(t *testing.T) {
	onConsoles(t, consoles, 2, []string{"lines", "3"}, func(t *testing.T, g guest.Guest) {
		t.Parallel()
		g.ICount, g.Merged = true, true
		var first string
		var instructions uint64
		for n := range 3 {
			later := make(chan struct{})
			if n == 2 {
				time.AfterFunc(time.Second, func() { close(later) })
			} else {
				close(later)
			}
			out := &lazy{wait: later}
			g.Stdout = out
			o, err := guest.Run(t.Context(), g)
			if err != nil || o.Status != 0 {
				t.Fatalf("status %d, %s, %v", o.Status, o.Why, err)
			}
			if n == 0 {
				first, instructions = out.String(), o.Report.Counters["nanoseconds"]
			} else if out.String() != first || o.Report.Counters["nanoseconds"] != instructions {
				t.Errorf("boot %d: other output, or %d instructions and not %d", n, o.Report.Counters["nanoseconds"], instructions)
			}
		}
	})
}

// TestLastWords: what a dying kernel says comes behind what the program wrote, whose lines are whole.
func TestLastWords(t *testing.T) {
	onConsoles(t, consoles, 4, []string{"endless"}, func(t *testing.T, g guest.Guest) {
		var out bytes.Buffer
		var once sync.Once
		var vm *qemu.VM
		up := make(chan struct{})
		g.Started = func(v *qemu.VM) { vm = v; close(up) }
		g.Merged = true
		g.Stdout = writerFunc(func(p []byte) (int, error) {
			out.Write(p)
			if out.Len() > 10_000 {
				once.Do(func() {
					go func() { <-up; vm.Interrupt() }()
				})
			}
			return len(p), nil
		})
		o, err := guest.Run(t.Context(), g)
		if err != nil || o.Status != guest.StatusQuit {
			t.Fatalf("status %d, %s, %v", o.Status, o.Why, err)
		}
		lines, words, ok := strings.Cut(out.String(), "\nsched9: ")
		if !ok || !strings.Contains(words, "P0:") || strings.Contains(words, " end\n") {
			t.Fatalf("the last words are %q", words)
		}
		torn := 0
		for l := range strings.Lines(lines + "\n") {
			if lineForm.FindStringSubmatch(strings.TrimSuffix(l, "\n")) == nil && l != "\n" {
				torn++
				t.Logf("%q", l)
			}
		}
		// A serial port cannot take back half a line.
		if torn > 0 && !g.Serial || torn > 1 {
			t.Errorf("%d torn lines", torn)
		}
	})
}

// TestDropped: output that was not read is reported, with its length.
func TestDropped(t *testing.T) {
	t.Parallel()
	img, err := outputImages["amd64"]()
	if err != nil {
		t.Fatal(err)
	}
	g := guest.Guest{Name: "output", Image: img, Args: []string{"big", "1000000"}, Arch: "amd64", SMP: 1, Mem: "256M", Accel: "tcg", Timeout: 3 * time.Second}
	never := make(chan struct{})
	defer close(never)
	g.Stdout = &lazy{wait: never}
	o, err := guest.Run(t.Context(), g)
	if err != nil || o.Status != guest.StatusTimeout || !regexp.MustCompile(`up to [0-9]{5,} bytes were dropped`).MatchString(o.Why) {
		t.Errorf("status %d, %q, %v", o.Status, o.Why, err)
	}
	// How much it has written by the time that it is ended is the host's affair.
	g.Timeout = time.Minute
	g.Stdout = writerFunc(func(p []byte) (int, error) { return 0, io.ErrShortWrite })
	o, err = guest.Run(t.Context(), g)
	m := regexp.MustCompile(`; ([1-9][0-9]*) bytes were dropped`).FindStringSubmatch(o.Why)
	if err != nil || o.Status != guest.StatusHost || m == nil || len(m[1]) > len("1000000") {
		t.Errorf("status %d, %q, %v", o.Status, o.Why, err)
	}
}
