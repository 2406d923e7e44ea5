package check

import (
	"os"
	"strings"
	"testing"

	"sched9/sched"
)

// The documentation names every rule, as it is, and every event.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	for _, r := range Rules {
		if !strings.Contains(doc, "| "+r.ID+" | "+r.What+" |") {
			t.Errorf("docs/trace.md does not have rule %s", r.ID)
		}
	}
	_, events, _ := strings.Cut(doc, "## Events")
	events, _, _ = strings.Cut(events, "##")
	names := strings.FieldsFunc(events, func(r rune) bool { return strings.ContainsRune(" ,|\n", r) })
	have := map[string]bool{}
	for _, n := range names {
		have[n] = true
	}
	for e := sched.EvNone + 1; e < sched.NumEvents; e++ {
		if !have[e.String()] {
			t.Errorf("docs/trace.md does not have event %v", e)
		}
	}
}
