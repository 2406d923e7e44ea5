package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sched9/record"
	"sched9/sched"
	"sched9/trace"
	"sched9/trace/text"
)

// Style says what a Line is, for terminals with colours.
type Style uint8

const (
	Plain   Style = iota
	Title         // of a table
	Warning       // needs attention
	Faint         // less than the others
)

// Line is a line of a page.
type Line struct {
	Text  string
	Style Style
}

// Options say what a page looks like.
type Options struct {
	Now           time.Time // host's
	Width, Height int       // 0: as much as there is to say
	Console       []string  // the guest's, the latest last
	Kinds         bool      // goroutines by function
}

// Page makes a page of what is known.
func (m *Model) Page(o Options) []Line {
	p := page{Model: m, o: o}
	p.head()
	for _, w := range m.Warnings(o.Now) {
		p.warn(w)
	}
	p.network()
	rows := p.rows()
	p.machines(rows.ms)
	p.processors(rows.ps)
	p.goroutines()
	p.rates()
	p.world()
	p.hot(rows.hot)
	p.console(rows.console)
	if o.Height > 0 && len(p.lines) > o.Height {
		p.lines = p.lines[:o.Height]
	}
	return p.lines
}

// page is a page that is being made.
type page struct {
	*Model
	o     Options
	lines []Line
}

// add adds a line, cut at the page's width.
func (p *page) add(s Style, format string, args ...any) {
	line := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	if r := []rune(line); p.o.Width > 0 && len(r) > p.o.Width {
		line = string(r[:p.o.Width])
	}
	p.lines = append(p.lines, Line{line, s})
}

// warn adds a warning; one that is too long for a line has a line for each of
// its parts.
func (p *page) warn(w string) {
	if p.o.Width <= 0 || len(w) <= p.o.Width {
		p.add(Warning, "%s", w)
		return
	}
	for i, part := range strings.Split(w, "; ") {
		if i > 0 {
			part = "  " + part
		}
		p.add(Warning, "%s", part)
	}
}

// heights are how many rows each table has.
type heights struct{ ms, ps, hot, console int }

// fixed is how many lines a page has beside its head and the rows of tables:
// four titles, the global queue, goroutines, rates and the world.
const fixed = 8

// leastRows is what the two tables at the end have at least, if there is room.
const leastRows = 3

// rows shares the page's height out.
func (p *page) rows() heights {
	hot := len(p.hottest())
	if p.o.Height <= 0 {
		return heights{p.nms, p.nps, min(hot, 10), min(len(p.o.Console), 10)}
	}
	left := max(0, p.o.Height-len(p.lines)-fixed)
	h := heights{console: min(leastRows, left)}
	h.hot = min(hot, leastRows, left-h.console)
	room := left - h.hot - h.console
	h.ms = min(p.nms, max(room/2, room-p.nps))
	h.ps = min(p.nps, room-h.ms)
	room -= h.ms + h.ps
	more := min(hot-h.hot, (room+1)/2)
	h.hot += more
	h.console += room - more
	return h
}

// head says what runs and how far it is.
func (p *page) head() {
	t := p.t
	if t.SMP == 0 {
		p.add(Title, "nothing has come of the run yet")
		return
	}
	var what []string
	for _, s := range []string{t.Program, t.Version, t.Arch, t.Machine} {
		if s != "" {
			what = append(what, s)
		}
	}
	state := "runs"
	switch {
	case t.Whole && t.Why != "":
		state = fmt.Sprintf("ended with status %d: %s", t.Status, t.Why)
	case t.Whole:
		state = fmt.Sprintf("ended with status %d", t.Status)
	case p.events == 0:
		state = "has told nothing yet"
	}
	lost := "none lost"
	if n := t.TotalLost(); n > 0 {
		lost = text.Count(n) + " LOST"
	}
	first, last := p.samples.ends()
	p.add(Title, "%s, %s  guest %s  %s, %s/s, %s  %s", strings.Join(what, " "), text.Plural(t.SMP, "vCPU"),
		text.Duration(p.newest), text.Plural(int(p.events), "event"), rate(p.samples.perSecond(first.events, last.events)), lost, state)
}

// rate writes so many a second.
func rate(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f < 9.95:
		return fmt.Sprintf("%.1f", f)
	}
	return text.Count(int64(f + .5))
}

// age is a duration of the guest's, which may seem to be before 0 where events
// came late.
func age(ns int64) string { return text.Duration(max(0, ns)) }

// machines is the table of Ms.
func (p *page) machines(n int) {
	p.add(Title, "M    P    does           for  last event       ago    host")
	for i := range p.ms[:min(n, p.nms)] {
		if n < p.nms && i == n-1 {
			p.add(Faint, "and %d Ms more", p.nms-i)
			break
		}
		c := &p.ms[i]
		if !c.booted {
			p.add(Faint, "M%-3d      not started", i)
			continue
		}
		owned := ""
		if c.p >= 0 {
			owned = fmt.Sprintf("P%d", c.p)
		}
		style := Plain
		if c.doing == trace.Halted {
			style = Faint
		}
		p.add(style, "M%-3d %-4s %-10v %7s  %-12v %7s %7s  %s", i, owned, c.doing, age(p.newest-c.since),
			c.last.Kind, age(p.newest-c.last.Time), age(int64(p.o.Now.Sub(c.arrived))), p.busy(c))
	}
}

