package names

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFields(t *testing.T) {
	for record, want := range map[string][]string{
		"":                      nil,
		" a  b\n":               {"a", "b"},
		"'' 'a b' 'it''s' ''''": {"", "a b", "it's", "'"},
		"'open":                 {"open"},
		"'":                     {""},
		"'a''":                  {"a'"},
	} {
		if got := Fields(record); !slices.Equal(got, want) {
			t.Errorf("%q is %q", record, got)
		}
	}
}

func TestParse(t *testing.T) {
	g, ok := Parse("17 wait 0 - 1000 2000 0 3000000 4 - 'chan receive' main.f 2\n", "'chan receive' 3000 chan 0xc000 0 1\n")
	want := Goroutine{ID: "17", State: "wait", M: "0", P: "-", Run: time.Microsecond, Ready: 2 * time.Microsecond, Wait: 3 * time.Millisecond,
		Turns: "4", Pri: "-", Wired: "2", Reason: "chan receive chan 0xc000 0 1", Func: "main.f"}
	if !ok || g != want {
		t.Errorf("%+v", g)
	}
	for _, text := range []string{"", "17 wait", "Name: init", "17 wait 0 - x 2000 0 3000000 4 - - main.f -", "17 wait 0 - 1000 2000 0 3000000 4 - - main.f"} {
		if _, ok := Parse(text, ""); ok {
			t.Errorf("%q was taken", text)
		}
	}
	var table strings.Builder
	if err := WriteTable(&table, []Goroutine{g}); err != nil || !strings.Contains(table.String(), "17    wait   0  -  1µs  2µs    0s    3ms   4      -    2      main.f  chan receive chan 0xc000 0 1\n") {
		t.Errorf("%v\n%s", err, table.String())
	}
}
