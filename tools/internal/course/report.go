package course

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"sched9/tools/internal/suite"
)

// Print writes a grade for a person.
func (g Grade) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range g.Parts {
		fmt.Fprintf(t, "%d/%d\t%s\t%s\t%s\n", r.Points, r.Of, r.Stage, r.Rule, r.Name)
	}
	fmt.Fprintf(t, "%d/%d\n", g.Points, g.Of)
	if err := t.Flush(); err != nil {
		return err
	}
	last := ""
	for _, r := range g.Parts {
		if r.Why == "" {
			continue
		}
		said := r.said()
		if said == last {
			said = "the same"
		} else {
			last = said
		}
		if _, err := fmt.Fprintf(w, "\n%s (%s %s):\n    %s\n", r.Name, r.Stage, r.Run, strings.ReplaceAll(said, "\n", "\n    ")); err != nil {
			return err
		}
	}
	return nil
}

// said is why points were lost, and where one sees it.
func (r Result) said() string {
	if r.Page == "" {
		return r.Why
	}
	return r.Why + "\nsee " + r.Page
}

// JSON writes a grade for a program.
func (g Grade) JSON(w io.Writer) error { return encode(w, g) }

// Gradescope writes a grade as results.json of Gradescope's autograder has it.
func (g Grade) Gradescope(w io.Writer) error {
	type test struct {
		Name   string `json:"name"`
		Score  int    `json:"score"`
		Max    int    `json:"max_score"`
		Status string `json:"status"`
		Output string `json:"output"`
	}
	results := struct {
		Score int    `json:"score"`
		Tests []test `json:"tests"`
	}{Score: g.Points}
	for _, r := range g.Parts {
		status := "passed"
		if r.Points < r.Of {
			status = "failed"
		}
		results.Tests = append(results.Tests, test{fmt.Sprintf("%s (%s)", r.Name, r.Rule), r.Points, r.Of, status, r.said()})
	}
	return encode(w, results)
}

// JUnit writes a grade as a suite of test cases: a part each.
func (g Grade) JUnit(w io.Writer) error {
	ts := junit.Testsuite{Name: "lab " + g.Lab}
	for _, r := range g.Parts {
		tc := junit.Testcase{Name: fmt.Sprintf("%s (%s, %d points)", r.Name, r.Rule, r.Of), Classname: g.Lab + "." + string(r.Stage)}
		if r.Points < r.Of {
			first, _, _ := strings.Cut(r.Why, "\n")
			tc.Failure = &junit.Result{Message: suite.XMLText(first), Data: suite.XMLText(r.said())}
		}
		ts.AddTestcase(tc)
	}
	var all junit.Testsuites
	all.AddSuite(ts)
	return all.WriteXML(w)
}

// encode writes JSON.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
