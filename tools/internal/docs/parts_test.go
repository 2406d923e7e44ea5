package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestParts: a part that fails does not keep the others from being made, and the verdict
// names it and what of it failed.
func TestParts(t *testing.T) {
	script, err := filepath.Abs("../../parts.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const makefile = ".PHONY: one two three\none:\n\t@echo fine\n" +
		"two:\n\t@printf 'ok   a/1  FAIL:\\nFAIL a/2  1s\\n--- FAIL: TestX (0.1s)\\nFAIL\\tsched9/x\\n'; exit 3\n" +
		"three:\n\t@echo FAIL not; echo also made\n"
	if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte(makefile), 0o644); err != nil {
		t.Fatal(err)
	}
	made := func(parts ...string) (out []string, ok bool) {
		cmd := exec.Command(script, append([]string{"all"}, parts...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		text, err := cmd.Output()
		return strings.Split(strings.TrimSpace(string(text)), "\n"), err == nil
	}
	out, ok := made("one", "two", "three")
	i := slices.Index(out, "all: two failed")
	want := []string{"all: two failed", "    FAIL a/2  1s", "    --- FAIL: TestX (0.1s)", "    FAIL\tsched9/x", "all: 2 passed, 1 failed"}
	if ok || !slices.Contains(out, "also made") || i < 0 || !slices.Equal(out[i:], want) {
		t.Errorf("with a part that fails: ok %v\n%s", ok, strings.Join(out, "\n"))
	}
	if out, ok := made("one", "three"); !ok || out[len(out)-1] != "all: 2 passed, 0 failed" {
		t.Errorf("with none: ok %v\n%s", ok, strings.Join(out, "\n"))
	}
}
