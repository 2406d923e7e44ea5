package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table prints r for people.
func (r *Report) Table(out io.Writer) error {
	fmt.Fprintln(out, r.facts())
	for _, sec := range r.sections() {
		fmt.Fprintf(out, "\n%s\n", sec.title)
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "operation\tsched9\tLinux and Go\tratio\tbetween\tgoal\t\t")
		for _, row := range sec.rows {
			c := row.cells()
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", c.Op, c.Ours, c.Peers, c.Ratio, c.Between, c.Goal, c.Verdict)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for i, s := range r.missed() {
		if i == 0 {
			fmt.Fprintln(out)
		}
		if _, err := fmt.Fprintln(out, s); err != nil {
			return err
		}
	}
	return nil
}

// missed is a sentence for each goal that is missed.
func (r *Report) missed() (all []string) {
	for _, sec := range r.sections() {
		for _, row := range sec.rows {
			met, known := row.Met()
			if met || !known {
				continue
			}
			g, c := row.Goal(), row.cells()
			if g.Most != 0 {
				all = append(all, fmt.Sprintf("%s misses its goal: %s, not %s (%s times as much; %s)",
					row.Op, c.Ours, c.Goal, factor(spread(row.Ours).Median/g.Most), sec.title))
			} else {
				all = append(all, fmt.Sprintf("%s misses its goal: %s times what Linux takes, not %s (%s)", row.Op, c.Ratio, factor(g.Ratio), sec.title))
			}
		}
	}
	return all
}

// Markdown prints r as tables for a document: figures, and of times, which only compare where both guests ran side by side, the ratios.
func (r *Report) Markdown(out io.Writer) error {
	var sizes, counted []Row
	times := map[string]map[int]Row{} // by operation and number of vCPUs
	var ops []string
	for _, row := range r.Rows {
		switch {
		case row.Mode == ICount:
			counted = append(counted, row)
		case row.Mode != TCG || row.Unit != "ns" || row.Goal().Most != 0:
			sizes = append(sizes, row)
		default:
			if times[row.Op] == nil {
				times[row.Op] = map[int]Row{}
				ops = append(ops, row.Op)
			}
			times[row.Op][row.CPUs] = row
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.facts())
	for _, sec := range []struct {
		title string
		rows  []Row
	}{{"Sizes, and the time of a boot", sizes}, {"Instructions counted, 1 vCPU", counted}} {
		if len(sec.rows) > 0 {
			fmt.Fprintf(&b, "\n### %s: %s\n\n| operation | sched9 | Linux and Go | ratio | goal | |\n|---|---|---|---|---|---|\n", r.Arch, sec.title)
		}
		for _, row := range sec.rows {
			c := row.cells()
			if row.CPUs > 1 {
				c.Op += fmt.Sprintf(", %d vCPUs", row.CPUs)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", c.Op, c.Ours, c.Peers, c.Ratio, c.Goal, c.Verdict)
		}
	}
	if len(ops) > 0 {
		fmt.Fprintf(&b, "\n### %s: Time, as a ratio to Linux's\n\n| operation | 1 vCPU | 2 vCPUs | 4 vCPUs | |\n|---|---|---|---|---|\n", r.Arch)
	}
	for _, op := range ops {
		fmt.Fprintf(&b, "| %s |", op)
		for _, n := range []int{1, 2, 4} {
			c := times[op][n].cells()
			if c.Between != "" {
				c.Ratio += " (" + c.Between + ")"
			}
			fmt.Fprintf(&b, " %s |", c.Ratio)
		}
		fmt.Fprintf(&b, " %s |\n", times[op][4].verdict())
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// facts says what was measured with.
func (r *Report) facts() string {
	s := fmt.Sprintf("%s, QEMU %s, %s", r.Arch, r.QEMU, r.Go)
	if r.Linux != "" {
		s += ", Linux " + r.Linux
	}
	return s
}

// Cells are a row's texts.
type Cells struct {
	Op, Ours, Peers, Ratio, Between, Goal, Verdict string
}

// cells writes r.
func (r Row) cells() Cells {
	ratio := r.Ratio()
	c := Cells{
		Op: r.Op, Ours: quantity(spread(r.Ours).Median, r.Unit), Peers: quantity(spread(r.Peers).Median, r.Unit),
		Ratio: factor(ratio.Median), Goal: r.goalText(), Verdict: r.verdict(),
	}
	if ratio.Least != ratio.Most && ratio.known() {
		c.Between = fmt.Sprintf("%.2f to %.2f", ratio.Least, ratio.Most)
	}
	return c
}

// section is a part of the table: a mode with a number of vCPUs.
type section struct {
	title string
	rows  []Row
}

// sections puts rows together that belong together, in the order in which they came.
func (r *Report) sections() []section {
	type key struct {
		mode string
		cpus int
	}
	var list []section
	at := map[key]int{}
	for _, row := range r.Rows {
		k := key{row.Mode, row.CPUs}
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, section{title: title(row.Mode, row.CPUs)})
		}
		list[i].rows = append(list[i].rows, row)
	}
	return list
}

// title is a section's.
func title(mode string, cpus int) string {
	vcpus := fmt.Sprintf("%d vCPUs", cpus)
	if cpus == 1 {
		vcpus = "1 vCPU"
	}
	switch mode {
	case ICount:
		return "Instructions counted, " + vcpus
	case TCG:
		return "Time, " + vcpus + " in threads of their own"
	}
	return "Size"
}

// goalText says what r is to reach.
func (r Row) goalText() string {
	g := r.Goal()
	switch {
	case g.Most != 0:
		return quantity(g.Most, r.Unit)
	case g.Ratio != 0:
		return "ratio " + factor(g.Ratio)
	}
	return ""
}

// verdict says whether r does.
func (r Row) verdict() string {
	met, known := r.Met()
	switch {
	case !known:
		return ""
	case met:
		return "ok"
	}
	return "missed"
}

// factor writes a ratio; nothing if it is none.
func factor(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// quantity writes a figure with its unit; "-" if there is none.
func quantity(v float64, unit string) string {
	if math.IsNaN(v) {
		return "-"
	}
	scaled := func(steps []string, by float64) string {
		i := 0
		for math.Abs(v) >= by && i < len(steps)-1 {
			v /= by
			i++
		}
		digits := 0
		switch a := math.Abs(v); {
		case a == math.Trunc(a) && i == 0: // whole nanoseconds, bytes
		case a < 10:
			digits = 2
		case a < 100:
			digits = 1
		}
		return strconv.FormatFloat(v, 'f', digits, 64) + " " + steps[i]
	}
	switch unit {
	case "ns":
		return scaled([]string{"ns", "us", "ms", "s"}, 1000)
	case "percent":
		return strconv.FormatFloat(v, 'f', 1, 64) + " %"
	case "bytes":
		return scaled([]string{"B", "KiB", "MiB", "GiB"}, 1024)
	}
	if math.Abs(v) < 10 {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return thousands(strconv.FormatFloat(v, 'f', 0, 64))
}

// thousands puts commas into a number without a fraction.
func thousands(s string) string {
	n := len(s)
	if n <= 3 || n == 4 && s[0] == '-' {
		return s
	}
	return thousands(s[:n-3]) + "," + s[n-3:]
}
