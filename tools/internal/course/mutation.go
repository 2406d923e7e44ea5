package course

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
)

// Mutation is an edit of sched/mutate, which breaks a function of the tree.
type Mutation struct {
	Dir      string // the function's package, in the tree
	Name     string
	Func     string // a hole, perhaps
	Old, New string // as in Wrong
}

// Mutations are those of the tree at root. The command is asked, since a student's tree has to build without that folder.
func Mutations(ctx context.Context, root string) (all []Mutation, err error) {
	cmd := exec.CommandContext(ctx, "go", "run", "./sched/mutate", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	return all, json.Unmarshal(out, &all)
}

// Mutate finds what the wrong solutions edit that are mutations. Each mutation of a hole must be a wrong solution, so that the lab says what it
// loses; and those that wrong solutions name must be there.
func (l *Lab) Mutate(all []Mutation) (bad error) {
	left := map[string]Mutation{}
	for _, m := range all {
		if m.Dir == l.Package() && l.hole(m.Func) != nil {
			left[m.Name] = m
		}
	}
	for i := range l.Wrong {
		w := &l.Wrong[i]
		if w.Mutation == "" {
			continue
		}
		m, ok := left[w.Mutation]
		if !ok {
			bad = errors.Join(bad, fmt.Errorf("lab %s, wrong solution %q: no hole has a mutation %s, or it is there twice", l.Name, w.Name, w.Mutation))
			continue
		}
		delete(left, m.Name)
		w.Func, w.Old, w.New = m.Func, m.Old, m.New
	}
	for _, m := range all {
		if left[m.Name] == m {
			bad = errors.Join(bad, fmt.Errorf("lab %s: no wrong solution is mutation %s of %s", l.Name, m.Name, m.Func))
		}
	}
	return bad
}
