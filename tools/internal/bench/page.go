package bench

import (
	"bytes"
	_ "embed"
	"html/template"
	"slices"
)

// pageText is the page's template.
//
//go:embed page.html
var pageText string

// pageTemplate makes the page. It needs nothing from anywhere else.
var pageTemplate = template.Must(template.New("page").Parse(pageText))

// wide is how many units of the plot its longest bar takes.
const wide = 990

// bar is one of the two of a row.
type bar struct {
	Class   string
	Y, DotY int
	Width   float64
	Dots    []float64
}

// line is a row of the page.
type line struct {
	Cells
	Bars   []bar
	GoalAt float64 // 0: there is none
}

// Page makes a page of r, a file of HTML that stands alone.
func (r *Report) Page() ([]byte, error) {
	type part struct {
		Title string
		Rows  []line
	}
	var data struct {
		Facts    string
		Sections []part
	}
	data.Facts = r.facts() + ", " + r.When
	for _, s := range r.sections() {
		p := part{Title: s.title}
		for _, row := range s.rows {
			p.Rows = append(p.Rows, row.line())
		}
		data.Sections = append(data.Sections, p)
	}
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, data)
	return out.Bytes(), err
}

// line plots r. The longest of all its figures fills the plot; a goal beyond that is not shown.
func (r Row) line() line {
	l := line{Cells: r.cells()}
	all := append(slices.Clone(r.Ours), r.Peers...)
	if len(all) == 0 {
		return l
	}
	most := slices.Max(all)
	if most <= 0 {
		return l
	}
	at := func(v float64) float64 { return max(v, 0) / most * wide }
	for _, side := range []struct {
		class   string
		y, dotY int
		values  []float64
	}{{"ours", 3, 6, r.Ours}, {"peer", 16, 19, r.Peers}} {
		if len(side.values) == 0 {
			continue
		}
		b := bar{Class: side.class, Y: side.y, DotY: side.dotY, Width: at(spread(side.values).Median)}
		if len(side.values) > 1 {
			for _, v := range side.values {
				b.Dots = append(b.Dots, at(v))
			}
		}
		l.Bars = append(l.Bars, b)
	}
	goal := r.Goal()
	if goal.Ratio != 0 && len(r.Peers) > 0 {
		goal.Most = goal.Ratio * spread(r.Peers).Median
	}
	if goal.Most <= most {
		l.GoalAt = at(goal.Most)
	}
	return l
}
