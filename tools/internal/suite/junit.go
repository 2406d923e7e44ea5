package suite

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// WriteJUnit writes results as a JUnit report: a suite for each scenario.
func WriteJUnit(w io.Writer, results []Result) error {
	byName := map[string]*junit.Testsuite{}
	took := map[string]float64{}
	for _, r := range results {
		name := r.Run.Scenario
		ts, ok := byName[name]
		if !ok {
			ts = &junit.Testsuite{Name: name}
			byName[name] = ts
		}
		tc := junit.Testcase{
			Name:      r.Run.Name,
			Classname: name,
			Time:      fmt.Sprintf("%.3f", r.Took.Seconds()),
			SystemOut: &junit.Output{Data: XMLText(r.Console)},
		}
		switch {
		case !r.Failed() && r.Unjudged != "":
			tc.Skipped = &junit.Result{Message: XMLText("not judged: " + r.Unjudged)}
		case r.Failed():
			tc.Failure = &junit.Result{
				Message: XMLText(r.Wrong[0]),
				Data:    XMLText(strings.Join(r.Wrong, "\n")),
			}
		}
		ts.AddTestcase(tc)
		took[name] += r.Took.Seconds()
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	var all junit.Testsuites
	for i, name := range names {
		ts := byName[name]
		ts.ID = i
		ts.Time = fmt.Sprintf("%.3f", took[name])
		all.AddSuite(*ts)
	}
	return all.WriteXML(w)
}

// XMLText takes out of text what XML has no way to write.
func XMLText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r != '\n' && r != '\t' && unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text)
}
