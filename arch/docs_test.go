package arch

import (
	"os"
	"strings"
	"testing"
)

// TestTable: the comparison of the architectures has something to say in every cell.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../docs/architectures.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			t.Errorf("%d cells: %s", len(cells), line)
		}
		for _, c := range cells {
			if strings.TrimSpace(c) == "" {
				t.Errorf("an empty cell: %s", line)
			}
		}
	}
	if rows < 30 {
		t.Errorf("the table has %d rows", rows)
	}
}
