package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"sched9/tools/internal/hunt"
	"sched9/tools/sched9/testdata/blocked"
)

// hunted is the program that these tests hunt in.
const hunted = "./testdata/hunted"

// TestHunt finds a lost update on both architectures, a deadlock and a lost tick on one, and replays each: the same output and the same schedule, also while that
// is recorded. A program in order passes, though it sleeps for minutes.
func TestHunt(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			kinds := map[string]string{"lost": "panic: lost: "}
			if arch == "amd64" {
				kinds["order"] = "fatal error: all goroutines are asleep - deadlock!"
				kinds["late"] = "panic: late: a tick is lost"
			}
			for kind, want := range kinds {
				stdout, stderr, status := sched9(t, "hunt", "-arch", arch, "-n", "150", "-shrink", "0", hunted, kind)
				if status != 1 || !strings.Contains(stdout, "\n"+want) {
					t.Fatalf("%s: status %d\n%s%s", kind, status, stdout, stderr)
				}
				seed := regexp.MustCompile(`replay: sched9 hunt -replay (\d+) `).FindStringSubmatch(stdout)
				if seed == nil {
					t.Fatalf("no replay in\n%s", stdout)
				}
				replay := []string{"hunt", "-arch", arch, "-replay", seed[1]}
				once, told, status := sched9(t, append(replay, hunted, kind)...)
				if status != 1 || !strings.Contains(once, want) {
					t.Errorf("%s: the replay has status %d\n%s%s", kind, status, once, told)
				}
				file := filepath.Join(t.TempDir(), "run.s9")
				twice, again, status := sched9(t, append(replay, "-trace", file, hunted, kind)...)
				if status != 1 || twice != once || again != told {
					t.Errorf("%s: another replay has status %d\n%s%s\nthe first had\n%s%s", kind, status, twice, again, once, told)
				}
				if st, err := os.Stat(file); err != nil || st.Size() == 0 {
					t.Errorf("%s: no recording: %v", kind, err)
				}
			}
			stdout, stderr, status := sched9(t, "hunt", "-arch", arch, "-n", "3", "-same-output", hunted, "sound")
			if status != 0 || !strings.HasPrefix(stdout, "3 schedules (3 different)") {
				t.Errorf("sound: status %d\n%s%s", status, stdout, stderr)
			}
		})
	}
}

// TestHuntGoesBack: what a machine finds that makes one run after the other is what a boot for each finds, in each word.
func TestHuntGoesBack(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			var told [2][]string
			for i, batch := range []string{"10", "1"} {
				stdout, stderr, status := sched9(t, "hunt", "-arch", arch, "-json", "-n", "10", "-batch", batch, hunted, "meet")
				if status != 0 {
					t.Fatalf("-batch %s: status %d\n%s%s", batch, status, stdout, stderr)
				}
				told[i] = strings.Split(strings.TrimSpace(stdout), "\n")
				slices.Sort(told[i])
			}
			if len(told[0]) != 10 || !slices.Equal(told[0], told[1]) {
				t.Errorf("on one machine\n%s\non ten\n%s", strings.Join(told[0], "\n"), strings.Join(told[1], "\n"))
			}
		})
	}
}

// TestHuntMoments: goroutines leave each other the CPU within an operation on a map, behind a go statement, between functions of sync/atomic, and behind an
// Unlock.
func TestHuntMoments(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"maps": "fatal error: concurrent map writes", "begins": "panic: runtime error: invalid memory address", "counts": "panic: counts: one is lost",
		"published": "panic: runtime error: invalid memory address"} {
		stdout, stderr, status := sched9(t, "hunt", "-shrink", "0", "-n", "200", hunted, kind)
		if status != 1 || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d\n%s%s", kind, status, stdout, stderr)
		}
	}
}

