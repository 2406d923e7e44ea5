package bench

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// least is the smallest relative difference that is shown where instructions are counted. Where
// time is measured, a difference within both spreads is not shown.
const least = 0.001

// Compare prints the differences in sched9's figures.
func Compare(out io.Writer, before, after Report) error {
	fmt.Fprintf(out, "\nCompared with %s\n", before.When)
	if before.Quick != after.Quick || before.Ops != after.Ops || before.Arch != after.Arch || before.Go != after.Go || before.QEMU != after.QEMU {
		fmt.Fprintln(out, "They were taken in another way: with -quick or without it, with other -ops, or with another Go or QEMU.")
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	n := 0
	for _, row := range after.Rows {
		i := before.find(row.Mode, row.CPUs, row.Op)
		if i < 0 || before.Rows[i].Unit != row.Unit {
			continue
		}
		a, b := spread(before.Rows[i].Ours), spread(row.Ours)
		if !a.known() || !b.known() || !differs(row, a, b) {
			continue
		}
		if n == 0 {
			fmt.Fprintln(w, "operation\tvCPUs\tmode\tbefore\tnow\tchange\t")
		}
		n++
		change := "-"
		if a.Median != 0 {
			change = fmt.Sprintf("%+.1f %%", 100*(b.Median/a.Median-1))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t\n", row.Op, row.CPUs, row.Mode,
			quantity(a.Median, row.Unit), quantity(b.Median, row.Unit), change)
	}
	if n == 0 {
		fmt.Fprintln(w, "nothing is different beyond what figures vary by")
	}
	return w.Flush()
}

// differs reports whether b is another figure than a.
func differs(row Row, a, b Spread) bool {
	if row.Mode == TCG && row.Unit == "ns" {
		return b.Least > a.Most || b.Most < a.Least
	}
	return math.Abs(b.Median-a.Median) > least*math.Abs(a.Median)
}
