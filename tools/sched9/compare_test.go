package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sched9/tools/internal/guest"
	"sched9/trace/compare"
)

// TestCompare compares policies by a program whose goroutines N:1 has run one after the other, and M:N in turn; twice,
// to the same numbers.
func TestCompare(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	args := []string{"compare", "-accel", "tcg", "-policy", "M:N,N:1", "-slice", "1ms", "-json", "-o", page, "../../scenarios/compare/batch"}
	stdout, stderr, status := sched9(t, args...)
	var runs []compare.Run
	if err := json.Unmarshal([]byte(stdout), &runs); err != nil || status != 0 || len(runs) != 2 {
		t.Fatalf("status %d, %v: %s%s", status, err, stdout, stderr)
	}
	kinds := func(r compare.Run) (batch, typist compare.Kind) {
		for _, k := range r.Kinds {
			switch k.Name {
			case "main.batch":
				batch = k
			case "main.typist":
				typist = k
			}
		}
		return batch, typist
	}
	mton, nto1 := runs[0], runs[1]
	inTurn, typing := kinds(mton)
	oneByOne, late := kinds(nto1)
	if mton.Label != "M:N 1ms" || inTurn.Count != 4 || inTurn.Fair < 0.95 || oneByOne.Fair > 0.3 || mton.Preempts < 100 || nto1.Preempts != 0 {
		t.Errorf("batch under M:N %+v, under N:1 %+v\n%s", inTurn, oneByOne, stdout)
	}
	if typing.Count != 2 || typing.Wait.Worst > 10e6 || late.Wait.Worst < 100e6 {
		t.Errorf("typist under M:N %+v, under N:1 %+v", typing, late)
	}
	if text, err := os.ReadFile(page); err != nil || strings.Count(string(text), "<svg") != 3 {
		t.Errorf("the page has %d pictures, %v", strings.Count(string(text), "<svg"), err)
	}
	if again, _, _ := sched9(t, args...); again != stdout {
		t.Errorf("once\n%sthen\n%s", stdout, again)
	}
}

// TestCompareInput: what cannot be compared is refused before anything is built.
func TestCompareInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"x", "1 runs were asked for"},
		{"-policy M:N x", "1 runs were asked for"},
		{"-policy M:N,a=b x", `-policy "a=b" is no policy's name`},
		{"-slice 1ms,1us x", "time slice of 1µs"},
		{"-procs 1,99 x", "99 vCPUs asked for"},
		{"-procs 1,0 x", "0 vCPUs asked for"},
		{"-procs 1,2 -o page x", "-o page: the page's name ends in .html"},
		{"-procs 1,2,3,4,5 -slice 1ms,2ms,3ms,4ms,5ms x", "25 runs were asked for"},
		{"-procs 1,2", "which program?"},
	} {
		_, stderr, status := sched9(t, append([]string{"compare"}, strings.Fields(c.args)...)...)
		if status != statusUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, stderr, c.want)
		}
	}
}

// TestCompareFails: a program that fails is compared all the same, and what it said is shown; one whose policy is unknown is not.
func TestCompareFails(t *testing.T) {
	for _, c := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"-slice 1ms,2ms ../../scenarios/exit log", statusFailed, "status 1", "M:N 2ms:\n"},
		{"-policy M:N,nosuch ../../scenarios/hello", guest.StatusHost, "", "nosuch: the guest's kernel ended the run (status 126)"},
	} {
		stdout, stderr, status := sched9(t, append([]string{"compare", "-accel", "tcg"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: status %d\n%s%s", c.args, status, stdout, stderr)
		}
	}
}
