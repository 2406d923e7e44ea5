package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
)

// Combo is a kind of machine that scenarios are booted on.
type Combo struct {
	SMP     int
	Machine string
	GOGC    string
}

// String names the combination.
func (c Combo) String() string { return fmt.Sprintf("smp=%d %s GOGC=%s", c.SMP, c.Machine, c.GOGC) }

// Combos is the cross product that Soak goes through.
func Combos() []Combo {
	var all []Combo
	for _, smp := range []int{1, 2, 4, 8} {
		for _, machine := range []string{"pc", "q35", "microvm"} {
			for _, gogc := range []string{"off", "100", "5"} {
				all = append(all, Combo{smp, machine, gogc})
			}
		}
	}
	return all
}

// apply makes the run one on the combination's machine.
func (c Combo) apply(j job) job {
	j.run.SMP, j.run.Machine = c.SMP, c.Machine
	j.run.Env = slices.DeleteFunc(slices.Clone(j.run.Env), func(e string) bool { return strings.HasPrefix(e, "GOGC=") })
	j.run.Env = append(j.run.Env, "GOGC="+c.GOGC)
	j.run.Name += fmt.Sprintf(" (%v)", c)
	return j
}

// Boot is one boot of a soak.
type Boot struct {
	N      int // from 1
	Combo  Combo
	Result Result
}

// plan lists the first boots of a soak: every combination in turn, each time in
// another order, and the runs in turn within each combination, each beginning
// elsewhere. The seed decides the orders.
func plan(jobs []job, boots int, seed uint64) (combos []Combo, chosen []job) {
	r := rand.New(rand.NewPCG(seed, 0))
	all := Combos()
	next := make([]int, len(all))
	order := make([][]int, len(all))
	for i := range all {
		order[i] = r.Perm(len(jobs))
	}
	for len(chosen) < boots {
		for _, i := range r.Perm(len(all)) {
			combos = append(combos, all[i])
			chosen = append(chosen, all[i].apply(jobs[order[i][next[i]%len(jobs)]]))
			next[i]++
		}
	}
	return combos[:boots], chosen[:boots]
}

// Soak boots the suite's runs that are marked for it, boots times in all, and
// calls done after each. Bounds on counters are not checked: they are for the
// machine that the run names. It ends at the first failure. The error says that
// no run is marked, or that ctx was cancelled.
func (s Suite) Soak(ctx context.Context, boots int, seed uint64, done func(Boot)) error {
	jobs := slices.DeleteFunc(s.jobs(), func(j job) bool { return !j.run.Soak })
	if len(jobs) == 0 {
		return errors.New("no run is marked with soak = true")
	}
	im := &images{arch: s.Arch, note: s.note}
	combos, chosen := plan(jobs, boots, seed)
	for i, j := range chosen {
		r := s.make(ctx, im, j, false)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		done(Boot{N: i + 1, Combo: combos[i], Result: r})
		if !r.Passed() {
			return nil
		}
	}
	return nil
}

// Table counts boots by combination.
type Table map[Combo]*Summary

// Add counts a boot.
func (t Table) Add(b Boot) {
	if t[b.Combo] == nil {
		t[b.Combo] = &Summary{}
	}
	t[b.Combo].Add(b.Result)
}

// Print writes the table: a line for each number of vCPUs and machine, a column for each
// GOGC, and the boots that passed, with those that failed after a slash.
func (t Table) Print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer tw.Flush()
	var last string
	for i, c := range Combos() {
		if i == 0 {
			fmt.Fprint(tw, "boots\tGOGC=off\tGOGC=100\tGOGC=5")
		}
		if row := fmt.Sprintf("smp=%d %s", c.SMP, c.Machine); row != last {
			fmt.Fprintf(tw, "\n%s", row)
			last = row
		}
		var n Summary
		if t[c] != nil {
			n = *t[c]
		}
		fmt.Fprintf(tw, "\t%d", n.Passed)
		if n.Failed > 0 {
			fmt.Fprintf(tw, "/%d", n.Failed)
		}
	}
	fmt.Fprintln(tw)
}