// busy says what an M is busy with.
func (p *page) busy(c *machine) string {
	if c.doing == trace.Halted && c.until > 0 {
		return "until " + text.Duration(c.until)
	}
	return p.runs(c)
}

// runs says which goroutine runs on c and where, "" if none does.
func (m *Model) runs(c *machine) string {
	g := m.gs[c.G]
	if c.G == 0 || g == nil {
		return ""
	}
	s := m.name(g)
	if g.tied >= 0 {
		s += fmt.Sprintf(" (tied to M%d)", g.tied)
	}
	if g.state == Syscall {
		s += " in a system call"
	}
	switch w := m.where(g); {
	case w == "":
	case g.pc != 0:
		s += " at " + w
	default:
		s += " went on at " + w
	}
	return s
}

// barWidth is how wide the bar of a full ring is.
const barWidth = 32

// bar is a picture of a queue's length.
func bar(n int) string {
	const per = sched.RingSize / barWidth
	return strings.Repeat("█", min((n+per-1)/per, barWidth))
}

// processors is the table of Ps and the global queue.
func (p *page) processors(n int) {
	first, last := p.samples.ends()
	p.add(Title, "P    of      queue  %-*s  dispatches/s", barWidth, "")
	for i := range p.ps[:min(n, p.nps)] {
		if n < p.nps && i == n-1 {
			p.add(Faint, "and %d Ps more", p.nps-i)
			break
		}
		q := &p.ps[i]
		style, of := Plain, ""
		switch {
		case q.owner >= 0:
			of = fmt.Sprintf("M%d", q.owner)
		case q.stopped:
			style, of = Faint, "stopped"
		case q.idle:
			style, of = Faint, "idle"
		}
		var before, after uint64
		if i < len(first.runs) {
			before = first.runs[i]
		}
		if i < len(last.runs) {
			after = last.runs[i]
		}
		p.add(style, "P%-3d %-7s %5d  %-*s  %12s", i, of, q.len(), barWidth, bar(q.len()), rate(p.samples.perSecond(before, after)))
	}
	p.add(Plain, "global       %5d  %s", p.global, bar(p.global))
}

// goroutines counts them by what they do.
func (p *page) goroutines() {
	parts := []string{
		fmt.Sprintf("%s running", text.Count(p.states[Running])),
		fmt.Sprintf("%s runnable", text.Count(p.states[Runnable])),
	}
	for _, s := range []State{Syscall, Unknown} {
		if n := p.states[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %v", text.Count(n), s))
		}
	}
	p.add(Plain, "goroutines: %s, %s dead, %s waiting%s", strings.Join(parts, ", "), text.Count(p.dead), text.Count(p.states[Waiting]), p.waiting())
}

// waiting lists what goroutines wait for, in brackets, the most frequent first.
func (p *page) waiting() string {
	var reasons []uint64
	for r := range p.waits {
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(p.waits[b], p.waits[a]), cmp.Compare(a, b))
	})
	var parts []string
	for i, r := range reasons {
		if i == 4 {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s", p.reason(r), text.Count(p.waits[r])))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// reason is what a goroutine waits for, by its number.
func (p *page) reason(r uint64) string {
	if r == created {
		return "to be let go"
	}
	return p.t.Reason(trace.Event{Arg: r << record.ReasonShift})
}

// rates says how often things happen.
func (p *page) rates() {
	first, last := p.samples.ends()
	var parts []string
	for i, name := range countNames {
		parts = append(parts, fmt.Sprintf("%s %s", name, rate(p.samples.perSecond(first.counts[i], last.counts[i]))))
	}
	p.add(Plain, "a second: %s", strings.Join(parts, ", "))
}

// phases are the collector's.
var phases = [...]string{"off", "marks", "ends its marking"}

// network says what the network has dropped, if it has.
func (p *page) network() {
	var parts []string
	for why, n := range p.drops {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", record.DropNames[why], text.Count(n)))
		}
	}
	if len(parts) > 0 {
		p.add(Warning, "the network has dropped packets: %s", strings.Join(parts, ", "))
	}
}

// world says what the world and the collector do.
func (p *page) world() {
	s := "the world goes on"
	switch {
	case p.stop.held:
		s = fmt.Sprintf("the world stands still: %s, since %s", p.stop.reason, age(p.newest-p.stop.start))
	case p.stop.wanted:
		s = fmt.Sprintf("the world is to stop: %s, since %s", p.stop.reason, age(p.newest-p.stop.start))
	}
	if p.phase < uint64(len(phases)) && p.phase > 0 {
		s += fmt.Sprintf("; the collector %s, since %s", phases[p.phase], age(p.newest-p.since))
	} else {
		s += "; the collector is off"
	}
	p.add(Plain, "%s", s)
}

// console is the end of the guest's console.
func (p *page) console(n int) {
	p.add(Title, "console")
	lines := p.o.Console
	for _, l := range lines[max(0, len(lines)-n):] {
		p.add(Plain, "%s", l)
	}
}
