package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sched9/sched"
)

// TestCounters: scenarios/README.md has the scheduler's counters in their order, by the words behind each in sched/counters.go.
func TestCounters(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "sched/counters.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		if s, ok := node.(*ast.ValueSpec); ok && s.Comment != nil {
			want.WriteString("| `" + sched.CounterNames[n] + "` | " + strings.TrimSpace(s.Comment.Text()) + " |\n")
			n++
		}
		return true
	})
	if n != int(sched.NumCounters) {
		t.Fatalf("%d counters are explained", n)
	}
	text, err := os.ReadFile(filepath.Join(root, "scenarios/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("scenarios/README.md does not have this table:\n%s", want.String())
	}
}
