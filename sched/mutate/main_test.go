package main

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every mutation fits the source as it is, leaves a file that can be parsed, has a name of
// its own, and names a rule that the contract has.
func TestMutationsFit(t *testing.T) {
	spec, err := os.ReadFile("../../docs/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range all() {
		file, text, err := m.apply("../..")
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), file, text, 0); err != nil {
			t.Errorf("mutation %s: %v", m.name, err)
		}
		if names[m.name] {
			t.Errorf("two mutations %s", m.name)
		}
		names[m.name] = true
		if !regexp.MustCompile(`(?m)^\| ` + m.rule + ` \|`).Match(spec) {
			t.Errorf("mutation %s: the contract has no rule %q", m.name, m.rule)
		}
	}
	if len(names) < 50 {
		t.Errorf("only %d mutations", len(names))
	}
}

// A mutation whose function or code is not there, or is there twice, is an error that names it.
func TestMutationThatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		m    mutation
		says string
	}{
		{mutation{in: "Sched.noSuch", old: "return"}, "has no function Sched.noSuch"},
		{mutation{in: "Sched.WakeP", old: "s.noSuch(by)"}, `there is no "noSuch"`},
		{mutation{in: "Sched.globrunqGet", old: "return", new: "x"}, "occurs 2 times"},
		{mutation{in: "Sched.globrunqGet", old: "share := n", new: "share :=   n // the same"}, "changes nothing"},
		{mutation{in: "Sched.globrunqGet", new: "x"}, "nothing to look for"},
	} {
		c.m.of = &subjects[0]
		if _, _, err := c.m.apply("../.."); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, not %q", c.m.in, err, c.says)
		}
	}
	if score("[", true) == nil || score("no such mutation", true) == nil {
		t.Errorf("a bad -run is no error")
	}
}
