package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
)

var (
	stormFor  = flag.Duration("storm.for", 0, "how `long` the programs of TestStorm and TestServer run; 0: a moment")
	stormArch = flag.String("storm.arch", "amd64", "the `architecture` of their machines")
	stormType = flag.String("storm.machine", "", "their `type` of machine; the architecture's usual one if empty")
	stormSMP  = flag.Int("storm.smp", 4, "their `vCPUs`")
)

// buildScenario builds a scenario's image.
func buildScenario(t *testing.T, name, arch string) []byte {
	t.Helper()
	src, _, err := image.Find([]string{"../../scenarios/" + name})
	if err != nil {
		t.Fatal(err)
	}
	img, err := image.Build(context.Background(), src, image.Options{Arch: arch, Stderr: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	return img.Data
}

// said is a line of a kernelstorm's worker, and what of it follows the beginning.
var said = regexp.MustCompile(`^kernelstorm: round (\d+) worker (\d+) line (\d+) x*\.$`)

// A stormReader checks a kernelstorm's output: every line is whole, none is lost, and those of a worker come in
// order. It keeps only the last lines that come from no worker.
type stormReader struct {
	mu      sync.Mutex
	t       *testing.T
	pending []byte
	next    map[string]int // by round and worker, the number of the next line
	lines   int
	others  []string
}

// Write takes some of it.
func (r *stormReader) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(r.pending, p...)
	for {
		line, rest, ok := bytes.Cut(r.pending, []byte("\n"))
		if !ok {
			r.pending = bytes.Clone(r.pending)
			return len(p), nil
		}
		r.line(string(line))
		r.pending = rest
	}
}

// line takes a line.
func (r *stormReader) line(text string) {
	m := said.FindStringSubmatch(text)
	if m == nil {
		if !strings.HasPrefix(text, "kernelstorm: ") || !strings.HasSuffix(text, ".") {
			r.t.Errorf("a torn line: %.200q", text)
		}
		r.others = append(r.others, text)
		r.others = r.others[max(0, len(r.others)-20):]
		return
	}
	if r.next == nil {
		r.next = map[string]int{}
	}
	// Rounds come one after another: of earlier ones there is nothing more.
	if len(r.next) > 1000 {
		for key := range r.next {
			if !strings.HasPrefix(key, m[1]+" ") {
				delete(r.next, key)
			}
		}
	}
	key := m[1] + " " + m[2]
	if n, _ := strconv.Atoi(m[3]); n != r.next[key]+1 {
		r.t.Errorf("round %s, worker %s: line %d follows line %d", m[1], m[2], n, r.next[key])
	}
	r.next[key]++
	r.lines++
}

// end compares with what the program says at its end.
func (r *stormReader) end() {
	r.t.Helper()
	last := ""
	if len(r.others) > 0 {
		last = r.others[len(r.others)-1]
	}
	m := regexp.MustCompile(`^kernelstorm: done, \d+ rounds, (\d+) lines\.$`).FindStringSubmatch(last)
	if m == nil || m[1] != strconv.Itoa(r.lines) || len(r.pending) > 0 {
		r.t.Errorf("%d lines came, and then %.200q; at last\n%s", r.lines, r.pending, strings.Join(r.others, "\n"))
	}
}

// storm is a machine that runs a kernelstorm, which prints to r.
func storm(img []byte, arch string, smp int, r *stormReader, args ...string) guest.Guest {
	return guest.Guest{
		Name: "kernelstorm", Image: img, Args: args, Arch: arch, SMP: smp, Mem: "96M", Accel: "tcg",
		Disks: []guest.Disk{{Size: 16 << 20, Write: true}}, Timeout: 5 * time.Minute, Stdout: r, Stderr: r,
	}
}

// TestStormHeld: QEMU stands still for 62 ms of every 70 or so, as on a host with a quota: nothing is lost or
// early, and it ends.
func TestStormHeld(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			r := &stormReader{t: t}
			g := storm(buildScenario(t, "kernelstorm", arch), arch, 2, r, "11", "1", "3")
			g.Started = func(vm *qemu.VM) { go hold(vm, nil) }
			boots(t, g)
			r.end()
		})
	}
}

