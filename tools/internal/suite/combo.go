package suite

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"sched9/qemu"
)

// Combo is a kind of machine that scenarios are booted on.
type Combo struct {
	SMP     int
	Machine string
	GOGC    string
}

// String names the combination.
func (c Combo) String() string { return fmt.Sprintf("smp=%d %s GOGC=%s", c.SMP, c.Machine, c.GOGC) }

// gogcs are the values of GOGC in combinations.
var gogcs = []string{"off", "100", "5"}

// soakMachines are the machine types in combinations, by architecture.
var soakMachines = map[string][]string{
	"amd64": {"pc", "q35", "microvm"},
	"arm64": {"virt", "virt,gic-version=2", "virt,virtualization=on"},
}

// Combos is the cross product that Soak goes through for an architecture, "" being the
// usual one, without what no machine has.
func Combos(arch string) []Combo {
	var all []Combo
	arch = cmp.Or(arch, "amd64")
	for _, smp := range []int{1, 2, 4, 8, 16} {
		for _, machine := range soakMachines[arch] {
			if qemu.CheckMachine(arch, machine, smp) != nil {
				continue
			}
			for _, gogc := range gogcs {
				all = append(all, Combo{smp, machine, gogc})
			}
		}
	}
	return all
}

// apply makes the run one on the combination's machine, with a seed.
func (c Combo) apply(j job, seed uint64) job {
	j.run.SMP, j.run.Machine = c.SMP, c.Machine
	j.run.Env = slices.DeleteFunc(slices.Clone(j.run.Env), func(e string) bool {
		return strings.HasPrefix(e, "GOGC=") || strings.HasPrefix(e, "SEED=")
	})
	j.run.Env = append(j.run.Env, "GOGC="+c.GOGC, fmt.Sprintf("SEED=%d", seed))
	j.run.Name += fmt.Sprintf(" (%v SEED=%d)", c, seed)
	return j
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

// Print writes the table for an architecture: a line for each number of vCPUs and machine, a column for each
// GOGC, and the boots that passed, with those that failed after a slash.
func (t Table) Print(w io.Writer, arch string) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer tw.Flush()
	fmt.Fprintf(tw, "boots\tGOGC=%s", strings.Join(gogcs, "\tGOGC="))
	var last string
	for _, c := range Combos(arch) {
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
