// Package course makes labs of the scheduler's own code and grades what students write. A lab is a list of holes: functions of the tree
// whose bodies are taken out. The solution is the code in the tree, so a lab cannot go stale: its tests hold for the tree.
package course

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Folder is where labs are, in the tree: each has a folder with text and a file.
const (
	Folder   = "labs"
	labFile  = "lab.toml"
	textFile = "README.md"
)

// Lab is what lab.toml says.
type Lab struct {
	Name  string `toml:"-"`     // of its folder: a number, which is its place in the course, and a word
	About string `toml:"about"` // in a line
	Holes []Hole `toml:"hole"`
	Parts []Part `toml:"part"`
	Wrong []Wrong

	Contest *Contest // nil: there is none
}

// Hole is a function whose body a student writes.
type Hole struct {
	File string // in the tree, with slashes
	Func string // its name, Type.Name of a method
	Hint string // comes in place of the body, as a comment
}

// Part is what points are given for.
type Part struct {
	Name   string // what it shows, in words
	Rule   string // of docs/SPEC.md
	Points int
	Stage  Stage
	Run    string // tests of the holes' package, programs of the explorer, or runs and tests of scenarios, separated by spaces: each must pass
	Deep   bool   // the explorer allows as many preemptions as in go test, and not one less: it takes seconds
}

// Stage is how a part is tried.
type Stage string

// Stages, in the order in which they are gone through.
const (
	Hosted  Stage = "hosted"  // a test of the package with the holes
	Explore Stage = "explore" // all interleavings of one of the explorer's programs
	Boot    Stage = "boot"    // a scenario's run on bare metal, whose recording is judged
)

// stages are all of them.
var stages = []Stage{Hosted, Explore, Boot}

// Wrong is a solution that a student might hand in, and what it must lose: it grades the grader.
type Wrong struct {
	Name  string
	Func  string   // the hole that it fills
	Body  string   // and with what; "": with the tree's code, in which
	Old   string   // this code, which is there once whatever its layout and local names (package edit),
	New   string   // is replaced by this
	Loses []string // names of parts

	Mutation string // in place of Func, Body, Old and New: the name of one of sched/mutate, in which Mutate finds these
}

// Load reads the lab of that name in the tree at root. Its number will do, and so will its word.
func Load(root, name string) (l Lab, err error) {
	if name == "" || filepath.Base(name) != name || strings.HasPrefix(name, ".") {
		return l, fmt.Errorf("%q is no lab's name", name)
	}
	for _, whole := range Names(root) {
		if number, word, _ := strings.Cut(whole, "-"); name == word || name == number || name == strings.TrimLeft(number, "0") {
			name = whole
			break
		}
	}
	l.Name = name
	file := l.file(root)
	meta, err := toml.DecodeFile(file, &l)
	if errors.Is(err, os.ErrNotExist) {
		return l, fmt.Errorf("there is no lab %q; there are %s", name, strings.Join(Names(root), ", "))
	}
	if err != nil {
		return l, fmt.Errorf("%s: %w", file, err)
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return l, fmt.Errorf("%s: %s means nothing", file, extra[0])
	}
	if err := l.check(); err != nil {
		return l, fmt.Errorf("%s: %w", file, err)
	}
	return l, nil
}

// check says what is wrong with what a lab's file says.
func (l *Lab) check() error {
	if l.About == "" || len(l.Holes) == 0 || len(l.Parts) == 0 {
		return errors.New("a lab has an about, a hole and a part at least")
	}
	for _, h := range l.Holes {
		if path.Dir(h.File) != l.Package() {
			return fmt.Errorf("%s and %s are of two packages: a lab is of one", l.Holes[0].File, h.File)
		}
	}
	if c := l.Contest; c != nil && (c.Program == "" || c.Policy == "" || c.Kind == "" || c.Slice == "") {
		return errors.New("a contest has a program, a policy, a kind of goroutines and a slice")
	}
	names := map[string]bool{}
	for _, p := range l.Parts {
		if p.Name == "" || p.Run == "" || p.Points <= 0 || !slices.Contains(stages, p.Stage) || names[p.Name] {
			return fmt.Errorf("part %q has no name of its own, no run, no points, or none of the stages %v", p.Name, stages)
		}
		names[p.Name] = true
	}
	for _, w := range l.Wrong {
		switch {
		case w.Mutation != "":
			if w.Func+w.Body+w.Old+w.New != "" {
				return fmt.Errorf("wrong solution %q is a mutation, which says what is edited", w.Name)
			}
		case l.hole(w.Func) == nil:
			return fmt.Errorf("wrong solution %q is of %s, which is no hole", w.Name, w.Func)
		case (w.Body == "") == (w.Old == "") || w.Old == "" && w.New != "":
			return fmt.Errorf("wrong solution %q has a body, or old and new code: one of them", w.Name)
		}
		for _, p := range w.Loses {
			if !names[p] {
				return fmt.Errorf("wrong solution %q loses %q, which is no part", w.Name, p)
			}
		}
	}
	return nil
}

// hole is the hole of that function, nil if there is none.
func (l *Lab) hole(fn string) *Hole {
	for i := range l.Holes {
		if l.Holes[i].Func == fn {
			return &l.Holes[i]
		}
	}
	return nil
}

// Files are the files with holes.
func (l *Lab) Files() (all []string) {
	for _, h := range l.Holes {
		if !slices.Contains(all, h.File) {
			all = append(all, h.File)
		}
	}
	return all
}

// Package is the folder of the package that has the holes.
func (l *Lab) Package() string { return path.Dir(l.Holes[0].File) }

// Names are the names of the labs in the tree at root.
func Names(root string) (all []string) {
	files, _ := filepath.Glob(filepath.Join(root, Folder, "*", labFile))
	for _, f := range files {
		all = append(all, filepath.Base(filepath.Dir(f)))
	}
	return all
}

// file is the lab's file.
func (l *Lab) file(root string) string { return filepath.Join(root, Folder, l.Name, labFile) }

// Text is the lab's text.
func (l *Lab) Text(root string) ([]byte, error) {
	return os.ReadFile(filepath.Join(root, Folder, l.Name, textFile))
}

// pictures are the names of the files in the lab's folder that its picture is, and is made by.
func (l *Lab) pictures(root string) (all []string) {
	files, _ := filepath.Glob(filepath.Join(root, Folder, l.Name, "picture.*"))
	for _, f := range files {
		all = append(all, filepath.Base(f))
	}
	return all
}

// Points are what can be had.
func (l *Lab) Points() (sum int) {
	for _, p := range l.Parts {
		sum += p.Points
	}
	return sum
}

// parts are the parts of a stage, in order.
func (l *Lab) parts(s Stage) []Part {
	return slices.DeleteFunc(slices.Clone(l.Parts), func(p Part) bool { return p.Stage != s })
}

// hint is what stands in an empty hole.
func (h Hole) hint(lab string) string {
	var b strings.Builder
	for line := range strings.Lines(cmp.Or(strings.TrimSpace(h.Hint), "Yours to write.")) {
		b.WriteString("\t// " + strings.TrimSpace(line) + "\n")
	}
	fmt.Fprintf(&b, "\tpanic(\"lab %s: %s is yours to write\")\n", lab, h.Func)
	return b.String()
}
