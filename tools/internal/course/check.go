package course

import (
	"context"
	"fmt"
	"slices"
)

// Check grades the grader: it says what is wrong with a lab. The code in the tree must have all points, empty holes none, and each
// wrong solution of the lab's must lose what it is said to lose, and nothing else.
func (g *Grader) Check(ctx context.Context, l Lab) (bad []string, err error) {
	whole, err := l.originals(g.Root)
	if err != nil {
		return nil, err
	}
	empty, err := l.cut(g.Root)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, p := range l.Parts {
		all = append(all, p.Name)
	}
	try := func(what string, loses []string, grade func() (Grade, error)) error {
		got, err := grade()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		for _, r := range got.Parts {
			switch lost := r.Points < r.Of; {
			case lost && !slices.Contains(loses, r.Name):
				bad = append(bad, fmt.Sprintf("%s loses %q: %s", what, r.Name, r.Why))
			case !lost && slices.Contains(loses, r.Name):
				bad = append(bad, fmt.Sprintf("%s does not lose %q", what, r.Name))
			}
		}
		return nil
	}
	if err := try("the code in the tree", nil, func() (Grade, error) { return g.grade(ctx, l, whole) }); err != nil {
		return nil, err
	}
	if err := try("empty holes", all, func() (Grade, error) { return g.grade(ctx, l, empty) }); err != nil {
		return nil, err
	}
	for _, w := range l.Wrong {
		if err := try(fmt.Sprintf("wrong solution %q", w.Name), w.Loses, func() (Grade, error) { return g.wrong(ctx, l, w) }); err != nil {
			return nil, err
		}
	}
	return bad, nil
}
