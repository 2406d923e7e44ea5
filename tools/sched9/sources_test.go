package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	sources "sched9"
)

// TestSources: in a checkout with an edit, images are made of the edit, and it is said so.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, sources.Source); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":        "module sched9\n\ngo 1.26\n",
		"prog/main.go":  "package main\n\nfunc main() {}\n",
		"sched/find.go": "package sched\n\nvar _ = edited\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(dir, "prog"))
	_, stderr, status := sched9(t, "build", "-o", "x", ".")
	first, rest, _ := strings.Cut(stderr, "\n")
	if !strings.HasPrefix(first, "sched9: images are made of the sources in "+dir) || !strings.HasSuffix(first, ": sched/find.go") {
		t.Errorf("it says %q", first)
	}
	if status != statusFailed || !strings.Contains(rest, "undefined: edited") {
		t.Errorf("status %d\n%s", status, rest)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("main.go", []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := sched9(t, "build", "-o", "x", "main.go"); status != 0 || stderr != "" {
		t.Errorf("outside: status %d\n%s", status, stderr)
	}
}
