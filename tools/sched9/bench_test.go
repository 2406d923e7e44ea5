package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sched9/tools/internal/bench"
)

// TestPlan: both guests take turns, sched9 first; an operation that only one of them has is measured on
// that one.
func TestPlan(t *testing.T) {
	legs, err := newPlan(planned{arch: "amd64", peer: true})
	if err != nil {
		t.Fatal(err)
	}
	cpus := map[int]int{}
	for i, l := range legs {
		if l.limit <= 0 {
			t.Errorf("%v has no limit", l)
		}
		if l.peer {
			before := legs[i-1]
			if before.peer || before.smp != l.smp || before.mode != l.mode || !slices.Equal(before.args, l.args) {
				t.Errorf("%v comes after %v", l, before)
			}
			if l.slice != 0 || l.mode == bench.ICount && l.smp > 1 {
				t.Errorf("Linux can't do this: %v", l)
			}
			if l.mode == bench.TCG {
				cpus[l.smp]++
			}
		}
	}
	if cpus[1] != 4 || cpus[2] != 3 || cpus[4] != 3 { // one of 1 vCPU is for memory
		t.Errorf("boots of Linux by vCPUs: %v", cpus)
	}
	alone, err := newPlan(planned{arch: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(alone, func(l leg) bool { return l.peer }); i >= 0 {
		t.Errorf("without a peer: %v", alone[i])
	}
	quick, err := newPlan(planned{arch: "amd64", peer: true, quick: true})
	if err != nil || len(quick) >= len(legs)/2 {
		t.Errorf("%d boots, quickly %d; %v", len(legs), len(quick), err)
	}
	for op, n := range map[string]int{"^memstats$": 1, "^sleep-late$": 2, "^slice-end$": 1, "^workers-64$": 1} {
		legs, err := newPlan(planned{arch: "amd64", quick: true, ops: op})
		if short := slices.DeleteFunc(legs, func(l leg) bool { return l.smp != 64 && l.smp != 4 && l.slice == 0 || l.mode != bench.ICount }); err != nil || len(short) != n {
			t.Errorf("%s: %v, %v", op, short, err)
		}
	}
	few, err := newPlan(planned{arch: "amd64", peer: true, ops: "^mutex$", rounds: 2})
	if err != nil || len(few) != 2*(2+3*2) {
		t.Errorf("%d boots for one operation: %v, %v", len(few), few, err)
	}
}

// TestPlanOps: the expressions choose what they should.
func TestPlanOps(t *testing.T) {
	usual, cheap := regexp.MustCompile(opsUsual), regexp.MustCompile(opsCheap)
	for name, is := range map[string][2]bool{
		"parked": {false, false}, "preempt-1p": {true, true}, "pingpong-all": {true, true}, "gc-3-spin": {true, false},
		"memstats": {true, true}, "memstats-spin": {true, false}, "sleep-late": {true, true}, "sleep-late-spin": {true, false},
		"handoff": {true, true}, "preempt-2x": {true, false}, "pool": {true, true}, "slice-end": {false, false}, "sleep-late-": {true, false},
	} {
		if usual.MatchString(name) != is[0] || cheap.MatchString(name) != is[1] {
			t.Errorf("%s: usual %v, cheap %v", name, usual.MatchString(name), cheap.MatchString(name))
		}
	}
	if regexp.MustCompile(opsNone).MatchString("x") || !regexp.MustCompile(opsParked).MatchString("parked") {
		t.Error("none and parked")
	}
}

// TestBenchAlone measures sched9 alone, an operation's worth, and compares it with itself: instructions are the same
// every time.
func TestBenchAlone(t *testing.T) {
	dir := t.TempDir()
	t.Chdir("../..")
	file, page := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.html")
	args := []string{"bench", "-quick", "-peer=false", "-ops", "^getpid$", "-rounds", "1"}
	stdout, stderr, status := sched9(t, append(args, "-o", file, "-html", page)...)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	for _, want := range []string{`getpid +[0-9]+ +- `, `(?m)^Instructions counted, 1 vCPU$`, `(?m)^Time, 4 vCPUs`, `image of hello +[0-9.]+ MiB`} {
		if !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	r, err := bench.ReadFile(file)
	if err != nil || r.Linux != "" || r.Ops != "^getpid$" {
		t.Errorf("%+v, %v", r, err)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "<td>getpid</td>") {
		t.Errorf("the page: %v\n%s", err, text)
	}
	stdout, stderr, status = sched9(t, append(args, "-compare", file)...)
	if _, changes, ok := strings.Cut(stdout, "Compared with"); status != 0 || !ok || strings.Contains(changes, "icount") {
		t.Errorf("again: status %d\n%s%s", status, stdout, stderr)
	}
}

// TestBenchRefuses: what is wrong is said before anything is built or booted.
func TestBenchRefuses(t *testing.T) {
	t.Chdir("../..")
	junk := filepath.Join(t.TempDir(), "junk")
	if err := os.WriteFile(junk, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-ops", "("}, statusUsage, "missing closing"},
		{[]string{"-rounds", "101"}, statusUsage, "101 rounds"},
		{[]string{"-arch", "mips"}, statusUsage, `"mips"`},
		{[]string{"-compare", junk}, statusUsage, "holds no results"},
		{[]string{"-compare", junk + "x"}, statusUsage, "no such file"},
	} {
		if _, stderr, status := sched9(t, append([]string{"bench"}, c.args...)...); status != c.status || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: status %d, %s", c.args, status, stderr)
		}
	}
	if _, stderr, status := sched9(t, "bench", "-linux", junk+"x"); status == 0 || !strings.Contains(stderr, "no such file") {
		t.Errorf("a kernel that is not there: status %d, %s", status, stderr)
	}
	t.Chdir(t.TempDir())
	if _, stderr, status := sched9(t, "bench"); status != statusUsage || !strings.Contains(stderr, "in a checkout of sched9") {
		t.Errorf("elsewhere: status %d, %s", status, stderr)
	}
}

// TestBenchProfile counts an operation's instructions: the figure of the profile is that of the clock, but for what the
// rounds themselves cost.
func TestBenchProfile(t *testing.T) {
	t.Chdir("../..")
	stdout, stderr, status := sched9(t, "bench", "-profile", "getpid")
	if status != 0 || !strings.HasPrefix(stdout, "getpid: ") || !regexp.MustCompile(`(?m) 1\.00 +kernel\.Syscall$`).MatchString(stdout) {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	// An operation so long that a hundred of them do not fit into QEMU's log.
	if stdout, stderr, status := sched9(t, "bench", "-profile", "memstats", "-smp", "8"); status != 0 || !strings.HasPrefix(stdout, "memstats: ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	stdout, stderr, status = sched9(t, "bench", "-profile", "slice-end, slice 10us")
	if status != 0 || !regexp.MustCompile(`(?m) [01]\.\d\d +sched\.\(\*Sched\)\.Tick$`).MatchString(stdout) {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	// The row of the table says the same: what the loops lose is what is not theirs.
	share := regexp.MustCompile(`(?m)^  program +[0-9.]+ \(([0-9.]+) %\)$`).FindStringSubmatch(stdout)
	out, stderr, status := sched9(t, "run", "-icount", "-slice", "10us", "./scenarios/bench", "-ops", "^slice-loss$", "-samples", "1", "-rounds", "1")
	res, err := bench.Parse(out)
	if status != 0 || err != nil || len(res.Results) != 1 || share == nil {
		t.Fatalf("status %d, %v, %q\n%s%s", status, err, share, out, stderr)
	}
	if theirs, _ := strconv.ParseFloat(share[1], 64); math.Abs(100-theirs-res.Results[0].Samples[0]) > 3 { // the pattern has digits
		t.Errorf("two loops lose %v %%, and of all instructions %v %% are theirs", res.Results[0].Samples[0], theirs)
	}
	if _, stderr, status := sched9(t, "bench", "-profile", "slice-end, slice 9us"); status != statusUsage || !strings.Contains(stderr, "time slice of 9µs") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if _, stderr, status := sched9(t, "bench", "-profile", "nothing"); status == 0 || !strings.Contains(stderr, `no operation "nothing"`) {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

// TestRunSlice: a time slice is asked for in bounds, and the guest keeps to it.
func TestRunSlice(t *testing.T) {
	if _, stderr, status := sched9(t, "run", "-slice", "9us", exitScenario); status != statusUsage || !strings.Contains(stderr, "time slice of 9µs") {
		t.Errorf("status %d, %s", status, stderr)
	}
	out, stderr, status := sched9(t, "run", "-icount", "-slice", "100us", "../../scenarios/bench", "-ops", "^preempt-1p$", "-samples", "1", "-rounds", "1")
	if status != 0 {
		t.Fatalf("status %d\n%s%s", status, out, stderr)
	}
	res, err := bench.Parse(out)
	if err != nil || len(res.Results) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	// In the guest's time, which is its instructions: the loop runs for one slice, not for 10 ms.
	if late := res.Results[0].Samples[0]; late < 90e3 || late > 200e3 {
		t.Errorf("a loop was left after %v ns", late)
	}
}
