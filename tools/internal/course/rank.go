package course

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"sched9/trace/compare"
	"sched9/trace/text"
)

// Contest is by what solutions of a lab are ranked: how long goroutines of one kind wait for a P, in a program that is run under the solutions'
// policy. Instructions are counted, so the same solution has the same times.
type Contest struct {
	Program string // as sched9 compare takes it
	Policy  string // that the lab's holes are of
	Kind    string // the function of which the goroutines are made
	Slice   string // the scheduler's time slice, "10ms"
}

// Place is one of a ranking.
type Place struct {
	Name string
	compare.Run
	Waits compare.Spread // of the contest's kind
	Ended int64          // when the last of them ended, in nanoseconds
	Why   string         // why it has no place, "" if it has one
}

// Rank runs the contest's program with the solution of each of the student's repositories in dirs, with the tree's own, and under the usual policy.
// The best comes first: of 100 waits the longest but one is the shortest. Who has no place comes last.
func (g *Grader) Rank(ctx context.Context, l Lab, dirs []string) (all []Place, err error) {
	if l.Contest == nil {
		return nil, fmt.Errorf("lab %s has no contest", l.Name)
	}
	whole, err := l.originals(g.Root)
	if err != nil {
		return nil, err
	}
	runs, why, err := g.contest(ctx, l, whole)
	if err == nil && why != "" {
		err = fmt.Errorf("the tree's own solution: %s", why)
	}
	if err != nil {
		return nil, err
	}
	all = append(all, l.place("(M:N)", runs[0]), l.place("(the tree's)", runs[1]))
	for _, dir := range dirs {
		name := filepath.Base(dir)
		files, why := l.student(dir)
		if why == "" {
			if g.Note != nil {
				g.Note(name)
			}
			if runs, why, err = g.contest(ctx, l, files); err != nil {
				return nil, fmt.Errorf("%s: %w", dir, err)
			}
		}
		if why != "" {
			all = append(all, Place{Name: name, Why: why})
			continue
		}
		all = append(all, l.place(name, runs[1]))
	}
	slices.SortStableFunc(all, better)
	return all, nil
}

// better orders places.
func better(a, b Place) int {
	switch {
	case a.Why == "" && b.Why != "":
		return -1
	case a.Why != "" && b.Why == "":
		return 1
	}
	return cmp.Or(cmp.Compare(a.Waits.P99, b.Waits.P99), cmp.Compare(a.Waits.Worst, b.Waits.Worst), cmp.Compare(a.Time, b.Time))
}

// contest runs the contest's program under the usual policy and under that of the files. why says why there are no such runs.
func (g *Grader) contest(ctx context.Context, l Lab, files map[string][]byte) (runs []compare.Run, why string, err error) {
	dir, clear, unfair, err := g.tree(ctx, l, files)
	if err != nil || unfair != "" {
		return nil, unfair, err
	}
	defer clear()
	out, failed := output(ctx, (*exec.Cmd).Output, dir, nil, g.Sched9, "compare", "-json", "-accel", "tcg", "-policy", "M:N,"+l.Contest.Policy, "-slice", l.Contest.Slice, l.Contest.Program)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err := json.Unmarshal(out, &runs); err != nil || len(runs) != 2 {
		said := fmt.Sprint(failed)
		if exit := (*exec.ExitError)(nil); errors.As(failed, &exit) {
			said = string(exit.Stderr) + said
		}
		return nil, clean(said, dir, l.Files(), true), nil
	}
	return runs, "", nil
}

// place is a run's place: none if the run is no good one.
func (l *Lab) place(name string, r compare.Run) Place {
	p := Place{Name: name, Run: r}
	if i := slices.IndexFunc(r.Kinds, func(k compare.Kind) bool { return k.Name == l.Contest.Kind }); i >= 0 {
		p.Waits, p.Ended = r.Kinds[i].Wait, r.Kinds[i].Ended
	} else {
		p.Why = "there is no " + l.Contest.Kind
	}
	switch {
	case r.Status != 0:
		p.Why = fmt.Sprintf("the program ended with status %d", r.Status)
	case len(r.Broken) > 0:
		p.Why = fmt.Sprintf("it breaks %v", r.Broken)
	case p.Why == "" && p.Ended < 0:
		p.Why = "not all of them ended"
	}
	return p
}

// PrintRanking writes places as a table. Those without are told with the reason.
func PrintRanking(w io.Writer, c Contest, all []Place) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\t%s waits: half\t99 %%\tworst\tended\tall done\t\n", c.Kind)
	for i, p := range all {
		if p.Why != "" {
			fmt.Fprintf(t, "-\t%s\t%s\n", p.Name, p.Why)
			continue
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", i+1, p.Name, text.Duration(p.Waits.Median), text.Duration(p.Waits.P99), text.Duration(p.Waits.Worst),
			text.Duration(p.Ended), text.Duration(p.Time))
	}
	return t.Flush()
}
