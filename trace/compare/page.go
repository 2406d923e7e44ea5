package compare

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"sched9/trace"
	"sched9/trace/svg"
	"sched9/trace/text"
)

// Sizes of the page's pictures, in its own units.
const (
	width   = 1200 // of a timeline, and how many moments it shows
	lane    = 18   // height of a P's
	chart   = 260  // height of the curves
	decades = 7    // of the curves: from 1 us to 10 s
)

// shades tell goroutines of one kind apart.
var shades = []float64{1, 0.7, 0.45}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// shown is what the page's template gets.
type shown struct {
	Title, Table string
	Width        int
	Kinds        []key
	Lines        []timeline
	Curves       []curve
	Grid         []tick
	Chart        int
}

// key says what a colour stands for.
type key struct{ Name, Colour string }

// timeline is a run's picture: a lane for each P.
type timeline struct {
	Label, Remark, Length string
	Height                int
	Boxes                 []box
	End                   float64
}

// box is a stretch in which a P ran a goroutine.
type box struct {
	X, Y, W, H int
	Colour     string
	Shade      float64
	Name       string
}

// curve is a run's distribution of waits.
type curve struct{ Label, Colour, Points string }

// tick is a line of the curves' scale.
type tick struct {
	X    float64
	Text string
}

// Page writes a page in HTML: the table, the runs' timelines one above the other on one scale of time, and how long goroutines waited.
func Page(w io.Writer, program string, runs []Run) error {
	var table strings.Builder
	if err := Table(&table, runs, math.MaxInt); err != nil {
		return err
	}
	s := shown{Title: program, Table: table.String(), Width: width, Chart: chart}
	long := int64(1)
	var names []string
	for _, r := range runs {
		long = max(long, r.Time)
		for _, k := range r.Kinds {
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	paint := map[string]string{}
	for i, name := range names {
		paint[name] = svg.Colours[min(i, len(svg.Colours)-1)]
		if i < len(svg.Colours) {
			s.Kinds = append(s.Kinds, key{short(name), paint[name]})
		}
	}
	if len(names) > len(svg.Colours) {
		s.Kinds[len(svg.Colours)-1].Name = "others"
	}
	for i, r := range runs {
		s.Lines = append(s.Lines, timeline{
			Label: r.Label, Remark: r.remark(), Length: text.Duration(r.Time), Height: lane * r.view.Trace.SMP,
			Boxes: boxes(r.view, long, paint), End: width * float64(r.Time) / float64(long),
		})
		s.Curves = append(s.Curves, curve{r.Label, svg.Colours[i%len(svg.Colours)], points(r.waits)})
	}
	for d := range decades + 1 {
		s.Grid = append(s.Grid, tick{width * float64(d) / decades, text.Duration(int64(1000 * math.Pow10(d)))})
	}
	return page.Execute(w, s)
}

// boxes are the boxes of a timeline on which long nanoseconds are as wide as it is. Of each moment it shows the goroutine that ran longest.
func boxes(v *trace.View, long int64, paint map[string]string) (all []box) {
	moment := max(1, (long+width-1)/width)
	alike := map[string]int{} // goroutines of a kind so far
	shade := map[*trace.Goroutine]float64{}
	for _, g := range v.Gs {
		shade[g] = shades[alike[g.Kind()]%len(shades)]
		alike[g.Kind()]++
	}
	for p := range v.Trace.SMP {
		ran := make([]map[*trace.Goroutine]int64, width)
		for _, r := range v.Runs {
			g := v.G(r.G)
			if r.P != p || g == nil || g.System {
				continue
			}
			for at := r.Start - v.Start; at < r.End-v.Start; {
				n := at / moment
				end := min((n+1)*moment, r.End-v.Start)
				if ran[n] == nil {
					ran[n] = map[*trace.Goroutine]int64{}
				}
				ran[n][g] += end - at
				at = end
			}
		}
		var last *trace.Goroutine
		for x, m := range ran {
			g := most(m)
			if g != nil && g == last {
				all[len(all)-1].W++
			} else if g != nil {
				all = append(all, box{x, p * lane, 1, lane - 3, paint[cmp.Or(g.Kind(), "?")], shade[g], g.Name()})
			}
			last = g
		}
	}
	return all
}

// most is the goroutine that ran longest, the one made first of several; nil if there is none.
func most(ran map[*trace.Goroutine]int64) (best *trace.Goroutine) {
	for g, n := range ran {
		if best == nil || n > ran[best] || n == ran[best] && g.ID < best.ID {
			best = g
		}
	}
	return best
}

// points are the points of a curve: for each length of a wait, which share of all waits was longer, both on scales of powers of ten.
func points(waits []int64) string {
	var b strings.Builder
	n := len(waits)
	y := func(share float64) float64 { return min(chart, -chart/4*math.Log10(max(share, 1e-4))) }
	last := -1.0
	for i, d := range waits {
		x := max(0, min(width, width*1.0/decades*math.Log10(max(float64(d), 1)/1000)))
		if i > 0 && i < n-1 && x-last < 1 {
			continue
		}
		last = x
		fmt.Fprintf(&b, "%.1f,%.1f %.1f,%.1f ", x, y(float64(n-i)/float64(n)), x, y(float64(n-i-1)/float64(n)))
	}
	return strings.TrimSpace(b.String())
}
