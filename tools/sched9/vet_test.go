package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGotestVet: a package to which vet objects is not run, and said to be as go test says it.
func TestGotestVet(t *testing.T) {
	t.Chdir("testdata/gotest")
	t.Setenv("GOFLAGS", "")
	t.Setenv(asCommand, "1")
	const (
		where = "vetted/vetted_test.go:10:14: fmt.Printf format %d has arg"
		fails = "FAIL\texample.com/gotest/vetted [build failed]\n"
		none  = "?   \texample.com/gotest/none\t[no test files]\n"
	)
	for _, c := range []struct {
		args           []string
		status         int
		stdout, stderr string
	}{
		{[]string{"./vetted", "./none"}, 1, fails + none + "FAIL\n", where},
		{[]string{"-json", "./vetted"}, 1, `{"Action":"fail","Package":"example.com/gotest/vetted","Elapsed":0,"FailedBuild":"example.com/gotest/vetted_test"}`, ""},
		{[]string{"-vet=bool,tests", "-c", "-o", filepath.Join(t.TempDir(), "test"), "./vetted"}, 0, "", ""},
		{[]string{"-vet=nosuch", "./none"}, statusUsage, "", "-vet=nosuch"},
	} {
		stdout, stderr, status := sched9(t, append([]string{"gotest"}, c.args...)...)
		if status != c.status || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%q: status %d, want %d\n%s%s", c.args, status, c.status, stdout, stderr)
		}
	}
}

// TestUsualVet holds the analyzers to those that go test's help names, and to those that vet has.
func TestUsualVet(t *testing.T) {
	help, err := exec.Command("go", "help", "test").Output()
	if err != nil {
		t.Fatal(err)
	}
	has, err := exec.Command("go", "tool", "vet", "-flags").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(help), "That subset is: ")
	text, _, _ = strings.Cut(text, ".")
	names := strings.Fields(strings.NewReplacer(",", "", " and ", " ").Replace(text))
	if len(names) < 5 {
		t.Errorf("go help test names %q", names)
	}
	for _, name := range names {
		if !slices.Contains(usualVet, name) {
			t.Errorf("go test has vet look for %s", name)
		}
	}
	for _, name := range usualVet {
		if !strings.Contains(string(has), `"`+name+`"`) {
			t.Errorf("vet has no %s", name)
		}
	}
}

// TestVetAsked finds -vet.
func TestVetAsked(t *testing.T) {
	for args, want := range map[string]string{"": "", "./a -vet off": "off", "-vet=all --vet=": "", "-vet": "", "-v -args -vet=off": "", "--vet=off": "off"} {
		if got := vetAsked(strings.Fields(args)); got != want {
			t.Errorf("%q: %q", args, got)
		}
	}
}

// TestFindings reads what go vet says: on standard output of packages that it knows, on standard error of itself.
func TestFindings(t *testing.T) {
	const said = `{}
{"m/b_test [m/b.test]": {"tests": [{"posn": "/home/me/m/b/b_test.go:3:4", "message": "second"}], "printf": [{"posn": "/home/me/b.go:1:2", "end": "/home/me/b.go:1:3", "message": "first"}]}}
{"m/a": {"atomic": []}} {"m/c_test": {"bool": [{"posn": "/x/c.go:1:1", "message": "other"}]}} {"m/d": {"bool": [{"posn": "/home/me/m/d.go:1:1", "message": "unasked"}]}}`
	packages := []testee{{path: "m/a"}, {path: "m/b"}, {path: "m/c"}, {path: "m/c_test"}}
	all, err := findings(strings.NewReader(said), "/home/me/m", packages)
	if err != nil || len(all) != 2 || all[0].pkg != "m/b" || !slices.Equal(all[0].message, []string{"../b.go:1:2: first", "b/b_test.go:3:4: second"}) ||
		all[1].pkg != "m/c_test" || !slices.Equal(all[1].message, []string{"/x/c.go:1:1: other"}) {
		t.Errorf("%q, %v", all, err)
	}
	if got := short("/w/m/x.go:1:1", "/w/m"); got != "./x.go:1:1" {
		t.Error(got)
	}
	for _, bad := range []string{`{"m/a": {"printf": {"error": "it panicked"}}}`, `{"m/a"`, `usage`} {
		if _, err := findings(strings.NewReader(bad), "/home/me/m", packages); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	const chdir = "internal/runtime/s9/sched: /go/vet: chdir /go/src/internal/runtime/s9/sched: no such file or directory\n"
	for text, want := range map[string]string{"": "", chdir: "", chdir + "# m/a\nvet: a.go:1:1: undefined: x\n": "", "fatal: x\n" + chdir + "y\n": "fatal: x\ny"} {
		if got := vetFault(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
