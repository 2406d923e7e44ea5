// Package docs checks that what the documentation says of the code is so.
package docs

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sched9/tools/internal/scenario"
	"sched9/trace/check"
)

// root is the repository.
const root = "../../.."

// The columns of docs/rows.md.
const (
	colID = iota
	colCode
	colAssert
	colAudit
	colRecording
	colTests
	colScenarios
	columns
)

var (
	rowStart = regexp.MustCompile(`(?m)^\| ([UGMPRSANTV]\d+) \|.*$`)
	idRange  = regexp.MustCompile(`\b([UGMPRSANTV])(\d+)(?: to ([UGMPRSANTV])(\d+))?\b`)
	quoted   = regexp.MustCompile("`([^`]+)`")
	ruleText = regexp.MustCompile(`\b([UGMPRSANTV]\d+): `)
)

// row is one of docs/rows.md.
type row struct {
	id    string
	cells []string
}

// text reads a file of the repository.
func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// contract returns the ids of docs/SPEC.md's rows, in their order.
func contract(t *testing.T) []string {
	t.Helper()
	var ids []string
	for _, m := range rowStart.FindAllStringSubmatch(text(t, "docs/SPEC.md"), -1) {
		ids = append(ids, m[1])
	}
	if len(ids) < 60 {
		t.Fatalf("docs/SPEC.md has %d rows that can be read", len(ids))
	}
	return ids
}

// table returns the rows of docs/rows.md.
func table(t *testing.T) []row {
	t.Helper()
	var rows []row
	for _, m := range rowStart.FindAllStringSubmatch(text(t, "docs/rows.md"), -1) {
		cells := strings.Split(strings.Trim(m[0], "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != columns {
			t.Errorf("%s has %d columns, not %d", m[1], len(cells), columns)
			continue
		}
		rows = append(rows, row{m[1], cells})
	}
	return rows
}

// expand returns the ids that s names, alone or as a range: "U1 to U3 M6" names four.
func expand(s string) map[string]bool {
	ids := map[string]bool{}
	for _, m := range idRange.FindAllStringSubmatch(s, -1) {
		last := m[2]
		if m[3] == m[1] {
			last = m[4]
		}
		for n := number(m[2]); n <= number(last); n++ {
			ids[m[1]+decimal(n)] = true
		}
	}
	return ids
}

// The table has the contract's rows, in its order, and every cell says something: names,
// or why there are none.
func TestRowsComplete(t *testing.T) {
	var have []string
	for _, r := range table(t) {
		have = append(have, r.id)
		for i, c := range r.cells[1:] {
			if !quoted.MatchString(c) && i+1 != colScenarios && len(strings.Fields(c)) < 3 {
				t.Errorf("%s: column %d says only %q", r.id, i+2, c)
			}
		}
	}
	want := contract(t)
	for _, id := range want {
		if !slices.Contains(have, id) {
			t.Errorf("docs/rows.md does not have %s", id)
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("docs/rows.md has %v\ndocs/SPEC.md has %v", have, want)
	}
}

// What a cell names is there.
func TestRowsNames(t *testing.T) {
	src := newSources()
	n := 0
	for _, r := range table(t) {
		if !strings.Contains(r.cells[colCode], "`") {
			t.Errorf("%s: no code is named", r.id)
		}
		for i, c := range r.cells[1:colScenarios] {
			for _, m := range quoted.FindAllStringSubmatch(c, -1) {
				n++
				if err := src.look(m[1]); err != nil {
					t.Errorf("%s, column %d: %v", r.id, i+2, err)
				}
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(r.cells[colAudit], -1) {
			if !src.audited(m[1]) {
				t.Errorf("%s: %s is no audit", r.id, m[1])
			}
		}
	}
	if n < 300 {
		t.Errorf("%d names were found", n)
	}
}

// A scenario that a row names says that it is about that row, and a scenario that says so
// is named. The list of scenarios tells the same ids.
func TestRowsScenarios(t *testing.T) {
	all, err := scenario.LoadAll(filepath.Join(root, "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	rows := table(t)
	ids := contract(t)
	readme := text(t, "scenarios/README.md")
	about := map[string]map[string]bool{}
	for _, s := range all {
		about[s.Name] = expand(s.About)
		for id := range about[s.Name] {
			if !slices.Contains(ids, id) {
				t.Errorf("%s is about %s, which is no row", s.Name, id)
			}
		}
		line := regexp.MustCompile(`(?m)^\| ` + s.Name + ` \| .* \|([^|]*)\|$`).FindStringSubmatch(readme)
		if line == nil {
			t.Errorf("scenarios/README.md does not have %s", s.Name)
		} else if told := expand(line[1]); !equal(told, about[s.Name]) {
			t.Errorf("scenarios/README.md says that %s is about%s; it says %q itself", s.Name, line[1], s.About)
		}
	}
	for _, r := range rows {
		named := strings.Split(r.cells[colScenarios], ", ")
		for _, name := range named {
			if about[name] == nil {
				t.Errorf("%s: there is no scenario %q", r.id, name)
			} else if !about[name][r.id] {
				t.Errorf("%s: scenario %s is not about it", r.id, name)
			}
		}
		for name, has := range about {
			if has[r.id] && !slices.Contains(named, name) {
				t.Errorf("%s: scenario %s is about it and not named", r.id, name)
			}
		}
	}
}

// Where the code, the audit or the checker names a row, the table names one of those
// places.
func TestRowsKnowTheChecks(t *testing.T) {
	src := newSources()
	asserts, audits := map[string]bool{}, map[string]bool{}
	for _, dir := range []string{"sched", "kernel", "kernel/goruntime/runtime"} {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(names), err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			into := asserts
			if strings.HasSuffix(name, "audit.go") {
				into = audits
			}
			f, err := src.file(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range f.thrown {
				if m := ruleText.FindStringSubmatch(s); m != nil {
					into[m[1]] = true
				}
			}
		}
	}
	if len(asserts) < 15 || len(audits) < 12 {
		t.Errorf("asserts of %d rows were found, audits of %d", len(asserts), len(audits))
	}
	judged := map[string]bool{}
	for _, r := range check.Rules {
		judged[r.ID] = true
	}
	for _, r := range table(t) {
		if asserts[r.id] && !strings.Contains(r.cells[colAssert], `"`+r.id+": ") {
			t.Errorf("%s is asserted, and the table does not say where", r.id)
		}
		if audits[r.id] && !strings.Contains(r.cells[colAudit], `"`+r.id+": ") {
			t.Errorf("%s is audited, and the table does not say where", r.id)
		}
		if judged[r.id] && !strings.Contains(r.cells[colRecording], `"`+r.id+`"`) {
			t.Errorf("%s is a rule of the checker, and the table does not say where", r.id)
		}
	}
}

// A range is of one letter, and what follows it counts.
func TestExpand(t *testing.T) {
	var got []string
	for id := range expand("a thing (U1 to U3 M6 M11 to M12, R4; N:1)") {
		got = append(got, id)
	}
	slices.SortFunc(got, func(a, b string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(number(a[1:]), number(b[1:])))
	})
	if want := "M6 M11 M12 R4 U1 U2 U3"; strings.Join(got, " ") != want {
		t.Errorf("%v, not %s", got, want)
	}
}
