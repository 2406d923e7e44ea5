package course

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
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
		if r.Why == "" || r.Why == last {
			continue
		}
		last = r.Why
		if _, err := fmt.Fprintf(w, "\n%s (%s %s):\n    %s\n", r.Name, r.Stage, r.Run, strings.ReplaceAll(r.Why, "\n", "\n    ")); err != nil {
			return err
		}
	}
	return nil
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
		results.Tests = append(results.Tests, test{fmt.Sprintf("%s (%s)", r.Name, r.Rule), r.Points, r.Of, status, r.Why})
	}
	return encode(w, results)
}

// encode writes JSON.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
