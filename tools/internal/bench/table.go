package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
)

// Table prints r for people.
func (r *Report) Table(out io.Writer) error {
	fmt.Fprintf(out, "%s, QEMU %s, %s", r.Arch, r.QEMU, r.Go)
	if r.Linux != "" {
		fmt.Fprintf(out, ", Linux %s", r.Linux)
	}
	fmt.Fprintln(out)
	for _, sec := range r.sections() {
		fmt.Fprintf(out, "\n%s\n", sec.title)
		w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "operation\tsched9\tLinux and Go\tratio\tbetween\tgoal\t\t")
		for _, row := range sec.rows {
			ours, peers, ratio := spread(row.Ours), spread(row.Peers), row.Ratio()
			between := ""
			if len(row.Ours) > 1 && len(row.Peers) > 1 && ratio.Least != ratio.Most {
				between = fmt.Sprintf("%.2f to %.2f", ratio.Least, ratio.Most)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", row.Op, quantity(ours.Median, row.Unit),
				quantity(peers.Median, row.Unit), factor(ratio.Median), between, row.goalText(), row.verdict())
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
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
		if math.Abs(v) < 100 && i > 0 {
			digits = 1
			if math.Abs(v) < 10 {
				digits = 2
			}
		}
		return strconv.FormatFloat(v, 'f', digits, 64) + " " + steps[i]
	}
	switch unit {
	case "ns":
		return scaled([]string{"ns", "us", "ms", "s"}, 1000)
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
