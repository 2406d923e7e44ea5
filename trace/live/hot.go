package live

import (
	"cmp"
	"fmt"
	"slices"

	"sched9/trace/text"
)

// heat is a goroutine, or those of a kind, and how much it runs.
type heat struct {
	ran     int64 // in the window
	running int64 // ever
	runs    uint64
	g       *goroutine // nil: a kind
	name    string
	alive   int
}

// hottest lists what ran in the window, or ever, what ran most first.
func (p *page) hottest() []heat {
	gs, kinds := p.samples.ran()
	var all []heat
	if p.o.Kinds {
		all = p.hotKinds(kinds)
	} else {
		for id, ran := range gs {
			if g := p.gs[id]; g != nil {
				all = append(all, heat{ran: ran, running: g.running, runs: g.runs, g: g})
			}
		}
	}
	slices.SortFunc(all, func(a, b heat) int {
		c := cmp.Or(cmp.Compare(b.ran, a.ran), cmp.Compare(b.running, a.running), cmp.Compare(a.name, b.name))
		if c == 0 && a.g != nil && b.g != nil {
			c = cmp.Compare(a.g.id, b.g.id)
		}
		return c
	})
	return all
}

// hotKinds gathers the kinds of one name.
func (p *page) hotKinds(ran map[kind]int64) []heat {
	by := map[string]*heat{}
	for k, t := range p.kinds {
		if t.running == 0 {
			continue
		}
		name := p.kindName(k)
		if name == "" {
			name = "unknown"
		}
		h := by[name]
		if h == nil {
			h = &heat{name: name}
			by[name] = h
		}
		h.ran += ran[k]
		h.running += t.running
		h.runs += t.runs
		h.alive += t.alive
	}
	var all []heat
	for _, h := range by {
		all = append(all, *h)
	}
	return all
}

// hot is the table of what runs most. A share of 100% is one CPU.
func (p *page) hot(n int) {
	span := p.samples.span()
	if p.o.Kinds {
		p.add(Title, "   CPU   in all       runs   alive  goroutines of")
	} else {
		p.add(Title, "   CPU   in all       runs  does      goroutine")
	}
	for _, h := range p.hottest()[:n] {
		share := text.Percent(h.ran, span)
		if h.g == nil {
			p.add(Plain, "%6s  %7s  %9s  %6s  %s", share, text.Duration(h.running), text.Count(h.runs), text.Count(h.alive), h.name)
			continue
		}
		s := p.name(h.g)
		if h.g.state == Waiting {
			s += fmt.Sprintf(", %s for %s", p.reason(h.g.reason), text.Duration(p.newest-h.g.since))
		}
		if w := p.where(h.g); w != "" {
			s += ", last at " + w
		}
		p.add(Plain, "%6s  %7s  %9s  %-8v  %s", share, text.Duration(h.running), text.Count(h.runs), h.g.state, s)
	}
}
