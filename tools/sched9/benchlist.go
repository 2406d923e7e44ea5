package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"sched9/kernel/goruntime"
	"sched9/tools/internal/image"
	"sched9/tools/internal/profile"
	"sched9/tools/internal/progress"
)

// listOp lists the instructions of an operation that run from one call of function from to the next, in order, and counts them by the
// functions whose source they are.
func (b *bencher) listOp(ctx context.Context, img image.Image, symbols profile.Symbols, op, from string, line *progress.Line) error {
	if symbols.Size(from) == 0 {
		return usageError{fmt.Errorf("-listing: the program has no function %q", from)}
	}
	code, err := profile.NewCode(img.Exe, symbols)
	if err != nil {
		return err
	}
	sources, err := goruntime.FindSources(".")
	if err != nil {
		return err
	}
	var s profile.Stretches
	err = b.logOp(ctx, img, op, line, func(log io.Reader, perMark int) (err error) {
		s, err = profile.Split(log, symbols, markFunc, from, perMark)
		return err
	})
	line.Clear()
	if err != nil {
		return err
	}
	printListing(b.out, fmt.Sprintf("%s, from one call of %s to the next", op, from), s, code.At, sourceLines{dir: sources.Dir})
	return nil
}

// rare is below how many instructions a function has no row of its own, if none of them are in the usual stretch.
const rare = 0.5

// printListing prints the usual stretch, a piece for each line of source, and the count.
func printListing(out io.Writer, title string, s profile.Stretches, at func(pc uint64) profile.Instruction, text sourceLines) {
	fmt.Fprintf(out, "%s: %d of %d times as follows (the program's own instructions are not listed)\n\n", title, s.Same, s.Count)
	var last profile.Instruction
	for _, pc := range s.Usual {
		in := at(pc)
		if in.Func != last.Func || in.File != last.File || in.Line != last.Line {
			fmt.Fprintf(out, "%s %s:%d: %s\n", bare(in.Func), path.Base(in.File), in.Line, text.line(in.File, in.Line))
		}
		last = in
		fmt.Fprintf(out, "\t%x\t%s\n", pc, in.Text)
	}
	type count struct {
		usual int
		mean  float64
	}
	counts := map[string]count{}
	total := count{len(s.Usual), 0}
	add := func(pc uint64, usual int, mean float64) {
		name := at(pc).Func
		c := counts[name]
		counts[name] = count{c.usual + usual, c.mean + mean}
		total.mean += mean
	}
	for _, pc := range s.Usual {
		add(pc, 1, 0)
	}
	for _, pc := range slices.Sorted(maps.Keys(s.Mean)) { // in one order, as sums of fractions depend on it
		add(pc, 0, s.Mean[pc])
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b].mean, counts[a].mean), cmp.Compare(a, b))
	})
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "listed\tmean of all\t")
	rest := 0.0
	for _, name := range names {
		if counts[name].usual == 0 && counts[name].mean < rare {
			rest += counts[name].mean
			continue
		}
		fmt.Fprintf(w, "%d\t%.1f\t  %s\n", counts[name].usual, counts[name].mean, bare(name))
	}
	fmt.Fprintf(w, "0\t%.1f\t  others\n", rest)
	fmt.Fprintf(w, "%d\t%.1f\t  all\n", total.usual, total.mean)
	w.Flush()
}

// bare is a function's name without the place where the overlay puts our packages.
func bare(name string) string { return strings.TrimPrefix(name, goruntime.Root) }

// sourceLines reads lines of source. dir is the checkout, "" if there is none.
type sourceLines struct{ dir string }

// line is a line of a file by the name that the compiler knows it by: "" if it cannot be read.
func (s sourceLines) line(file string, n int) string {
	if _, rest, ours := strings.Cut(file, "/"+goruntime.Root); ours {
		file = filepath.Join(s.dir, rest)
	} else if dir, name := path.Split(file); strings.HasSuffix(dir, "/"+goruntime.ArchRoot+"/") {
		file = filepath.Join(s.dir, "arch", name)
	} else if strings.HasPrefix(name, "zsched9_") {
		file = filepath.Join(s.dir, "kernel/goruntime/runtime", name)
	}
	data, err := os.ReadFile(file)
	lines := strings.Split(string(data), "\n")
	if err != nil || n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}
