package suite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/capture"
	"sched9/tools/internal/scenario"
)

// convert makes results of what `go test -json` wrote.
func convert(text string, err error, names ...string) []Result {
	var all []Result
	c := converter{scenario: "s", names: names, done: func(r Result) { all = append(all, r) }}
	c.read(strings.NewReader(text))
	c.end(err)
	return all
}

// What go1.26 writes, less times and packages.
const (
	passes = `{"Action":"start"}
{"Action":"run","Test":"TestOK"}
{"Action":"output","Test":"TestOK","Output":"=== RUN   TestOK\n"}
{"Action":"output","Test":"TestOK","Output":"    m_test.go:3: fine\n"}
{"Action":"output","Test":"TestOK","Output":"--- PASS: TestOK (1.50s)\n"}
{"Action":"pass","Test":"TestOK","Elapsed":1.5}
`
	passed = `{"Action":"output","Output":"PASS\n"}
{"Action":"output","Output":"ok  \tp\t0.004s\n"}
{"Action":"pass","Elapsed":0.004}
`
	ended = `{"Action":"output","Output":"FAIL\tp\t0.018s\n"}
{"Action":"fail","Elapsed":0.018}
`
	fails = `{"Action":"run","Test":"TestX"}
{"Action":"output","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"run","Test":"TestX/sub"}
{"Action":"output","Test":"TestX/sub","Output":"=== RUN   TestX/sub\n"}
{"Action":"output","Test":"TestX/sub","Output":"    m_test.go:3: a log\n"}
{"Action":"output","Test":"TestX/sub","Output":"    m_test.go:3: wrong\n"}
{"Action":"output","Test":"TestX/sub","Output":"        also: that\n"}
{"Action":"output","Test":"TestX/sub","Output":"--- FAIL: TestX/sub (0.00s)\n"}
{"Action":"fail","Test":"TestX/sub","Elapsed":0}
{"Action":"output","Test":"TestX","Output":"    m_test.go:5: outer\n"}
{"Action":"output","Test":"TestX","Output":"--- FAIL: TestX (0.25s)\n"}
{"Action":"fail","Test":"TestX","Elapsed":0.25}
`
	skips = `{"Action":"run","Test":"TestS"}
{"Action":"output","Test":"TestS","Output":"=== RUN   TestS\n"}
{"Action":"output","Test":"TestS","Output":"    m_test.go:4: why\n"}
{"Action":"output","Test":"TestS","Output":"--- SKIP: TestS (0.00s)\n"}
{"Action":"skip","Test":"TestS","Elapsed":0}
`
	panicked = `{"Action":"run","Test":"TestP"}
{"Action":"output","Test":"TestP","Output":"=== RUN   TestP\n"}
{"Action":"output","Test":"TestP","Output":"    m_test.go:4: before\n"}
{"Action":"output","Test":"TestP","Output":"--- FAIL: TestP (0.00s)\n"}
{"Action":"output","Test":"TestP","Output":"panic: boom [recovered, repanicked]\n"}
{"Action":"output","Test":"TestP","Output":"\n"}
{"Action":"output","Test":"TestP","Output":"goroutine 23 [running]:\n"}
{"Action":"output","Test":"TestP","Output":"\t/usr/local/go/src/testing/testing.go:1974 +0x232\n"}
{"Action":"fail","Test":"TestP","Elapsed":0}
`
	slow = `{"Action":"run","Test":"TestSlow"}
{"Action":"output","Test":"TestSlow","Output":"=== RUN   TestSlow\n"}
{"Action":"output","Test":"TestSlow","Output":"panic: test timed out after 1s\n"}
{"Action":"output","Test":"TestSlow","Output":"\trunning tests:\n"}
{"Action":"output","Test":"TestSlow","Output":"\t\tTestSlow (1s)\n"}
{"Action":"output","Test":"TestSlow","Output":"\n"}
{"Action":"output","Test":"TestSlow","Output":"goroutine 5 [running]:\n"}
`
	exits = `{"Action":"run","Test":"TestExit"}
{"Action":"output","Test":"TestExit","Output":"=== RUN   TestExit\n"}
`
	broken = `{"ImportPath":"p_test [p.test]","Action":"build-output","Output":"# p_test [p.test]\n"}
{"ImportPath":"p_test [p.test]","Action":"build-output","Output":"./m_test.go:3:29: undefined: nothing\n"}
{"ImportPath":"p_test [p.test]","Action":"build-fail"}
{"Action":"start"}
{"Action":"output","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Elapsed":0.001,"FailedBuild":"p_test [p.test]"}
`
	none = `{"Action":"start"}
{"Action":"output","Output":"testing: warning: no tests to run\n"}
` + passed
	// go1.27 says what is an error.
	typed = `{"Action":"run","Test":"TestX"}
{"Action":"output","Test":"TestX","Output":"=== RUN   TestX\n","OutputType":"frame"}
{"Action":"output","Test":"TestX","Output":"    m_test.go:3: a log\n"}
{"Action":"output","Test":"TestX","Output":"    m_test.go:3: wrong\n","OutputType":"error"}
{"Action":"output","Test":"TestX","Output":"        also: that\n","OutputType":"error-continue"}
{"Action":"output","Test":"TestX","Output":"--- FAIL: TestX (0.25s)\n","OutputType":"frame"}
{"Action":"fail","Test":"TestX","Elapsed":0.25}
`
)

