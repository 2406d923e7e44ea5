package check

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The documentation names every rule, as it is, and says how many there are.
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
}
