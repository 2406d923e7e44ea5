package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/guest"
)

// gotestIn runs the command in testdata/gotest, without vet (TestGotestVet), and whether or not the go command has its result already.
func gotestIn(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	t.Setenv("GOFLAGS", "-count=1 -vet=off")
	t.Setenv(asCommand, "1")
	return sched9(t, append([]string{"gotest", "-accel", "tcg"}, args...)...)
}

// elapsed is go test's time of a package.
var elapsed = regexp.MustCompile(`\t[0-9.]+s`)

// TestGotest tests packages of every kind.
func TestGotest(t *testing.T) {
	t.Chdir("testdata/gotest")
	for _, c := range []struct {
		env    string
		args   []string
		status int
		stdout string // part of it, without times
		stderr string
	}{
		{"", []string{"-smp", "2", "./good", "./none", "-count=1"}, 0, "ok  \texample.com/gotest/good\n?   \texample.com/gotest/none\t[no test files]\n", ""},
		{"names", []string{"-arch", "arm64", "-names", "-short", "./good"}, 0, "ok  \texample.com/gotest/good\n", ""},
		{"", []string{"./good", "-run", "Nothing"}, 0, "ok  \texample.com/gotest/good [no tests to run]\n", ""},
		{"", []string{"-cover", "-icount", "-v", "-run", "^TestTwice$", "./good", "-bench=.", "-benchtime=3x", "-cpu=1,2"}, 0, "coverage: 100.0% of statements", "2.000 vCPUs"},
		{"error", []string{"-trace", t.TempDir(), "./fails", "./good", "-run", "Fails|Twice"}, 1, "--- FAIL: TestFails", ""},
		{"exit", []string{"./fails"}, 1, "unexpected call to os.Exit(0)", ""},
		{"forever", []string{"./fails", "-timeout=2s"}, 1, "panic: test timed out after 2s", ""},
		{"seed", []string{"./good", "-run", "Fuzz"}, 1, "--- FAIL: FuzzTwice/seed", ""},
		{"exit from below", []string{"./fails"}, 1, "FAIL\texample.com/gotest/fails\n", "sched9: exit status 3, recorded in "},
		{"close", []string{"./fails"}, 0, "ok  \texample.com/gotest/fails\n", ""}, // as with go test on Linux
		{"close and error", []string{"./fails"}, 1, "FAIL\texample.com/gotest/fails\n", ""},
		{"fill", []string{"-mem", "128M", "./fails"}, 1, "write large: no space left on device", ""},
		{"memory", []string{"-mem", "128M", "./fails"}, 1, "FAIL\texample.com/gotest/fails\n", "fatal error: out of memory"},
		{"", []string{"./broken"}, 1, "FAIL\texample.com/gotest/broken [build failed]", "undefined: nothing"},
		{"", []string{"./cgo"}, 1, "", "sched9: example.com/gotest/cgo needs cgo (cgo.go)"},
		{"", []string{"./good", "-msan"}, 2, "", "-msan needs a library"},
		{"", []string{"-mem", "33M", "./good"}, 1, "FAIL\texample.com/gotest/good", "and the machine has 33"},
		{"", []string{"-smp", "99"}, 2, "", "99 vCPUs"},
	} {
		t.Setenv("HOW", c.env)
		stdout, stderr, status := gotestIn(t, c.args...)
		text := elapsed.ReplaceAllString(stdout, "")
		if status != c.status || !strings.Contains(text, c.stdout) || !strings.Contains(stderr+text, c.stderr) {
			t.Errorf("%s %q: status %d, want %d\n%s%swant %s %s", c.env, c.args, status, c.status, stdout, stderr, c.stdout, c.stderr)
		}
		if c.env == "error" {
			all, _ := filepath.Glob(filepath.Join(c.args[1], "*"))
			for i := range all {
				all[i] = filepath.Base(all[i])
			}
			if !slices.Equal(all, []string{"gotest-fails.s9", "gotest-good.s9"}) || !strings.Contains(text, "sched9: recorded in "+c.args[1]+"/gotest-fails.s9") {
				t.Errorf("recordings are %q", all)
			}
		}
	}
}

