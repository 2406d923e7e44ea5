package interleave

import (
	"fmt"
	"strings"
)

// Table is a run for people: a column for each thread, a row for each thing done.
type Table struct {
	// Added, if not nil, is called with each row.
	Added func(step, column int, text string)

	columns []string
	rows    []row
}

type row struct {
	step   int
	column int
	text   string
}

// NewTable makes a table with the given columns.
func NewTable(columns ...string) *Table { return &Table{columns: columns} }

// Add adds a row: text, of a thread's column, at a step.
func (t *Table) Add(step, column int, text string) {
	t.rows = append(t.rows, row{step, column, text})
	if t.Added != nil {
		t.Added(step, column, text)
	}
}

// String shows the last rows, at most rows, under the columns' names.
func (t *Table) String(rows int) string {
	from := 0
	if len(t.rows) > rows {
		from = len(t.rows) - rows
	}
	width := make([]int, len(t.columns))
	for i, c := range t.columns {
		width[i] = len(c)
	}
	for _, r := range t.rows[from:] {
		width[r.column] = min(40, max(width[r.column], len(r.text)))
	}
	var b strings.Builder
	line := func(step string, column int, text string) {
		fmt.Fprintf(&b, "%6s", step)
		for i := range t.columns {
			cell := ""
			if i == column {
				cell = text
			} else if column < 0 {
				cell = t.columns[i]
			}
			fmt.Fprintf(&b, " | %-*s", width[i], cell)
		}
		s := strings.TrimRight(b.String(), " ")
		b.Reset()
		b.WriteString(s + "\n")
	}
	if from > 0 {
		fmt.Fprintf(&b, "(%d rows before these)\n", from)
	}
	line("step", -1, "")
	for _, r := range t.rows[from:] {
		line(fmt.Sprint(r.step), r.column, r.text)
	}
	return b.String()
}
