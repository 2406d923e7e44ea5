package lab

import (
	"strings"
	"testing"
	"time"
)

// TestBootTest asserts over the recording of another package's test: its handlers never wait long for a P.
func TestBootTest(t *testing.T) {
	run := BootTest(t, "testdata/served", "^TestServer$", VCPUs(4), ICount())
	run.Prints(`^--- PASS: TestServer`)
	handlers := run.G("sched9/tools/lab/testdata/served.(*Server).handle")
	handlers.Count().Is(8)
	handlers.Ready().AtMost(2 * time.Millisecond)
}

// TestBootTestStatus: a test that fails in the guest fails here, unless the caller asked for that; and a bound that does
// not hold is reported.
func TestBootTestStatus(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		dir, run string
		test     func(*Run)
		want     string
	}{
		{"testdata/served", "^TestFails$", func(r *Run) {}, "the program ended with status 1; 0 is wanted"},
		{"testdata/served", "^TestFails$", func(r *Run) { r.Exit(1) }, ""},
		{"testdata/served", "^TestServer$", func(r *Run) {
			r.G("sched9/tools/lab/testdata/served.(*Server).handle").Ready().AtMost(1)
		}, "at most 1ns is allowed"},
		{"testdata/share", "x", nil, "it has no tests"},
		{"testdata/none", "x", nil, "testdata/none could not be built"},
	} {
		f := &fake{TB: t}
		said := f.try(func() { c.test(BootTest(f, c.dir, c.run, ICount())) })
		if c.want == "" && said != "" || !strings.Contains(said, c.want) {
			t.Errorf("%s, %s: it says %q, not %q", c.dir, c.run, said, c.want)
		}
	}
}
