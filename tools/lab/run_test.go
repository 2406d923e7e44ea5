package lab

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/capture"
	"sched9/trace"
)

func TestExit(t *testing.T) {
	for _, c := range []struct {
		name string
		end  trace.End
		cut  bool
		want string
	}{
		{"as wanted", trace.End{Status: 3}, false, ""},
		{"another", trace.End{Status: 2}, false, "the program ended with status 2; 3 is wanted; it printed last:\n| one\n| two"},
		{"time limit", trace.End{Status: 124, Why: "it did not end within 1s"}, false, "the program did not end by itself: it did not end within 1s; 3 is wanted"},
		{"cut off", trace.End{Status: 3}, true, "how the run ended is not known, the recording is cut off; status 3 is wanted"},
	} {
		f := &fake{TB: t}
		said := f.try(func() {
			r := tell(f, story)
			r.View.Trace.End, r.View.Trace.Whole = c.end, !c.cut
			r.output = printed("one\r\ntwo\r\n", "")
			r.Exit(3)
		})
		if c.want == "" && said != "" || !strings.HasPrefix(strings.ReplaceAll(said, "status 3 is", "3 is"), strings.ReplaceAll(c.want, "status 3 is", "3 is")) {
			t.Errorf("%s: it says %q", c.name, said)
		}
	}
}

// printed is an output.
func printed(out, err string) *capture.Output {
	o := new(capture.Output)
	o.Stdout().Write([]byte(out))
	o.Stderr().Write([]byte(err))
	return o
}

func TestPrints(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(*Run)
		want string
	}{
		{"prints", func(r *Run) { r.Prints(`^one$`, `^two$`, `three`, `four`) }, ""},
		{"prints not", func(r *Run) { r.Prints(`^one$`, `^hree`) }, "no line that was printed matches ^hree; it printed last:\n| one\n| two\n| three\n| four"},
		{"prints no", func(r *Run) { r.PrintsNo(`five`, `^wo`) }, ""},
		{"prints no, but does", func(r *Run) { r.PrintsNo(`five`, `^t.*e`) }, "a line that was printed matches ^t.*e: three"},
		{"no expression", func(r *Run) { r.Prints(`(`) }, "lab: error parsing regexp"},
		{"no expression either", func(r *Run) { r.PrintsNo(`(`) }, "lab: error parsing regexp"},
		{"only a recording", func(r *Run) { r.output = nil; r.PrintsNo(`x`) }, "lab: what the program printed is not in a recording"},
		{"nothing", func(r *Run) { r.output = printed("", ""); r.Prints(`x`) }, "no line that was printed matches x; it printed nothing"},
	} {
		f := &fake{TB: t}
		said := f.try(func() {
			r := tell(f, story)
			r.output = printed("one\r\ntwo\r\n", "three\nfour")
			c.test(r)
		})
		if c.want == "" && said != "" || !strings.HasPrefix(said, c.want) {
			t.Errorf("%s: it says %q, not %q", c.name, said, c.want)
		}
	}
	if got := (&Run{output: printed("a\r\n", "b\n")}).Output(); got != "a\nb\n" {
		t.Errorf("the output is %q", got)
	}
	if got := (&Run{}).Output(); got != "" {
		t.Errorf("the output of a recording is %q", got)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good"), filepath.Join(dir, "bad")
	for name, data := range map[string][]byte{good: recorded(t, story).Bytes(legend, &trace.End{Status: 4}), bad: []byte("no recording")} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := &fake{TB: t}
	if said := f.try(func() { Load(f, good).Exit(4); Load(f, good).Steals().Is(1) }); said != "" {
		t.Error(said)
	}
	for name, want := range map[string]string{bad: "no recording of sched9's", filepath.Join(dir, "none"): "no such file"} {
		f := &fake{TB: t}
		if said := f.try(func() { Load(f, name) }); !strings.Contains(said, want) || !f.fatal {
			t.Errorf("%s: it says %q", name, said)
		}
	}
}

// TestKept: the recording of a test that failed stays, that of another does not.
func TestKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, fail := range []bool{false, true} {
		f := &fake{TB: t}
		var r recording
		f.try(func() {
			r = newRecording(f)
			if fail {
				f.Errorf("wrong")
			}
		})
		_, err := os.Stat(r.name)
		if kept := err == nil; kept != fail {
			t.Errorf("fail %v, kept %v", fail, kept)
		}
		if said := strings.Join(f.logs, "\n"); fail != strings.Contains(said, "sched9 trace "+r.name) || filepath.Ext(r.name) != ".s9" {
			t.Errorf("it says %q of %s", said, r.name)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	f := &fake{TB: t}
	if said := f.try(func() { newRecording(f) }); !strings.Contains(said, "a recording cannot be made") {
		t.Errorf("it says %q", said)
	}
}

// TestBounded: a recording has an end, and so has the run then.
func TestBounded(t *testing.T) {
	var got bytes.Buffer
	var why error
	b := &bounded{w: &got, left: 10, full: func(err error) { why = err }}
	for _, c := range []struct {
		text string
		ok   bool
	}{{"12345", true}, {"67890", true}, {"", true}, {"1", false}, {"", true}} {
		if _, err := b.Write([]byte(c.text)); (err == nil) != c.ok || (why == nil) != (err == nil) && c.text != "" {
			t.Errorf("%q: %v, %v", c.text, err, why)
		}
	}
	if got.String() != "1234567890" {
		t.Errorf("it took %q", got.String())
	}
}

// limited is a test with a deadline of its own.
type limited struct {
	*fake
	end time.Time
}

func (l limited) Deadline() (time.Time, bool) { return l.end, true }

func TestDeadline(t *testing.T) {
	f := &fake{TB: t}
	if _, ok := deadline(f); ok {
		t.Error("a test without a deadline has one")
	}
	at := time.Now()
	if end, ok := deadline(limited{f, at}); !ok || !end.Before(at) {
		t.Errorf("the deadline is %v, %v", end, ok)
	}
}

func TestRuleless(t *testing.T) {
	f := &fake{TB: t}
	if wrong := checkRules(tell(f, nil).View.Trace); len(wrong) != 0 {
		t.Errorf("an empty trace breaks rules: %q", wrong)
	}
}