func TestConvert(t *testing.T) {
	status := errors.New("exit status 1")
	for _, c := range []struct {
		what  string
		text  string
		err   error
		names []string
		want  []string // name, and what is wrong
	}{
		{"passes", passes + passed, nil, []string{"TestOK"}, []string{"TestOK: "}},
		{"fails", passes + fails + ended, status, []string{"TestOK", "TestX"}, []string{"TestOK: ",
			"TestX: m_test.go:3: a log|m_test.go:3: wrong\nalso: that|m_test.go:5: outer"}},
		{"fails, of go1.27", typed + ended, status, []string{"TestX"}, []string{"TestX: m_test.go:3: wrong\nalso: that"}},
		{"fails without a word", `{"Action":"fail","Test":"TestX"}`, nil, []string{"TestX"}, []string{"TestX: it failed"}},
		{"skips", skips + passed, nil, []string{"TestS"}, []string{"TestS: it was skipped|m_test.go:4: why"}},
		{"panics", passes + panicked + ended, status, []string{"TestOK", "TestP", "TestLater"}, []string{"TestOK: ",
			"TestP: m_test.go:4: before|panic: boom [recovered, repanicked]", "TestLater: it did not run: exit status 1"}},
		{"is too slow", slow + ended, status, []string{"TestSlow"}, []string{
			"TestSlow: the test binary ended in the middle of it: exit status 1|panic: test timed out after 1s\n\trunning tests:\n\t\tTestSlow (1s)"}},
		{"exits", passes + exits + ended, status, []string{"TestOK", "TestExit"}, []string{"TestOK: ",
			"TestExit: the test binary ended in the middle of it: exit status 1"}},
		{"does not compile", broken, status, []string{"TestOK", "TestX"}, []string{
			"build: the tests do not compile\n# p_test [p.test]\n./m_test.go:3:29: undefined: nothing"}},
		{"has no tests", none, nil, []string{"TestOK"}, []string{"TestOK: it did not run: nothing says why"}},
		{"passes, and then fails", passes + ended, status, []string{"TestOK"}, []string{"TestOK: ",
			"binary: the tests passed, but go test did not: exit status 1"}},
		{"is no JSON", "go: no module\n", status, []string{"TestOK"}, []string{"TestOK: it did not run: exit status 1"}},
		{"is cut off", passes + `{"Action":"ru`, status, []string{"TestOK"}, []string{"TestOK: ",
			"binary: the tests passed, but go test did not: exit status 1"}},
		{"is nothing", "", nil, nil, nil},
	} {
		var got []string
		for _, r := range convert(c.text, c.err, c.names...) {
			if r.Run.Scenario != "s" {
				t.Errorf("%s: it is of %q", c.what, r.Run.Scenario)
			}
			got = append(got, r.Run.Name+": "+strings.Join(r.Wrong, "|"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.what, got, c.want)
		}
	}
}

func TestConvertDetails(t *testing.T) {
	r := convert(passes+passed, nil, "TestOK")[0]
	if r.Took != 1500*time.Millisecond || r.Console != "=== RUN   TestOK\n    m_test.go:3: fine\n--- PASS: TestOK (1.50s)\n" || !r.Passed() {
		t.Errorf("%+v", r)
	}
	if r := convert(fails, nil, "TestX")[0]; strings.Count(r.Console, "\n") != 8 {
		t.Errorf("the output of a subtest is not its test's: %q", r.Console)
	}
	if r := convert("not JSON\n"+broken, nil, "TestX")[0]; !strings.Contains(r.Console, "not JSON\nFAIL\tp [build failed]") {
		t.Errorf("the console is %q", r.Console)
	}
	big := `{"Action":"output","Test":"TestX","Output":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"
	if r := convert(strings.Repeat(big, 20)+fails, nil, "TestX")[0]; len(r.Console) > 2*capture.Max {
		t.Errorf("%d bytes are kept", len(r.Console))
	}
}

// goTests writes scenarios and returns their tests.
func goTests(t *testing.T, files map[string]string) GoTests {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/s\n\ngo 1.26\n"
	g := GoTests{Limit: time.Minute}
	for name, text := range files {
		scene := filepath.Dir(name)
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if scene != "." && !slices.ContainsFunc(g.Scenarios, func(s scenario.Scenario) bool { return s.Name == scene }) {
			g.Scenarios = append(g.Scenarios, scenario.Scenario{Name: scene, Dir: filepath.Join(dir, scene)})
		}
	}
	slices.SortFunc(g.Scenarios, func(a, b scenario.Scenario) int { return strings.Compare(a.Name, b.Name) })
	return g
}

// head begins a test file.
const head = "package main_test\n\nimport \"testing\"\n\n"

func TestGoTestsRuns(t *testing.T) {
	g := goTests(t, map[string]string{
		"a/main.go": "package main\n\nfunc main() {}\n",
		"a/a_test.go": head + `func TestOne(t *testing.T) {}
func Test(t *testing.T) {}
func Test_two(t *testing.T) {}
func Testify(t *testing.T) {}
func TestMain(m *testing.M) {}
func TestTwo(t *testing.T, n int) {}
func TestGeneric[T any](t *testing.T) {}
func BenchmarkX(b *testing.B) {}
func (x T) TestMethod(t *testing.T) {}
type T int
`,
		"a/other_windows_test.go": head + "func TestOther(t *testing.T) {}\n",
		"b/main.go":               "package main\n\nfunc main() {}\n",
		"c/c_test.go":             "no Go\n",
	})
	for _, c := range []struct{ match, want string }{
		{"", "a/TestOne a/Test a/Test_two c/build"},
		{"^a/", "a/TestOne a/Test a/Test_two"},
		{"One$", "a/TestOne"},
		{"^b/", ""},
	} {
		g.Match = regexp.MustCompile(c.match)
		var names []string
		for _, r := range g.Runs() {
			names = append(names, r.FullName())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q: %s, want %s", c.match, got, c.want)
		}
	}
	if g.Match = nil; len(g.Runs()) != 4 {
		t.Errorf("without a pattern there are %d", len(g.Runs()))
	}
}

// TestGoTestsEach lets the go command do it.
func TestGoTestsEach(t *testing.T) {
	g := goTests(t, map[string]string{
		"a/main.go":   "package main\n\nfunc main() {}\n",
		"a/a_test.go": head + "func TestGood(t *testing.T) { t.Log(\"fine\") }\n\nfunc TestBad(t *testing.T) { t.Error(\"wrong\") }\n\nfunc TestNever(t *testing.T) { panic(0) }\n",
		"b/main.go":   "package main\n\nfunc main() { nothing() }\n",
		"b/b_test.go": head + "func TestB(t *testing.T) {}\n",
		"c/c_test.go": "no Go\n",
		"d/main.go":   "package main\n\nfunc main() {}\n",
	})
	g.Match = regexp.MustCompile("Good|Bad|B|build")
	var notes []string
	g.Note = func(s string) { notes = append(notes, s) }
	wrong := map[string]string{}
	err := g.Each(t.Context(), func(r Result) { wrong[r.Run.FullName()] = strings.Join(r.Wrong, "|") })
	if err != nil || len(wrong) != 4 || wrong["a/TestGood"] != "" || wrong["a/TestBad"] != "a_test.go:7: wrong" ||
		!strings.Contains(wrong["b/build"], "undefined: nothing") || !strings.Contains(wrong["c/build"], "expected 'package'") {
		t.Errorf("%v, %q", err, wrong)
	}
	if got := strings.Join(notes, ", "); got != "testing a, testing b, testing c" {
		t.Errorf("the notes are %s", got)
	}
}

// TestGoTestsLimit: a test that takes too long ends, and so does one whose run is
// cancelled.
func TestGoTestsLimit(t *testing.T) {
	g := goTests(t, map[string]string{
		"a/main.go":   "package main\n\nfunc main() {}\n",
		"a/a_test.go": head + "func TestSlow(t *testing.T) { println(\"here\"); select {} }\n",
	})
	g.Limit = time.Second
	var got []string
	if err := g.Each(t.Context(), func(r Result) { got = append(got, r.Run.Name+": "+strings.Join(r.Wrong, "|")) }); err != nil ||
		len(got) != 1 || !strings.Contains(got[0], "panic: test timed out after 1s") {
		t.Errorf("%v, %q", err, got)
	}
	g.Limit = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	g.Note = func(string) { time.AfterFunc(2*time.Second, cancel) }
	if err := g.Each(ctx, func(r Result) { t.Errorf("a test that was cut short has the result %+v", r) }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestGoTestsNoGo(t *testing.T) {
	g := goTests(t, map[string]string{"a/a_test.go": head + "func TestA(t *testing.T) {}\n"})
	t.Setenv("PATH", "")
	if err := g.Each(t.Context(), func(Result) {}); err == nil || !strings.Contains(err.Error(), "not in PATH") {
		t.Errorf("got %v", err)
	}
}
