// Package svg draws a stretch of a recording as a picture for a text: who ran where, who waited, and what happened when. The same
// recording gives the same bytes.
package svg

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/text"
)

// Colours are distinct also to people who see no red or green (Okabe and Ito 2008).
var Colours = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#666666"}

// Lanes say what the rows of a picture are.
type Lanes string

const (
	Ps Lanes = "P" // what each P runs, and how many goroutines wait in its queue
	Ms Lanes = "M" // what each processor does
	Gs Lanes = "G" // each goroutine's life
)

// Picture is what is drawn.
type Picture struct {
	Lanes    Lanes
	From, To int64          // of the guest's clock, as in events
	Marks    []record.Event // events to be marked where they happen
	Kinds    []string       // of goroutines: with Gs those that have a row, all if there is none
}

// Sizes, in units of the picture, which is as wide as the text.
const (
	width  = 960
	left   = 110 // of it, for the rows' names
	box    = 22  // height of a row's boxes
	queue  = 20  // and of the curve below them
	gap    = 8
	letter = 6.2  // about the width of a letter
	most   = 4000 // boxes and marks: what nobody can tell apart any more
)

// canvas is a picture in the making.
type canvas struct {
	Picture
	*trace.View
	b     bytes.Buffer
	drawn int
	shade map[string]string // colours by kind
	y     int               // where the next row begins
	rows  map[int]int       // where those of Ps, Ms or, by number, goroutines are
}

// Draw writes the picture. It fails if there is nothing to be seen, or more than can be seen.
func Draw(w io.Writer, v *trace.View, p Picture) error {
	if p.To <= p.From {
		return fmt.Errorf("no stretch of time: %s to %s", text.Duration(p.From), text.Duration(p.To))
	}
	c := &canvas{Picture: p, View: v, shade: map[string]string{}, rows: map[int]int{}, y: gap}
	switch p.Lanes {
	case Ps:
		c.ps()
	case Ms:
		c.ms()
	case Gs:
		c.gs()
	default:
		return fmt.Errorf("lanes are of P, M or G, not of %q", p.Lanes)
	}
	if c.drawn == 0 {
		return fmt.Errorf("nothing ran from %s to %s", text.Duration(p.From), text.Duration(p.To))
	}
	bottom := c.y
	c.wakes()
	c.marks()
	c.axis(bottom)
	c.key()
	if c.drawn > most {
		return fmt.Errorf("%d boxes and marks from %s to %s: take less time", c.drawn, text.Duration(p.From), text.Duration(p.To))
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="11" fill="#222">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
<rect width="%d" height="%d" fill="#fff"/>
%s</svg>
`, width, c.y, width, c.y, c.b.String())
	return err
}

// x is where a time is.
func (c *canvas) x(at int64) float64 {
	at = min(max(at, c.From), c.To)
	return left + float64(at-c.From)/float64(c.To-c.From)*(width-left-gap)
}

// seen reports whether a stretch is in the picture.
func (c *canvas) seen(from, to int64) bool { return from < c.To && to > c.From }

// row begins a row.
func (c *canvas) row(of int, name string, height int) int {
	y := c.y
	c.rows[of] = y
	c.y += height + gap
	fmt.Fprintf(&c.b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect x="%d" y="%d" width="%d" height="%d" fill="#f4f4f4"/>`+"\n",
		left-gap, y+15, html.EscapeString(name), left, y, width-left-gap, box)
	return y
}

