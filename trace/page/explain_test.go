package page

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
)

// notes are all that explain.go has, with a name for each.
func notes() map[string]note {
	all := map[string]note{}
	for i, n := range events {
		if i > 0 {
			all["event "+record.Event(i).String()] = n
		}
	}
	for _, list := range []struct {
		name  string
		notes []note
		from  int
	}{{"place", places[:], 0}, {"look", looks[:], 1}, {"ipi", ipis[:], 1}, {"state", states[:], 0}} {
		for i := list.from; i < len(list.notes); i++ {
			all[list.name+" "+string(rune('0'+i))] = list.notes[i]
		}
	}
	for name, n := range finer {
		all["finer "+name] = n
	}
	return all
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
	for name, n := range notes() {
		text := strings.TrimSpace(n.Text)
		if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "{tick}") && !strings.HasSuffix(text, "}") {
			t.Errorf("%s: no sentence: %q", name, n.Text)
		}
		for _, m := range word.FindAllStringSubmatch(n.Text, -1) {
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

// The lists have an entry for each of the scheduler's numbers, and no other.
func TestNotesComplete(t *testing.T) {
	if n := int(record.FromPass) + 1; len(places) != n {
		t.Errorf("%d places, want %d", len(places), n)
	}
	if n := int(record.LookRecheck) + 1; len(looks) != n {
		t.Errorf("%d looks, want %d", len(looks), n)
	}
	if n := int(record.IPINMI) + 1; len(ipis) != n {
		t.Errorf("%d IPIs, want %d", len(ipis), n)
	}
	if n := int(trace.NumDoings); len(states) != n {
		t.Errorf("%d states, want %d", len(states), n)
	}
}
