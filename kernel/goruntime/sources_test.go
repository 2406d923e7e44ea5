package goruntime

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sched9"
)

// builtin are the sources that are compiled into the test.
func builtin(t *testing.T) Sources {
	t.Helper()
	s, err := FindSources(t.TempDir())
	if err != nil || s.Dir != "" {
		t.Fatalf("%q, %v", s.Dir, err)
	}
	return s
}

// TestSources: a checkout's sources are taken in it, and what differs is named.
func TestSources(t *testing.T) {
	if names, err := builtin(t).Changed(); err != nil || len(names) != 0 {
		t.Errorf("compiled in, but not as compiled in: %q, %v", names, err)
	}
	if s, err := FindSources("."); err != nil {
		t.Error(err)
	} else if names, err := s.Changed(); err != nil || s.Dir == "" || len(names) != 0 {
		t.Errorf("the test's own checkout %q: %q, %v", s.Dir, names, err)
	}

	dir := t.TempDir()
	if err := os.CopyFS(dir, sched9.Source); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "scenarios/x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if s, err := FindSources(dir); err != nil || s.Dir != "" {
		t.Errorf("without go.mod: %q, %v", s.Dir, err)
	}
	write("go.mod", "module sched9\n\ngo 1.26\n")
	s, err := FindSources(filepath.Join(dir, "scenarios/x"))
	if err != nil || s.Dir != dir {
		t.Fatalf("%q, %v", s.Dir, err)
	}
	if names, err := s.Changed(); err != nil || len(names) != 0 {
		t.Errorf("a copy: %q, %v", names, err)
	}
	write("sched/find.go", "package sched\n")
	write("sched/find_test.go", "package sched\n")
	write("sched/.#steal.go", "")
	write("kernel/new.s", "")
	write("kernel/goruntime/cut.txt", "drop proc.go: // why\n")
	if err := os.Remove(filepath.Join(dir, "arch/arm64/layout/layout.go")); err != nil {
		t.Fatal(err)
	}
	names, err := s.Changed()
	want := []string{"arch/arm64/layout/layout.go", "kernel/goruntime/cut.txt", "kernel/new.s", "sched/find.go"}
	if slices.Sort(names); err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v, want %q", names, err, want)
	}
	for name, want := range map[string]bool{
		"sched/find.go": false, "record/event.go": true, "kernel/goruntime/cut.txt": false, "kernel/goruntime/edit.go": true,
		"kernel/goruntime/runtime/zsched9_runtime.go": false, "arch/arm64/layout/layout.go": true, "arch/boot_arm64.s": false,
	} {
		if Shared(name) != want {
			t.Errorf("%s: shared %v", name, !want)
		}
	}
}
