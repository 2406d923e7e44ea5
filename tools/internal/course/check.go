package course

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Check grades the grader. In a student's repository as New makes it, empty holes must have no points, and the code of the tree all; each wrong
// solution of the lab's, mutations of the holes among them, must lose what it is said to lose, and nothing else. Only solutions whose names match are graded. told is told of each: its
// grade, and what is wrong with that.
func (g *Grader) Check(ctx context.Context, l Lab, match *regexp.Regexp, told func(name string, got Grade, bad []string)) error {
	whole, err := l.originals(g.Root)
	if err != nil {
		return err
	}
	mutations, err := Mutations(ctx, g.Root)
	if err != nil {
		return err
	}
	if err := l.Mutate(mutations); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "sched9-student-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	student := filepath.Join(tmp, l.Name)
	if err := New(ctx, g.Root, l, student); err != nil {
		return err
	}
	var all []string
	for _, p := range l.Parts {
		all = append(all, p.Name)
	}
	try := func(name string, loses []string, grade func() (Grade, error)) error {
		if !match.MatchString(name) {
			return nil
		}
		got, err := grade()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		told(name, got, got.differs(loses))
		return nil
	}
	if err := try("empty holes", all, func() (Grade, error) { return g.Grade(ctx, l, student) }); err != nil {
		return err
	}
	for name, data := range whole {
		if err := os.WriteFile(filepath.Join(student, filepath.FromSlash(name)), data, 0o666); err != nil {
			return err
		}
	}
	if err := try("the code in the tree", nil, func() (Grade, error) { return g.Grade(ctx, l, student) }); err != nil {
		return err
	}
	for _, w := range l.Wrong {
		if err := try(w.Name, w.Loses, func() (Grade, error) { return g.wrong(ctx, l, w) }); err != nil {
			return err
		}
	}
	return nil
}

// differs says in what the parts that lost points are others than these.
func (g Grade) differs(loses []string) (bad []string) {
	for _, r := range g.Parts {
		switch lost := r.Points < r.Of; {
		case lost && !slices.Contains(loses, r.Name):
			bad = append(bad, fmt.Sprintf("it loses %q:\n%s", r.Name, r.Why))
		case !lost && slices.Contains(loses, r.Name):
			bad = append(bad, fmt.Sprintf("it does not lose %q", r.Name))
		}
	}
	return bad
}