// rect draws a stretch of a row: thin ones are low.
func (c *canvas) rect(y int, from, to int64, height int, colour, label, title string) {
	if !c.seen(from, to) {
		return
	}
	c.drawn++
	x, end := c.x(from), c.x(to)
	w := max(end-x, 0.6)
	edge := ""
	if w > 4 {
		edge = ` stroke="#fff"`
	}
	fmt.Fprintf(&c.b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"%s><title>%s</title></rect>`, x, y+box-height, w, height, colour, edge, html.EscapeString(title))
	if label != "" && height >= 11 && w > letter*float64(len(label))+6 {
		fmt.Fprintf(&c.b, `<text x="%.1f" y="%d" fill="%s">%s</text>`, x+4, y+box-height/2+4, ink(colour), html.EscapeString(label))
	}
	c.b.WriteByte('\n')
}

// ink is a colour that can be read on another.
func ink(on string) string {
	if slices.Contains([]string{"#e69f00", "#56b4e9", "#f0e442", ready, sleep}, on) {
		return "#222"
	}
	return "#fff"
}

// The colours of what is no goroutine's run.
const (
	waits = "#bbb"
	owned = "#bbb"
	ready = "#f0b8a0"
	looks = "#e69f00"
	works = "#8a8a8a"
	calls = "#cc79a7"
	sleep = "#dfe6ec"
	runs  = "#0072b2"
)

// colour is a goroutine's: one for those of a kind. The runtime's own are grey.
func (c *canvas) colour(g *trace.Goroutine) string {
	if g.System {
		return works
	}
	kind := g.Kind()
	if c.shade[kind] == "" {
		c.shade[kind] = Colours[len(c.shade)%(len(Colours)-1)]
	}
	return c.shade[kind]
}

// name is short: the kind's last word, and the number.
func name(g *trace.Goroutine) string {
	kind := g.Kind()
	return trace.Name(strings.TrimPrefix(kind[strings.LastIndexAny(kind, "/ ")+1:], "main."), g.ID)
}

// ps draws a row for each P, and its queue.
func (c *canvas) ps() {
	longest := 1
	for _, q := range c.Queues {
		if q.At >= c.From && q.At < c.To {
			longest = max(longest, q.Len)
		}
	}
	for p := range c.Trace.SMP {
		y := c.row(p, fmt.Sprintf("P%d", p), box+queue)
		for _, s := range c.PSpans {
			if s.Of == p && c.seen(s.Start, s.End) {
				c.rect(y, s.Start, s.End, 4, owned, "", fmt.Sprintf("owned by M%d", s.Also))
			}
		}
		for _, r := range c.Runs {
			if g := c.G(r.G); r.P == p && g != nil {
				c.rect(y, r.Start, r.End, box, c.colour(g), name(g), g.Name()+" on M"+fmt.Sprint(r.M))
			}
		}
		c.length(p, y+box+queue, longest)
	}
	if slices.ContainsFunc(c.Queues, func(q trace.Queue) bool { return q.P < 0 && q.Len > 0 && q.At >= c.From && q.At < c.To }) {
		fmt.Fprintf(&c.b, `<text x="%d" y="%d" text-anchor="end">global</text>`+"\n", left-gap, c.y+10)
		c.y += box + gap
		c.length(-1, c.y-gap, longest)
	}
}

// length draws the length of a P's queue, or of the global one (-1), on a scale that all share.
func (c *canvas) length(p, bottom, longest int) {
	var path strings.Builder
	n, high := 0, 0
	y := func(n int) float64 { return float64(bottom) - float64(n)/float64(longest)*(queue-5) }
	for _, q := range c.Queues {
		if q.P != p || q.At >= c.To {
			continue
		}
		if q.At > c.From {
			if path.Len() == 0 {
				fmt.Fprintf(&path, "M%d %.1f", left, y(n))
				high = n
			}
			fmt.Fprintf(&path, "H%.1fV%.1f", c.x(q.At), y(q.Len))
			c.drawn++
			high = max(high, q.Len)
		}
		n = q.Len
	}
	if path.Len() == 0 {
		fmt.Fprintf(&path, "M%d %.1f", left, y(n))
		high = n
	}
	fmt.Fprintf(&path, "H%d", width-gap)
	fmt.Fprintf(&c.b, `<path d="%s" fill="none" stroke="#444"/><text x="%d" y="%d" text-anchor="end" fill="#666" font-size="9">queue, up to %d</text>`+"\n", path.String(), left-gap, bottom-2, high)
}

// ms draws a row for each processor.
func (c *canvas) ms() {
	for m := range c.Trace.SMP {
		y := c.row(m, fmt.Sprintf("M%d", m), box)
		for _, s := range c.MSpans {
			if s.Of != m {
				continue
			}
			colour, height, label := sleep, box, s.Doing.String()
			switch s.Doing {
			case trace.Scheduling:
				colour, height, label = works, 12, "scheduler"
			case trace.Running:
				continue
			case trace.Spinning:
				colour, height = looks, 17
			case trace.Calling:
				colour = calls
			}
			c.rect(y, s.Start, s.End, height, colour, label, s.Doing.String())
		}
		for _, r := range c.Runs {
			if g := c.G(r.G); r.M == m && g != nil {
				c.rect(y, r.Start, r.End, box, runs, name(g), fmt.Sprintf("%s with P%d", g.Name(), r.P))
			}
		}
	}
}

// gs draws a row for each goroutine: it waits, is ready, runs.
func (c *canvas) gs() {
	for _, g := range c.Gs {
		end := g.Ended
		if end < 0 {
			end = c.End
		}
		if !c.seen(g.Made, end) || g.System || len(c.Kinds) > 0 && !slices.Contains(c.Kinds, g.Kind()) {
			continue
		}
		y := c.row(int(g.ID), name(g), box)
		c.rect(y, g.Made, end, 4, waits, "", g.Name())
		for _, i := range g.Runs {
			r := c.Runs[i]
			c.rect(y, r.Ready, r.Start, 12, ready, "ready", "ready for "+text.Duration(r.Start-r.Ready))
			c.rect(y, r.Start, r.End, box, runs, fmt.Sprintf("P%d", r.P), fmt.Sprintf("on M%d with P%d, for %s", r.M, r.P, text.Duration(r.End-r.Start)))
		}
		if g.Ended < 0 && g.State == trace.Readies {
			c.rect(y, g.Since, c.End, 12, ready, "ready", "ready for "+text.Duration(c.End-g.Since))
		}
	}
}

// wakes draws an arrow from where a goroutine became ready to where it ran, if that is another row.
func (c *canvas) wakes() {
	for _, w := range c.Wakes {
		if w.Run < 0 || w.At < c.From || w.Start > c.To || c.Lanes == Gs && w.By == 0 {
			continue
		}
		r := c.Runs[w.Run]
		from, to := w.M, r.M
		switch c.Lanes {
		case Ps:
			from, to = c.owned(w.M, w.At), r.P
		case Gs:
			from, to = int(w.By), int(w.G)
		}
		y1, ok1 := c.rows[from]
		y2, ok2 := c.rows[to]
		if g := c.G(w.G); from == to || !ok1 || !ok2 || g == nil || g.System {
			continue
		}
		c.drawn++
		end := r.Start
		if c.Lanes == Gs {
			end = w.At // the ready stretch begins there
		}
		down := 1
		if y2 < y1 {
			down = -1
		}
		edge := func(y, side int) int { return y + box/2 + side*box/2 }
		fmt.Fprintf(&c.b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#222" stroke-width="0.8" marker-end="url(#tip)"/>`+"\n", c.x(w.At), edge(y1, down), c.x(end), edge(y2, -down))
	}
}

// owned is the P of an M, -1 if it has none.
func (c *canvas) owned(m int, at int64) int {
	for _, s := range c.PSpans {
		if s.Also == m && s.Start <= at && at <= s.End {
			return s.Of
		}
	}
	return -1
}

// marks draws the events that are to be seen.
func (c *canvas) marks() {
	if len(c.Picture.Marks) == 0 {
		return
	}
	ends := map[int]float64{} // of the last label in each row
	for _, e := range c.Trace.Events {
		if e.Time < c.From || e.Time >= c.To || !slices.Contains(c.Picture.Marks, e.Kind) {
			continue
		}
		row := int(e.M)
		switch c.Lanes {
		case Ps:
			row = c.owned(int(e.M), e.Time)
		case Gs:
			row = int(e.G)
		}
		y, ok := c.rows[row]
		if !ok {
			continue
		}
		c.drawn++
		x, label := c.x(e.Time), record.Names[e.Kind]
		fmt.Fprintf(&c.b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#d00" stroke-width="1.5"/>`, x, y-3, x, y+box)
		if wide := letter * float64(len(label)); x >= ends[row] && x+wide < width {
			fmt.Fprintf(&c.b, `<text x="%.1f" y="%d" fill="#d00" font-size="9">%s</text>`, x+2, y, label)
			ends[row] = x + wide
		}
		c.b.WriteByte('\n')
	}
}

// axis draws the scale of time, counted from the picture's beginning.
func (c *canvas) axis(y int) {
	step := int64(math.Pow10(int(math.Log10(float64(c.To - c.From)))))
	switch n := (c.To - c.From) / step; {
	case n < 2:
		step = max(step/5, 1)
	case n < 5:
		step = max(step/2, 1)
	}
	for at := int64(0); at < c.To-c.From; at += step {
		x := c.x(c.From + at)
		label := text.Duration(at)
		if at == 0 {
			label = "at " + text.Duration(c.From)
		}
		fmt.Fprintf(&c.b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#222" stroke-opacity="0.15"/><text x="%.1f" y="%d" fill="#666" font-size="9">%s</text>`+"\n", x, x, gap, y, x, y+9, label)
	}
	c.y = y + 16
}

// key says what colours mean.
func (c *canvas) key() {
	var words [][2]string
	switch c.Lanes {
	case Ps:
		for kind, colour := range c.shade {
			words = append(words, [2]string{colour, cmp.Or(kind, "unknown")})
		}
		slices.SortFunc(words, func(a, b [2]string) int { return cmp.Compare(a[1], b[1]) })
		words = append(words, [2]string{works, "the runtime's own"}, [2]string{owned, "owned by an M"})
	case Ms:
		words = [][2]string{{runs, "runs a goroutine"}, {works, "in the scheduler"}, {looks, "spins: looks for work"}, {calls, "in a system call, without a P"}, {sleep, "halted"}}
	case Gs:
		words = [][2]string{{runs, "runs"}, {ready, "ready: could run"}, {waits, "waits"}}
	}
	x := float64(left)
	for _, w := range words {
		wide := letter*float64(len(w[1])) + 24
		if x+wide > width && x > left {
			x = left
			c.y += 16
		}
		fmt.Fprintf(&c.b, `<rect x="%.1f" y="%d" width="10" height="10" fill="%s"/><text x="%.1f" y="%d">%s</text>`+"\n", x, c.y+2, w[0], x+14, c.y+11, html.EscapeString(w[1]))
		x += wide
	}
	c.y += 20
}
