package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"text/tabwriter"
	"time"

	"sched9/record"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/trace"
)

// costs boots ./scenarios/cost with its instructions counted: without the
// recorder, with it off, and with it on; and prints what each makes of an
// operation.
func (b *bencher) costs(ctx context.Context, note func(string)) error {
	src, _, err := image.Find([]string{"./scenarios/cost"})
	if err != nil {
		return err
	}
	opt := image.Options{Arch: b.arch, Note: note, Stderr: b.err}
	with, err := image.Build(ctx, src, opt)
	if err != nil {
		return err
	}
	opt.NoRecorder = true
	without, err := image.Build(ctx, src, opt)
	if err != nil {
		return err
	}
	var table [4]map[string]float64
	var total [4]float64
	var names []string
	var rec bytes.Buffer
	for i, c := range []struct {
		img    image.Image
		record io.Writer
		depth  int
	}{
		{without, nil, 0},
		{with, nil, 0},
		{with, io.Discard, 0},
		{with, &rec, record.MaxStack},
	} {
		note("counting instructions")
		g := guest.Guest{
			Name: c.img.Name, Image: c.img.Data, Arch: b.arch, SMP: 1, Mem: "512M",
			Accel: "tcg", ICount: true, Timeout: 3 * time.Minute, Record: c.record, Depth: c.depth,
		}
		if table[i], names, total[i], err = cost(ctx, g); err != nil {
			return err
		}
	}
	t, err := trace.Read(&rec)
	if err != nil {
		return err
	}
	fmt.Fprintln(b.out, "instructions per operation (icount, 1 vCPU):")
	w := tabwriter.NewWriter(b.out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tno recorder\toff\ton\ton, with stacks\t")
	for _, n := range names {
		fmt.Fprintf(w, "%s\t", n)
		for _, c := range table {
			fmt.Fprintf(w, "%.0f\t", c[n])
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	n := float64(len(t.Events))
	fmt.Fprintf(b.out, "%d events recorded, for %.0f instructions each, %.0f with stacks of up to %d callers\n",
		len(t.Events), (total[2]-total[1])/n, (total[3]-total[1])/n, record.MaxStack)
	return nil
}

// costLine is what the program prints of an operation.
var costLine = regexp.MustCompile(`(?m)^cost: ([a-z]+) ([0-9]+)\r?$`)

// cost boots g and returns the costs that it prints, their names in order, and
// how many instructions all of it took.
func cost(ctx context.Context, g guest.Guest) (map[string]float64, []string, float64, error) {
	var out bytes.Buffer
	g.Stdout = &out
	o, err := guest.Run(ctx, g)
	switch {
	case err != nil:
		return nil, nil, 0, err
	case o.Status != 0:
		return nil, nil, 0, fmt.Errorf("the program ended with status %d: %s", o.Status, o.Why)
	case o.Record != nil:
		return nil, nil, 0, o.Record
	}
	costs := map[string]float64{}
	var names []string
	for _, m := range costLine.FindAllStringSubmatch(out.String(), -1) {
		v, _ := strconv.ParseFloat(m[2], 64) // digits
		costs[m[1]] = v
		names = append(names, m[1])
	}
	if len(names) == 0 {
		return nil, nil, 0, errors.New("the program printed no costs")
	}
	return costs, names, float64(o.Report.Counters["nanoseconds"]), nil
}
