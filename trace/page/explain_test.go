package page

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sched9/trace"
	"sched9/trace/events"
)

// notes are all that the page explains something by, with a name for each, and what lists say in short.
func notes() (all map[string]events.Note, short map[string]string) {
	all, short = map[string]events.Note{}, map[string]string{}
	for kind, table := range map[string][]events.Event{"event": events.Table[1:], "look": events.Looks[1:], "ipi": events.IPIs[1:]} {
		for i, e := range table {
			name := fmt.Sprint(kind, " ", i+1)
			all[name], short[name] = e.Note, e.List
		}
	}
	for i, p := range events.Places {
		name := fmt.Sprint("place ", i)
		all[name], short[name] = p.Note, p.List
	}
	for i, n := range states {
		all[fmt.Sprint("state ", i)] = n
	}
	for name, n := range finer {
		all["finer "+name] = n
	}
	return all, short
}

// Every event is explained, in a sentence whose words the page knows and by
// rules that the contract has.
func TestNotes(t *testing.T) {
	b, err := os.ReadFile("../../docs/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	spec := string(b)
	word := regexp.MustCompile(`\{(\w*)\}`)
	all, short := notes()
	for name, n := range all {
		text := strings.TrimSpace(n.Text)
		if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "{tick}") && !strings.HasSuffix(text, "}") {
			t.Errorf("%s: no sentence: %q", name, n.Text)
		}
		for _, m := range word.FindAllStringSubmatch(n.Text+short[name], -1) {
			if !slices.Contains(words, m[1]) {
				t.Errorf("%s: what is %s?", name, m[0])
			}
		}
		if len(n.Rules) == 0 {
			t.Errorf("%s names no rule", name)
		}
		for _, id := range n.Rules {
			if !strings.Contains(spec, "\n| "+id+" | ") {
				t.Errorf("%s names rule %s, which docs/SPEC.md has not", name, id)
			}
			if contract[id] == "" {
				t.Errorf("%s names rule %s, which contract.go has not", name, id)
			}
		}
	}
	for id, text := range contract {
		if !strings.Contains(spec, text) {
			t.Errorf("docs/SPEC.md words rule %s otherwise than contract.go: %q", id, text)
		}
	}
}

// There is a state for each thing that an M does, and no other.
func TestStatesComplete(t *testing.T) {
	if n := int(trace.NumDoings); len(states) != n {
		t.Errorf("%d states, want %d", len(states), n)
	}
}