// TestGotestInterrupted: a signal that only sched9 gets, as from kill(1), ends the test's machine too, not the go command alone.
func TestGotestInterrupted(t *testing.T) {
	t.Chdir("testdata/gotest")
	t.Setenv("GOFLAGS", "")
	t.Setenv(asCommand, "1")
	t.Setenv("HOW", "wait")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr bytes.Buffer
	said := &shared{w: io.MultiWriter(&stdout, cancelAt{"waiting", cancel})}
	status := execute(ctx, []string{"gotest", "-accel", "tcg", "-norecord", "./fails", "-v"}, said, &stderr)
	if status != guest.StatusInterrupt || last(stderr.String()) != "sched9: interrupted" || !strings.Contains(stdout.String(), "the program was killed by SIGINT") {
		t.Errorf("status %d\n%s%s", status, stdout.String(), stderr.String())
	}
}

// cancelAt cancels when a word is written.
type cancelAt struct {
	word   string
	cancel func()
}

// Write cancels.
func (c cancelAt) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(c.word)) {
		c.cancel()
	}
	return len(p), nil
}

// TestGotestJSON counts what go test -json tells.
func TestGotestJSON(t *testing.T) {
	t.Chdir("testdata/gotest")
	stdout, stderr, status := gotestIn(t, "./good", "-json", "-shuffle=1", "-failfast", "-parallel=2")
	passed := 0
	for line := range strings.Lines(stdout) {
		var event struct{ Action, Test string }
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if event.Action == "pass" && event.Test != "" {
			passed++
		}
	}
	if status != 0 || passed != 14 {
		t.Errorf("status %d, %d tests passed\n%s%s", status, passed, stdout, stderr)
	}
}

// TestGotestJUnit has a report of tests that pass, fail and do not compile, and the output as without.
func TestGotestJUnit(t *testing.T) {
	t.Chdir("testdata/gotest")
	t.Setenv("HOW", "error")
	report := filepath.Join(t.TempDir(), "report.xml")
	stdout, stderr, status := gotestIn(t, "-norecord", "-junit", report, "./good", "./fails", "./broken", "-run", "Twice|Fails")
	text := elapsed.ReplaceAllString(stdout, "")
	b, err := os.ReadFile(report)
	if err != nil || status != 1 || !strings.Contains(stderr, "undefined: nothing") || strings.Contains(text, "===") ||
		!strings.Contains(text, "--- FAIL: TestFails") || !strings.Contains(text, "ok  \texample.com/gotest/good\n") || !strings.Contains(text, "FAIL\texample.com/gotest/broken [build failed]\n") {
		t.Errorf("status %d, %v\n%s%s", status, err, stdout, stderr)
	}
	for _, want := range []string{`<testcase name="TestTwice" classname="example.com/gotest/good"`, `<failure message="it failed">`, `undefined: nothing`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the report has no %s\n%s", want, b)
		}
	}
	if _, stderr, status := gotestIn(t, "-norecord", "-junit", t.TempDir(), "./good", "-run", "Twice"); status == 0 || !strings.Contains(stderr, "is not a regular file") {
		t.Errorf("a report that cannot be written: status %d\n%s", status, stderr)
	}
}

// TestGotestCached: go test has a result that is as old as its causes, and says so; if a variable that the test asked for is another, it has none.
func TestGotestCached(t *testing.T) {
	t.Chdir("testdata/gotest")
	run := "-run=TestHow|" + filepath.Base(t.TempDir()) + strconv.FormatInt(time.Now().UnixNano(), 36) // never before
	for _, c := range []struct {
		made   string
		cached bool
	}{
		{"/x", false},
		{"/x", true},
		{"/y", false},
	} {
		t.Setenv("MADE", c.made)
		t.Setenv("GOFLAGS", "")
		t.Setenv(asCommand, "1")
		stdout, stderr, status := sched9(t, "gotest", "-accel", "tcg", "-vet=off", "./good", run)
		if status != 0 || strings.Contains(stdout, "(cached)") != c.cached {
			t.Errorf("%+v: status %d\n%s%s", c, status, stdout, stderr)
		}
	}
}

