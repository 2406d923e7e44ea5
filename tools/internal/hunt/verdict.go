package hunt

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/report"
)

// Verdict is what became of the program under one schedule.
type Verdict struct {
	Seed   int
	Status int    // the program's exit status, or one of package guest's
	Failed bool   // the program is at fault
	Title  string // what it failed with, a line that is the same for failures of one kind; "": it passed
	Broken string // why there is no verdict: the machine or the kernel is at fault. "" otherwise

	Output   string // of the program: standard output and error, as they came
	Sum      uint64 // of the output
	Counters map[string]uint64
	Switches []report.Switch // if the guest was asked for them
	Saved    *Saved          // the schedule was this; nil: it was a seed's
}

// judge makes a verdict. fails are the statuses that count as failure; nil: all but 0.
func judge(seed int, o guest.Outcome, output string, fails []int) Verdict {
	v := Verdict{Seed: seed, Status: o.Status, Output: output, Sum: sum(output), Counters: o.Report.Counters, Switches: o.Report.Switches}
	switch over := overdue.FindString(output); {
	case o.Status == guest.StatusTimeout && o.Why == "" && over != "":
		v.Failed, v.Title = true, "livelock: "+strings.TrimPrefix(over, "sched9: hunt: ")
		if strings.HasSuffix(over, "clock") {
			v.Title = "hang" + strings.TrimPrefix(v.Title, "livelock")
		}
	case o.Why != "":
		v.Broken = o.Why
	case failing(o.Status, fails) && race(output) != "":
		v.Failed, v.Title = true, race(output)
	case o.Status != 0 && leak(output) != "":
		v.Failed, v.Title = true, vary.ReplaceAllString(leak(output), "?")
	case failing(o.Status, fails):
		v.Failed, v.Title = true, title(output, o.Status)
	}
	return v
}

// overdue is what the kernel says of a run that has passed a bound on its time.
var overdue = regexp.MustCompile(`(?m)sched9: hunt: no end within .*$`)

// leaks is what the runtime says of goroutines that can never run again, before their stacks, and waiting the first line of each.
var (
	leaks   = regexp.MustCompile(`(?m)sched9: hunt: \d+ goroutines can never run again\n`)
	waiting = regexp.MustCompile(`^goroutine \d+ \[([^](,]*)`)
)

// called matches a function in a stack, without its arguments.
var called = regexp.MustCompile(`^(\S.*)\([^()]*\)$`)

// leak says what the first goroutine that can never run again waits for, and in which function that is not the library's; "" if there is none. If
// all functions of a goroutine are the library's, as of one that waits for a test to end, another one is named.
func leak(output string) string {
	at := leaks.FindStringSubmatchIndex(output)
	if at == nil {
		return ""
	}
	first, what, testing := "", "", false
	for line := range strings.Lines(output[at[1]:]) {
		if w := waiting.FindStringSubmatch(line); w != nil {
			what = "leak: " + strings.TrimSpace(w[1])
			first, testing = cmp.Or(first, what), false
		}
		f := called.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case f == nil:
		case f[1] == "testing.(*M).Run":
			testing = true // and its caller is a test binary's main
		case !ofLibrary(f[1]) && !testing:
			return what + " in " + f[1]
		}
	}
	return first
}

// ofLibrary reports whether a function is of those packages of the library in which goroutines meet.
func ofLibrary(name string) bool {
	return slices.ContainsFunc([]string{"runtime.", "sync.", "sync/", "internal/", "testing.", "time."}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// failing reports whether a status is a failure.
func failing(status int, fails []int) bool {
	if fails == nil {
		return status != 0
	}
	for _, f := range fails {
		if f == status {
			return true
		}
	}
	return false
}

// cause matches the line that says why a program ended: a panic, a fatal error, or a test that failed. within is for a program that had not ended its
// last line.
var (
	cause  = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|\s*--- FAIL: \S+)`)
	within = regexp.MustCompile(`panic: .*|fatal error: .*|--- FAIL: \S+`)
)

// vary matches what differs between failures of one kind.
var vary = regexp.MustCompile(`0x[0-9a-f]+|goroutine \d+`)

// title is what a failure is called.
func title(output string, status int) string {
	t := strings.TrimSpace(cmp.Or(cause.FindString(output), within.FindString(output)))
	if t == "" {
		last := output
		if i := strings.LastIndexByte(strings.TrimRight(last, "\n"), '\n'); i >= 0 {
			last = last[i+1:]
		}
		if t = fmt.Sprintf("exit status %d", status); strings.TrimSpace(last) != "" {
			t += ": " + strings.TrimSpace(last)
		}
	}
	return vary.ReplaceAllString(t, "?")
}

// sum is a hash of the output.
func sum(output string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(output))
	return h.Sum64()
}

// buffer keeps what a guest writes, up to a bound.
type buffer struct{ bytes.Buffer }

// most is the bound: a program that prints for ever is not to take the host's memory.
const most = 1 << 20

// Write keeps p, as far as there is room. It never fails.
func (b *buffer) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), most-b.Len())])
	return len(p), nil
}
