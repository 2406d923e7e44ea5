package main

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const root = "../../scenarios/bugs"

// all makes the tests build and run every program; a few otherwise.
var all = flag.Bool("all", false, "build and run every program of the catalogue")

// few are the programs that are run without -all: a deadlock, a panic, wrong output, and one whose schedule waits for a
// state.
var few = []string{"lockorder", "doubleclose", "lostupdate", "rlocktwice"}

// patience is for one run of a program that must end by itself.
const patience = time.Minute

// chosen is the part of the catalogue that is run.
func chosen(t *testing.T) []bug {
	t.Helper()
	bugs, err := catalogue(root)
	if err != nil {
		t.Fatal(err)
	}
	if *all {
		return bugs
	}
	var some []bug
	for _, name := range few {
		b, ok := find(bugs, name)
		if !ok {
			t.Fatalf("the catalogue has no %s", name)
		}
		some = append(some, b)
	}
	return some
}

// The table and the folders agree, each folder has its three files, and each schedule fits its program.
func TestCatalogue(t *testing.T) {
	bugs, err := catalogue(root)
	if err != nil {
		t.Fatal(err)
	}
	var rows, folders []string
	for _, b := range bugs {
		rows = append(rows, b.name)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	slices.Sort(rows)
	if !slices.Equal(rows, folders) {
		t.Errorf("the table has\n%v\nand there are\n%v", rows, folders)
	}
	if len(bugs) < 40 {
		t.Errorf("%d bugs, not 40", len(bugs))
	}
	for _, b := range bugs {
		s, err := load(b.dir)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range []string{"main.go", "mended/main.go"} {
			text, err := os.ReadFile(filepath.Join(b.dir, name))
			if err != nil {
				t.Error(err)
				continue
			}
			if n := strings.Count(string(text), "\n"); n < 20 || n > 65 {
				t.Errorf("%s/%s has %d lines", b.name, name, n)
			}
			if name != "main.go" {
				continue
			}
			if _, err := s.apply(string(text)); err != nil {
				t.Errorf("%s: %v", b.name, err)
			}
		}
	}
}

// docs/bugs.md sorts each bug of the catalogue under one shape, and knows no other.
func TestShapes(t *testing.T) {
	bugs, err := catalogue(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/bugs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| shape | depth | programs |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var rows, sorted []string
	for _, b := range bugs {
		rows = append(rows, b.name)
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		sorted = append(sorted, strings.Fields(cells[len(cells)-1])...)
	}
	slices.Sort(rows)
	slices.Sort(sorted)
	if !slices.Equal(rows, sorted) {
		t.Errorf("the catalogue has\n%v\nand docs/bugs.md\n%v", rows, sorted)
	}
}

// Each bug happens in the interleaving of its schedule, and shows what the table says.
func TestBugs(t *testing.T) {
	for _, b := range chosen(t) {
		t.Run(b.name, func(t *testing.T) {
			s, err := load(b.dir)
			if err != nil {
				t.Fatal(err)
			}
			exe, err := build(b.dir, t.TempDir(), s, *all)
			if err != nil {
				t.Fatal(err)
			}
			// One processor: what is in a sync.Pool stays with its P.
			out, err := run(exe, 1, patience)
			if err == nil || err == errHangs || !strings.Contains(out, b.shows) || !strings.Contains(out, "schedule: done\n") {
				t.Errorf("error %v, wants one, %q and the whole schedule:\n%s", err, b.shows, out)
			}
		})
	}
}

// No mended twin fails, in 200 runs or, without -all, in a few.
func TestMended(t *testing.T) {
	runs := 30
	if *all {
		runs = 200
	}
	for _, b := range chosen(t) {
		t.Run(b.name, func(t *testing.T) {
			exe, err := build(filepath.Join(b.dir, "mended"), t.TempDir(), schedule{}, *all)
			if err != nil {
				t.Fatal(err)
			}
			for i := range runs {
				if out, err := run(exe, []int{1, 2, 8}[i%3], patience); err != nil {
					t.Fatalf("run %d: %v\n%s", i, err, out)
				}
			}
		})
	}
}

// A line that is none, a schedule without an order and one that does not fit are refused.
func TestSchedule(t *testing.T) {
	for _, text := range []string{"", "before x: y()", "before x y()\norder: x.1", "order: x.1\nunless y"} {
		if _, err := parseSchedule(text); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
	s, err := parseSchedule("before one if v > 1: a(v)\nafter two: a(v)\nuntil two.1: 2 [chan send]\nhold: one.2\norder: one.1 two.1\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.apply("func main() {\n\ta(v)\n}\n")
	want := "func main() { pointMain(); pointEnd() }; func pointMain() {\nif v > 1 { point(\"one\") }; \ta(v); point(\"two\")\n}\n"
	if err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	for _, source := range []string{"func main() {\n}\n", "func main() {\n\ta(v)\n\ta(v)\n}\n", "a(v)\n"} {
		if _, err := s.apply(source); err == nil {
			t.Errorf("no error for %q", source)
		}
	}
}
