package docs

import (
	"path/filepath"
	"strings"
	"testing"

	"sched9/tools/internal/scenario"
)

// TestProtection: every row of docs/protection.md names tests, and these are there.
func TestProtection(t *testing.T) {
	all, err := scenario.LoadAll(filepath.Join(root, "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]bool{}
	for _, s := range all {
		for _, r := range s.Runs {
			runs[s.Name+"/"+r.Name] = true
		}
	}
	src := newSources()
	rows := 0
	for line := range strings.Lines(text(t, "docs/protection.md")) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what |") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		names := quoted.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 4 || len(names) == 0 {
			t.Errorf("%d cells, %d tests: %s", len(cells), len(names), line)
		}
		for _, m := range names {
			if runs[m[1]] {
				continue
			}
			if err := src.look(m[1]); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(cells[0]), err)
			}
		}
	}
	if rows < 15 {
		t.Errorf("the table has %d rows", rows)
	}
}
