package main

import (
	"errors"
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

// TestWithoutFastCuts: an image without the cuts that are there for speed alone works as well: programs say what they should,
// and loops give way.
func TestWithoutFastCuts(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.CopyFS(dir, sources.Source), os.Remove(filepath.Join(dir, "kernel/goruntime/fast.txt")),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module sched9\n\ngo 1.26\n"), 0o644))
	for _, prog := range []string{"hello", "preempt"} {
		data, e := os.ReadFile(filepath.Join("../../scenarios", prog, "main.go"))
		err = errors.Join(err, e, os.Mkdir(filepath.Join(dir, prog), 0o755), os.WriteFile(filepath.Join(dir, prog, "main.go"), data, 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for prog, last := range map[string]string{"hello": "hello: done", "preempt": "preempt: done"} {
		stdout, stderr, status := sched9(t, "run", "-accel", "tcg", "-smp", "2", "./"+prog)
		if status != 0 || !strings.Contains(stdout, last) || !strings.Contains(stderr, "kernel/goruntime/fast.txt") {
			t.Errorf("%s: status %d\n%s\n%s", prog, status, stdout, stderr)
		}
	}
}