// TestHuntExhausts: exhaust begins with seed 0, the plain schedule, says how many schedules there are, and finds a lost update among the first ones.
func TestHuntExhausts(t *testing.T) {
	stdout, stderr, status := sched9(t, "hunt", "-strategy", "exhaust", "-depth", "1", "-n", "20", "-json", "./testdata/huntedtest", "-run", "^TestPair$")
	if want := regexp.MustCompile(`"seed":0,"strategy":"exhaust",.*"preemptions":0,"space":\d`); status != 0 || !want.MatchString(stdout) || !regexp.MustCompile(`\nnot exhausted: that takes \d+ schedules, or more\n`).MatchString(stderr) {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	stdout, stderr, status = sched9(t, "hunt", "-strategy", "exhaust", "-shrink", "0", "-n", "500", hunted, "counts")
	if status != 1 || !strings.Contains(stdout, "panic: counts: one is lost") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// TestExhausted: all seeds from 0 on must have been tried, as many as the largest space.
func TestExhausted(t *testing.T) {
	for _, c := range []struct {
		seeds  []int
		spaces []uint64
		want   bool
	}{
		{[]int{0, 1, 2}, []uint64{2, 3, 2}, true},
		{[]int{2, 0, 1}, []uint64{2, 3, 2}, true},
		{[]int{0, 1, 2}, []uint64{2, 4, 2}, false},
		{[]int{1, 2, 3}, []uint64{2, 3, 2}, false},
		{[]int{0, 1, 3}, []uint64{2, 3, 2}, false},
		{[]int{0, 1, 2}, []uint64{0, 0, 0}, false},
	} {
		var all tally
		all.add(hunt.Verdict{Seed: 9, Saved: &hunt.Saved{}})
		for i, seed := range c.seeds {
			all.add(hunt.Verdict{Seed: seed, Counters: map[string]uint64{"hunt_space": c.spaces[i]}})
		}
		if all.exhausted() != c.want {
			t.Errorf("seeds %v with spaces %v: exhausted is %v", c.seeds, c.spaces, all.exhausted())
		}
	}
}

// TestHuntEnds: a goroutine that runs for ever, an output that differs, and a status that the user calls a failure.
func TestHuntEnds(t *testing.T) {
	t.Parallel()
	junit := filepath.Join(t.TempDir(), "junit.xml")
	for _, c := range []struct{ args, want string }{
		{"-n 1 -limit 5ms " + hunted + " loop", "livelock: no end within 5ms"},
		{"-n 1 -limit 5ms " + hunted + " brief", "livelock: no end within 5ms"},
		{"-n 100 " + hunted + " tries", "livelock: no end within 200ms"},
		{"-n 1 " + hunted + " unread", "leak: chan send in main.unread.func1"},
		{"-n 60 " + hunted + " locked", "leak: sync.Mutex.Lock in main.locked.func1"},
		{"-n 9 -same-output " + hunted + " random", "the output differs between schedules"},
		{"-n 1 -fails 0 -junit " + junit + " " + hunted + " random", "exit status 0"},
	} {
		stdout, stderr, status := sched9(t, append([]string{"hunt", "-shrink", "0"}, strings.Fields(c.args)...)...)
		if status != 1 || !strings.Contains(stdout, c.want) {
			t.Errorf("%s: status %d\n%s%s", c.args, status, stdout, stderr)
		}
	}
	if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), "<failure") {
		t.Errorf("the report is %q, %v", text, err)
	}
}

// TestHuntBlocked: each way to wait for ever is a leak, in a program and in a test, also beside goroutines that run on; of what a variable of a package
// holds, waits for others than those that may yet give work are.
func TestHuntBlocked(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{hunted + " blocked": len(blocked.Ways), "./testdata/huntedtest -run ^TestBlocked$": len(blocked.Ways), hunted + " held": len(blocked.Held)} {
		stdout, stderr, status := sched9(t, append([]string{"hunt", "-replay", "1"}, strings.Fields(args)...)...)
		if status != 1 || !strings.Contains(stdout, fmt.Sprintf("sched9: hunt: %d goroutines can never run again", want)) {
			t.Errorf("%s: status %d, want %d goroutines\n%s%s", args, status, want, stdout, stderr)
		}
	}
}

// TestHuntShrinks: of a failure the least that it needs is told, and that alone fails the same.
func TestHuntShrinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stdout, stderr, status := sched9(t, "hunt", "-j", "1", "-n", "150", "-page", dir, hunted, "lost")
	marked(t, dir, stdout)
	told := regexp.MustCompile(`needs 1 preemption \((?s:.*) is stopped at main.go:\d+ main.\(\*counter\).set, before (?s:.*)replay of that alone: sched9 hunt -replay (\d+) -moves (\S+) `).FindStringSubmatch(stdout)
	if status != 1 || told == nil {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	stdout, stderr, status = sched9(t, "hunt", "-replay", told[1], "-moves", told[2], hunted, "lost")
	if status != 1 || !strings.Contains(stdout, "panic: lost: ") || !strings.Contains(stderr, " 1 preemptions,") {
		t.Errorf("-moves %s: status %d\n%s%s", told[2], status, stdout, stderr)
	}
	stdout, stderr, status = sched9(t, "hunt", "-replay", told[1], "-moves", "p0.0.0", hunted, "lost")
	if status != 0 || !strings.Contains(stderr, " 0 preemptions,") {
		t.Errorf("without moves: status %d\n%s%s", status, stdout, stderr)
	}
}

