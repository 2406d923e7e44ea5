package suite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"regexp"
	"strings"
	"testing"

	"sched9/tools/internal/guest"
)

// overrun says of a recording's first records that others were lost before them, as if the host had come late.
func overrun(t *testing.T, recording []byte) {
	t.Helper()
	at := bytes.IndexByte(recording, '\n') + 1
	for at+5 <= len(recording) {
		if recording[at] == 'r' {
			binary.LittleEndian.PutUint64(recording[at+5+8:], 17)
			return
		}
		at += 5 + int(binary.LittleEndian.Uint32(recording[at+1:]))
	}
	t.Fatal("no records in the recording")
}

// slowly is a suite of one run on a host that is too slow in the first so many boots, and how many it made. In those
// spoil, if not nil, changes how the run ended.
func slowly(t *testing.T, many int, spoil func(*guest.Outcome)) (s Suite, boots *int) {
	t.Helper()
	s, boots = scenarios(t, files), new(int)
	s.Match = regexp.MustCompile("^fine/good$")
	s.run = func(ctx context.Context, g guest.Guest) (guest.Outcome, error) {
		*boots++
		var b bytes.Buffer
		to := g.Record
		g.Record = &b
		o, err := guest.Run(ctx, g)
		if err == nil && *boots <= many {
			overrun(t, b.Bytes())
			if spoil != nil {
				spoil(&o)
			}
		}
		to.Write(b.Bytes())
		return o, err
	}
	return s, boots
}

// TestPrintUnjudged: what was not judged is neither passed nor failed, wherever results are written.
func TestPrintUnjudged(t *testing.T) {
	r := results()[0]
	r.Unjudged, r.Again = "why", []string{"why", "why"}
	var sum Summary
	sum.Add(r)
	if got := sum.String(); got != "0 passed, 0 failed, 1 not judged; booted again, because the host was too slow: 2 times" {
		t.Error(got)
	}
	var text, js, xml bytes.Buffer
	Print(&text, r, false)
	if err := errors.Join(PrintJSON(&js, r), WriteJUnit(&xml, []Result{r})); err != nil {
		t.Fatal(err)
	}
	for want, in := range map[string]string{
		"     its schedule is not judged: why\n":     text.String(),
		"     booted again: why\n     booted again:": text.String(),
		`"Action":"skip"`:                            js.String(),
		`<skipped message="not judged: why"`:         xml.String(),
	} {
		if !strings.Contains(in, want) {
			t.Errorf("%q is not in\n%s", want, in)
		}
	}
}

// TestUnjudged: a run whose records were lost is made again, which is said; but not without an end, and not if it
// failed in anything else.
func TestUnjudged(t *testing.T) {
	for _, c := range []struct {
		name                string
		many                int
		spoil               func(*guest.Outcome)
		boots, again        int
		passed, failed, out int
		said                string
	}{
		{"never", 0, nil, 1, 0, 1, 0, 0, "ok   "},
		{"once", 1, nil, 2, 1, 1, 0, 0, "booted again: 17 records were lost, because the host was too slow to read them (V3)"},
		{"twice", 2, nil, 3, 2, 1, 0, 0, "booted again: 17 records"},
		{"always", 99, nil, 3, 2, 0, 0, 1, "LOST fine/good"},
		{"fails", 99, func(o *guest.Outcome) { o.Status = 9 }, 1, 0, 0, 1, 0, "FAIL fine/good"},
	} {
		for _, soak := range []bool{false, true} {
			s, boots := slowly(t, c.many, c.spoil)
			var sum Summary
			var said bytes.Buffer
			done := func(r Result) {
				sum.Add(r)
				Print(&said, r, false)
			}
			var err error
			if soak {
				err = s.Soak(t.Context(), Course{Seed: 1, Boots: 1, Failures: 1}, func(b Boot) { done(b.Result) })
			} else {
				err = s.Each(t.Context(), done)
			}
			want := Summary{Passed: c.passed, Failed: c.failed, Unjudged: c.out, Again: c.again}
			text := said.String()
			if soak {
				text = strings.ReplaceAll(text, "fine/good (", "fine/good(") // its name says on which machine
			}
			if err != nil || sum != want || *boots != c.boots || !strings.Contains(text, c.said) {
				t.Errorf("%s, soak %v: %d boots, %v, %v\n%s", c.name, soak, *boots, sum, err, text)
			}
		}
	}
}
