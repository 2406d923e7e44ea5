package check

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sched9/record"
)

// The documentation names every rule, as it is, and every event, and says how many
// rules there are.
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
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("against %d rules", len(Rules)); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q", want)
	}
	_, events, _ := strings.Cut(doc, "## Events")
	events, _, _ = strings.Cut(events, "##")
	names := strings.FieldsFunc(events, func(r rune) bool { return strings.ContainsRune(" ,|\n", r) })
	have := map[string]bool{}
	for _, n := range names {
		have[n] = true
	}
	for e := record.EvNone + 1; e < record.NumEvents; e++ {
		if !have[e.String()] {
			t.Errorf("docs/trace.md does not have event %v", e)
		}
	}
}