// TestHuntSaved: what was saved is tried before all others, and told of with its file, by a hunt of the same and by sched9 gotest, which tells nothing of one that
// passes; a file that is none is a wrong use.
func TestHuntSaved(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/lockorder.txt")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, data string) {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "go.mod"), "module lockorder\n")
	write(filepath.Join(dir, "order_test.go"), string(text))
	stdout, stderr, status := sched9(t, "hunt", "-save", "-page", "", "-j", "1", "-n", "300", "-limit", "100ms", dir, "-short")
	saved := regexp.MustCompile(`(?m)^saved in (\S+\.seed)$`).FindStringSubmatch(stdout)
	if status != 1 || saved == nil || filepath.Dir(saved[1]) != filepath.Join(dir, hunt.SavedDir) {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	stdout, stderr, status = sched9(t, "hunt", "-page", "", "-limit", "100ms", "-n", "300", dir, "-short")
	told := regexp.MustCompile(`^1 schedules \(1 different\)(?s:.*) -moves (?s:.*)\n  as saved in ` + regexp.QuoteMeta(saved[1]) + "\n")
	if status != 1 || !told.MatchString(stdout) {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv(asCommand, "1")
	if stdout, stderr, status = sched9(t, "gotest", "-accel", "tcg", "."); status != 1 || !told.MatchString(stderr) || !strings.HasPrefix(stdout, "ok  \tlockorder\t") {
		t.Errorf("gotest: status %d\n%s%s", status, stdout, stderr)
	}
	// Another schedule, which passes.
	text, err = os.ReadFile(saved[1])
	if err != nil {
		t.Fatal(err)
	}
	write(saved[1], regexp.MustCompile(`"moves": "[^"]*"`).ReplaceAllString(string(text), `"moves": "p0.0.0"`))
	if stdout, stderr, status = sched9(t, "gotest", "-accel", "tcg", "."); status != 0 || strings.Contains(stderr, "schedules") {
		t.Errorf("gotest of a saved schedule that passes: status %d\n%s%s", status, stdout, stderr)
	}
	write(saved[1], "seed 1\n")
	for _, command := range [][]string{{"hunt", "-n", "1", "."}, {"gotest", "-accel", "tcg", "."}} {
		if _, stderr, status = sched9(t, command...); status != 2 || !strings.Contains(stderr, filepath.Base(saved[1])+" is not of sched9 hunt -save") {
			t.Errorf("%s: status %d\n%s", command[0], status, stderr)
		}
	}
}

// TestHuntSpins: who waits in a loop for one that can run, and does not give way, is no livelock.
func TestHuntSpins(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := sched9(t, "hunt", "-n", "60", "-shrink", "0", hunted, "spins")
	if status != 0 || !strings.HasPrefix(stdout, "60 schedules ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// TestHuntServants: goroutines that are left and can run on are no leak, and leaks may be asked not to count.
func TestHuntServants(t *testing.T) {
	for _, args := range []string{"-n 6 " + hunted + " servants", "-n 6 -leaks=false " + hunted + " unread"} {
		stdout, stderr, status := sched9(t, append([]string{"hunt"}, strings.Fields(args)...)...)
		if status != 0 || !strings.HasPrefix(stdout, "6 schedules ") {
			t.Errorf("%s: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}

// TestHuntTests: a package that is no program is hunted in as its tests. One that panics, one that leaves a goroutine behind and one that never ends
// fail, and a replay takes the same flags; a sound one passes.
func TestHuntTests(t *testing.T) {
	t.Parallel()
	const pkg = "./testdata/huntedtest"
	for test, want := range map[string]string{"TestClose": "panic: send on closed channel", "TestForgotten": "leak: sync.Mutex.Lock",
		"TestBeside": "leak: chan receive in sched9/tools/sched9/testdata/huntedtest.TestBeside", "TestHang": "hang: no end within 600s", "TestStuck": "fatal error: all goroutines are asleep - deadlock!", "TestSound": "30 schedules "} {
		n, status := "300", 1
		if test == "TestSound" {
			n, status = "30", 0
		}
		stdout, stderr, s := sched9(t, "hunt", "-shrink", "0", "-n", n, pkg, "-run", "^"+test+"$")
		if s != status || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d\n%s%s", test, s, stdout, stderr)
		}
		if status == 1 && !strings.Contains(stdout, pkg+" -run '^"+test+"$'") {
			t.Errorf("%s: no replay in\n%s", test, stdout)
		}
	}
	if stdout, _, status := sched9(t, "hunt", "-replay", "1", pkg, "-v", "-run=TestForgotten"); status != 1 || !strings.Contains(stdout, "--- PASS: TestForgotten") || !strings.Contains(stdout, "[sync.Mutex.Lock") {
		t.Errorf("the replay has status %d\n%s", status, stdout)
	}
}

// TestHuntProgramsTests: -run, or -tests, is for the tests of a program; -tests=false is for the program all the same.
func TestHuntProgramsTests(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-shrink 0 -n 5 " + hunted + " -run TestLeft":            "leak: chan receive in sched9/tools/sched9/testdata/hunted.TestLeft",
		"-tests -shrink 0 -n 5 " + hunted:                        "leak: chan receive in sched9/tools/sched9/testdata/hunted.TestLeft",
		"-tests=false -shrink 0 -n 150 " + hunted + " lost -run": "panic: lost: ",
	} {
		stdout, stderr, status := sched9(t, append([]string{"hunt"}, strings.Fields(args)...)...)
		if status != 1 || !strings.Contains(stdout, "\n"+want) {
			t.Errorf("%s: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}

// TestHuntTicks: who can never run again is found beside a ticker that keeps the program from sleeping.
func TestHuntTicks(t *testing.T) {
	t.Parallel()
	if stdout, stderr, status := sched9(t, "hunt", "-n", "1", "-shrink", "0", "./testdata/huntedticks", "-run", "TestLocked"); status != 1 || !strings.Contains(stdout, "\nleak: chan receive in sched9/tools/sched9/testdata/huntedticks.TestLocked") {
		t.Errorf("locked: status %d\n%s%s", status, stdout, stderr)
	}
}

// TestHuntSame: what other outputs are compared with is the first seed's, however many machines there are.
func TestHuntSame(t *testing.T) {
	stdout, stderr, status := sched9(t, "hunt", "-page", "", "-same-output", "-failures", "0", "-n", "6", "-j", "3", "-batch", "1", "-json", hunted, "meet")
	failed := map[int]bool{}
	for line := range strings.Lines(stdout) {
		var v struct {
			Seed   int
			Failed bool
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		failed[v.Seed] = v.Failed
	}
	if want := map[int]bool{1: false, 2: true, 3: true, 4: true, 5: true, 6: true}; status != 1 || !maps.Equal(failed, want) {
		t.Errorf("status %d, failed: %v\n%s%s", status, failed, stdout, stderr)
	}
}

// TestHuntUsage: what is asked for wrongly is said, before anything is built.
func TestHuntUsage(t *testing.T) {
	for args, want := range map[string]string{
		"":                           "which program?",
		"-n 0 x":                     "0 schedules are too few",
		"-strategy luck x":           `no strategy "luck": turns, walk, pct`,
		"-seed 10000000 x":           "seeds are from 0 to 9999999",
		"-replay -7 x":               "seeds are from",
		"-shard 3/2 x":               "I/N",
		"-shard 1 x":                 "I/N",
		"-depth 17 x":                "depth 17",
		"-limit 2h x":                "limit of 2h0m0s",
		"-hang 1ms x":                "1ms until the program hangs",
		"-trace f x":                 "-replay",
		"-until-found -failures 0 x": "contradict",
		"-shrink -1 x":               "-1 boots",
		"-moves s1.1 x":              "-replay",
		"-replay 1 -moves x1 x":      "are no moves",
		"-j 0 x":                     "0 machines",
		"-batch 0 x":                 "a batch of 0",
		"-for -1s x":                 "no hunt takes",
	} {
		stdout, stderr, status := sched9(t, append([]string{"hunt"}, strings.Fields(args)...)...)
		if status != statusUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}

// TestHuntCommand: the command that replays a schedule has each flag that decides what a schedule is and whether it fails, and can be used.
func TestHuntCommand(t *testing.T) {
	dir := t.TempDir()
	var h hunter
	cmd := h.newCommand()
	values := map[string]string{"arch": "arm64", "mem": "256M", "files": dir + "=/data", "env": "A=b c", "timeout": "2m0s", "limit": "3s", "hang": "1m0s", "leaks": "false", "fails": "3",
		"tests": "true", "strategy": "pct", "depth": "2", "tags": "x,y", "race": "true", "trimpath": "true", "mod": "mod", "modfile": "m", "gcflags": "-N", "ldflags": "-s", "pgo": "off"}
	for name, value := range values {
		if err := cmd.Flags().Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := values[f.Name]; !ok && !slices.Contains(searching, f.Name) {
			t.Errorf("-%s decides what a schedule is, and has no value here", f.Name)
		}
	})
	h.noteFlags(cmd.Flags())
	if err := h.prepare(false); err != nil {
		t.Fatal(err)
	}
	text := h.command([]string{"./queue", "-run", "a|b"})(hunt.Verdict{Seed: 7}, nil)
	out, err := exec.Command("bash", "-c", `printf '%s\n' `+text).Output()
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Split(strings.TrimSpace(string(out)), "\n")
	if begin, end := []string{"sched9", "hunt", "-replay", "7", "-strategy", "pct", "-depth", "2"}, []string{"./queue", "-run", "a|b"}; !slices.Equal(told[:len(begin)], begin) || !slices.Equal(told[len(told)-len(end):], end) {
		t.Errorf("%s", text)
	}
	for name, value := range values {
		if want := "-" + name + "=" + value; name != "strategy" && name != "depth" && !slices.Contains(told, want) {
			t.Errorf("without %s: %s", want, text)
		}
	}
}
