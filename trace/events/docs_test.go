package events

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"sched9/record"
)

// TestDocs: docs/trace.md has a row for each event, made of the words behind its constant.
func TestDocs(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../record/event.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| event | when | arguments |\n|---|---|---|\n"
	want, n := "", record.EvNone
	ast.Inspect(f, func(node ast.Node) bool {
		s, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(s.Names[0].Name, "Ev") || s.Names[0].Name == "EvNone" {
			return true
		}
		if n++; s.Names[0].Name != "Ev"+n.String() {
			t.Errorf("%s is called %v", s.Names[0].Name, n)
		}
		if s.Doc != nil {
			want += "\n" + s.Doc.Text() + "\n" + head
		}
		when, args, _ := strings.Cut(strings.TrimSpace(s.Comment.Text()), "; ")
		want += "| " + n.String() + " | " + when + " | " + args + " |\n"
		return true
	})
	if n+1 != record.NumEvents {
		t.Fatalf("%d events are explained", n)
	}
	text, err := os.ReadFile("../../docs/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("docs/trace.md does not have these tables:\n%s", want)
	}
}
