package doctor

import (
	"strings"
	"testing"
)

func TestAvailable(t *testing.T) {
	for _, c := range []struct {
		text string
		mib  int
		ok   bool
	}{
		{"MemTotal:       24684620 kB\nMemAvailable:    2097152 kB\n", 2048, true},
		{"MemTotal:       24684620 kB\n", 0, false},
		{"MemAvailable:    many kB\n", 0, false},
		{"", 0, false},
	} {
		if mib, ok := available(c.text); mib != c.mib || ok != c.ok {
			t.Errorf("%q: %d, %v", c.text, mib, ok)
		}
	}
}

// TestExamineBare looks at a machine that has nothing.
func TestExamineBare(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	found := map[string]Finding{}
	for _, f := range Examine(t.Context(), ".", "amd64") {
		found[f.What] = f
	}
	for _, what := range []string{"QEMU", "Go"} {
		if f := found[what]; f.OK || !f.Needed || f.Mend == "" || !strings.Contains(f.Answer, "not in PATH") {
			t.Errorf("%s: %+v", what, f)
		}
	}
	if f := found["KVM"]; f.OK || f.Needed {
		t.Errorf("KVM: %+v", f)
	}
}

// TestExamine looks at this machine, which runs these tests: it has Go and QEMU.
func TestExamine(t *testing.T) {
	for _, f := range Examine(t.Context(), ".", "amd64") {
		if !f.OK && (f.What == "QEMU" || f.What == "Go") {
			t.Errorf("%+v", f)
		}
		if f.Answer == "" {
			t.Errorf("no answer: %+v", f)
		}
	}
}
