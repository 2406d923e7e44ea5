package compare

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sched9/trace/text"
)

// Table writes a table with a row for each run, and one for each kind of goroutine that is in all of them, at most most.
func Table(w io.Writer, runs []Run, most int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\ttime\tbusy\tswitches\tpreempted\tmoved\twaits for a P: half\t99 %\tworst\t")
	for _, r := range runs {
		fmt.Fprintf(t, "%s\t%s\t%.0f %%\t%s\t%s\t%s\t%s\t%s\n", r.Label, text.Duration(r.Time), 100*r.Busy, text.Count(r.Switches),
			text.Count(r.Preempts), text.Count(r.Moves), r.Wait.cells(), behind(r.remark()))
	}
	names := shared(runs)
	for _, name := range names[:min(most, len(names))] {
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(t, "\n%s\truns\tended\tfair\twaits for a P: half\t99 %%\tworst\t\n", short(name))
		for _, r := range runs {
			k := r.kind(name)
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", r.Label, text.Duration(k.Running), k.ended(), k.fair(), k.Wait.cells())
		}
	}
	return t.Flush()
}

// behind is a remark behind a row, if there is one.
func behind(remark string) string {
	if remark == "" {
		return ""
	}
	return "  " + remark
}

// cells are a Spread's cells of a table.
func (s Spread) cells() string {
	return text.Duration(s.Median) + "\t" + text.Duration(s.P99) + "\t" + text.Duration(s.Worst)
}

// ended says when the last of a kind ended.
func (k Kind) ended() string {
	if k.Ended < 0 {
		return "-"
	}
	return text.Duration(k.Ended)
}

// fair is the index of fairness, "-" if there is none.
func (k Kind) fair() string {
	if k.Fair < 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", k.Fair)
}

// remark says what is wrong with a run, if anything is.
func (r Run) remark() string {
	var all []string
	if r.Status != 0 {
		all = append(all, fmt.Sprintf("status %d", r.Status))
	}
	if len(r.Broken) > 0 {
		all = append(all, "breaks "+strings.Join(r.Broken, ", "))
	}
	return strings.Join(all, "; ")
}

// shared are the kinds of goroutines that are in all runs, by name, those that ran longest in the first one first.
func shared(runs []Run) (names []string) {
	for _, k := range runs[0].Kinds {
		everywhere := true
		for _, r := range runs {
			everywhere = everywhere && r.kind(k.Name).Count > 0
		}
		if everywhere {
			names = append(names, k.Name)
		}
	}
	return names
}

// kind is the run's Kind of that name, without goroutines if there is none.
func (r Run) kind(name string) Kind {
	for _, k := range r.Kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{}
}

// short is a function's name without the path of its package.
func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
