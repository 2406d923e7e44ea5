package main

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
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
		text, err := m.apply("../..")
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), m.file, text, 0); err != nil {
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

// A mutation whose text is not there, or is there twice, is an error.
func TestMutationThatDoesNotFit(t *testing.T) {
	for _, m := range []mutation{
		{name: "absent", file: "ring.go", old: "no such text", new: "x"},
		{name: "twice", file: "ring.go", old: "return", new: "x"},
		{name: "nothing", file: "globq.go", old: "share := ", new: "share := "},
		{name: "file", file: "none.go"},
	} {
		m.in = &subjects[0]
		if _, err := m.apply("../.."); err == nil {
			t.Errorf("%s: no error", m.name)
		}
	}
	if score("[", true) == nil || score("no such mutation", true) == nil {
		t.Errorf("a bad -run is no error")
	}
}