// TestLooked: only go test asks which files a test looked at, and only if it knows all causes of its result.
func TestLooked(t *testing.T) {
	for _, c := range []struct {
		exe, args string
		e         executor
		want      string
	}{
		{"/tmp/go-build12/b001/x.test", "-test.paniconexit0", executor{}, "/tmp/go-build12/b001/testlog.txt"},
		{"/tmp/go-build12/b001/x.test", "-test.v", executor{}, ""},
		{"/home/x.test", "-test.paniconexit0", executor{}, ""},
		{"/tmp/go-build12/b001/x.test", "-test.paniconexit0", executor{trace: "dir"}, ""},
		{"/tmp/go-build12/b001/x.test", "-test.paniconexit0", executor{back: []string{"x"}}, ""},
		{"/tmp/go-build12/b001/x.test", "-test.paniconexit0", executor{moreFiles: true}, ""},
		{"/tmp/go-build12/b001/x.test", "-test.paniconexit0", executor{guest: guest.Guest{Disks: make([]guest.Disk, 1)}}, ""},
	} {
		if got := c.e.looked(c.exe, strings.Fields(c.args)); got != c.want {
			t.Errorf("%s %s %+v: %q, want %q", c.exe, c.args, c.e, got, c.want)
		}
	}
}

// TestGotestCompiled boots what -c has compiled, and asks it to fuzz.
func TestGotestCompiled(t *testing.T) {
	t.Chdir("testdata/gotest")
	exe := filepath.Join(t.TempDir(), "good.test")
	if stdout, stderr, status := gotestIn(t, "-c", "-o", exe, "./good"); status != 0 {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	t.Chdir("good")
	stdout, stderr, status := sched9(t, "exec", "-accel", "tcg", "-norecord", exe, "-test.v", "-test.run=TestFiles", "-test.fuzz=FuzzTwice", "-test.fuzztime=1h")
	if passed := strings.Count(stdout, "--- PASS: "); status != 0 || passed != 4 || !strings.Contains(stdout, "--- PASS: FuzzTwice/seed ") || !strings.Contains(stderr, "only the seeds") {
		t.Errorf("status %d, %d passed\n%s%s", status, passed, stdout, stderr)
	}
}

// TestSeeds has fuzz tests run with their seeds.
func TestSeeds(t *testing.T) {
	for _, c := range []struct{ in, want, fuzz string }{
		{"-test.v -test.run=A", "-test.v -test.run=A", ""},
		{"-test.fuzz= -test.v", "-test.fuzz= -test.v", ""},
		{"-test.fuzz=F$ -test.fuzztime=3s -test.fuzzcachedir=/c -test.fuzzminimizetime=1x", "", "F$"},
		{"-test.run=^$ -test.fuzz=F -test.v", "-test.run=^$|F -test.v", "F"},
		{"-test.run= -test.fuzz=F", "-test.run=", "F"},
	} {
		if out, fuzz := seeds(strings.Fields(c.in)); !slices.Equal(out, strings.Fields(c.want)) || fuzz != c.fuzz {
			t.Errorf("%s: %q, %q", c.in, out, fuzz)
		}
	}
}

// TestHasFlag finds flags of go test.
func TestHasFlag(t *testing.T) {
	for _, c := range []struct {
		args string
		want bool
	}{{"./... -v", true}, {"-test.v=true", true}, {"--v", true}, {"-v -v=false", false}, {"-vet=off", false}, {"v", false}, {"./... -args -v", false}} {
		if got := hasFlag(strings.Fields(c.args), "v"); got != c.want {
			t.Errorf("%s: %v", c.args, got)
		}
	}
}

// TestGotestBack has a test's files come back: a profile that go test asks for, and what the test wrote, also where it failed.
func TestGotestBack(t *testing.T) {
	t.Chdir("testdata/gotest")
	dir := t.TempDir()
	profile, made := filepath.Join(dir, "cover"), filepath.Join(dir, "made")
	for _, c := range []struct {
		arch, how string
		status    int
	}{{"amd64", "", 0}, {"arm64", "error", 1}} {
		os.Remove(profile)
		os.Remove(made)
		t.Setenv("HOW", c.how)
		t.Setenv("MADE", made)
		stdout, stderr, status := gotestIn(t, "-arch", c.arch, "-norecord", "-back", made, "./good", "-run", "How|Twice|Zone", "-coverprofile", profile)
		b, err := os.ReadFile(profile)
		if status != c.status || err != nil || !strings.Contains(string(b), "example.com/gotest/good/good.go:5.23,5.39 1 1") {
			t.Errorf("%s: status %d\n%s%s%s, %v", c.arch, status, stdout, stderr, b, err)
		}
		b, err = os.ReadFile(made)
		if err != nil || string(b) != "made by a test" {
			t.Errorf("%s: %q, %v", c.arch, b, err)
		}
	}
}

// TestEnvServers runs a program that imports sched9/srv by what sched9 env prints: there are two of that package, one for the host.
func TestEnvServers(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv(asCommand, "1")
	t.Chdir("../..")
	stdout, stderr, status := sched9(t, "env", "-accel", "tcg", "-smp", "2")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	out, err := exec.Command("sh", "-c", stdout+"go run ./scenarios/fileserver\n").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "fileserver: done\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestEnv runs go test with what sched9 env prints, and then executables that lack some of it.
func TestEnv(t *testing.T) {
	t.Chdir("testdata/gotest")
	t.Setenv("GOFLAGS", "")
	t.Setenv(asCommand, "1")
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of overlays
	if cache, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	}
	stdout, stderr, status := sched9(t, "env", "-accel", "tcg", "-smp", "2")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	script := stdout + "go test -v -run Twice ./good\n"
	out, err := exec.Command("sh", "-c", script).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestTwice") {
		t.Errorf("%v\n%s\n%s", err, script, out)
	}
	// And for sched9 itself, which is to ignore its own flags.
	out, err = exec.Command("sh", "-c", stdout+"go list -f '{{.Name}}' ./good && go env GOFLAGS").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "-exec=") {
		t.Errorf("%v\n%s", err, out)
	}

	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ exe, want string }{
		{filepath.Join(strings.TrimSpace(string(goroot)), "bin", "gofmt"), "-overlay, -tags=sched9 and -ldflags were missing"},
		{self, "missing when it was built"}, // without symbols, or for a dynamic linker
		{"good/good.go", "it is no executable"},
	} {
		if _, stderr, status := sched9(t, "exec", c.exe, "-test.v"); status != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s", c.exe, status, stderr)
		}
	}
}

// TestSplit takes go test's arguments apart.
func TestSplit(t *testing.T) {
	build, rest, err := split([]string{"./...", "-tags", "a,b", "-v", "--ldflags=-X a=b", "-run", "X", "-vet", "off", "-race=false", "-args", "-tags", "c", "-trace"})
	if err != nil || !slices.Equal(build, []string{"-tags=a,b", "-ldflags=-X a=b", "-race=false"}) ||
		!slices.Equal(rest, []string{"./...", "-v", "-run", "X", "-args", "-tags", "c", "-trace"}) {
		t.Errorf("%q, %q, %v", build, rest, err)
	}
	for _, bad := range []string{"-exec=x", "-tags"} {
		if _, _, err := split([]string{bad}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