// pausing stops reading for a while, again and again. The pauses are the test: nothing waits for them, and they may last
// longer.
type pausing struct {
	to    *stormReader
	after int // bytes
	taken int
}

// Write takes p, and may take its time.
func (w *pausing) Write(p []byte) (int, error) {
	if w.taken += len(p); w.taken > w.after {
		w.taken = 0
		time.Sleep(time.Second)
	}
	return w.to.Write(p)
}

// TestStormPaused: the reader of the storm's output pauses, again and again: workers wait, and no line is
// lost or torn.
func TestStormPaused(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			r := &stormReader{t: t}
			g := storm(buildScenario(t, "kernelstorm", arch), arch, 2, r, "12", "1", "6")
			g.Stdout = &pausing{to: r, after: 6000}
			boots(t, g)
			r.end()
		})
	}
}

// TestStorm: however long a program runs that takes and gives back all that there is, no more of it is in use at its end
// than after a moment.
//
//	go test ./tools/sched9 -run 'TestStorm$' -v -timeout 30m -storm.for 10m [-storm.arch arm64] [-storm.machine microvm] [-storm.smp N]
func TestStorm(t *testing.T) {
	img := buildScenario(t, "kernelstorm", *stormArch)
	run := func(d string, steps string) map[string]uint64 {
		r := &stormReader{t: t}
		g := storm(img, *stormArch, *stormSMP, r, "13", d, steps)
		g.Machine = *stormType
		g.Timeout += *stormFor
		o, err := guest.Run(t.Context(), g)
		if err != nil || o.Status != 0 {
			t.Fatalf("status %d, %s, %v\n%s", o.Status, o.Why, err, strings.Join(r.others, "\n"))
		}
		r.end()
		t.Logf("%s, %d lines", r.others[len(r.others)-1], r.lines)
		return o.Report.Counters
	}
	steps, long := "4", "4"
	if *stormFor > 0 {
		steps, long = "12", stormFor.String()
	}
	constant(t, run("2", steps), run(long, steps))
}

// TestServer is TestStorm with a program that is like a server.
func TestServer(t *testing.T) {
	img := buildScenario(t, "server", *stormArch)
	run := func(d string) map[string]uint64 {
		var out bytes.Buffer
		o, err := guest.Run(t.Context(), guest.Guest{
			Name: "server", Image: img, Args: []string{d}, Arch: *stormArch, Machine: *stormType, SMP: *stormSMP, Mem: "64M", Accel: "tcg",
			Timeout: 5*time.Minute + *stormFor, Stdout: &out, Stderr: &out,
		})
		if err != nil || o.Status != 0 {
			t.Fatalf("status %d, %s, %v\n%s", o.Status, o.Why, err, out.String())
		}
		t.Log(strings.TrimSpace(out.String()))
		return o.Report.Counters
	}
	long := "20"
	if *stormFor > 0 {
		long = stormFor.String()
	}
	constant(t, run("5"), run(long))
}

// constant compares what two runs of one program had in use at their ends. The heap's spans lie now here, now there,
// so a few tables and areas may differ; one that is lost each time that it is used makes thousands.
func constant(t *testing.T, first, last map[string]uint64) {
	t.Helper()
	for _, c := range []struct {
		name string
		more uint64
	}{{"page_tables", 60}, {"areas", 60}, {"frames_used", 6 << 20 / 4096}, {"disk_slots", 0}, {"goroutines", 0}} {
		a, ok := first[c.name]
		b := last[c.name]
		t.Logf("%s: %d at the end of a short run, %d of a long one", c.name, a, b)
		if !ok || b > a+c.more {
			t.Errorf("%s: %d at the end of a short run, %d of a long one", c.name, a, b)
		}
	}
}
