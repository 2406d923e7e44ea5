package text

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sched9/record"
	"sched9/trace"
)

// Events writes the events of t that happened from from on and before to, in
// nanoseconds, a line for each:
//
//	12.345678ms M1 P1 G17 main.worker Start stolen, ring index 517
//
// with columns. The M's P is missing where it has none.
func Events(w io.Writer, t *trace.Trace, from, to int64) error {
	d := describer{t: t, kinds: map[uint64]string{}, objects: map[uint64]int{}, running: map[int16]uint64{}}
	width := 0
	for _, e := range t.Events { // later events name the Gs of earlier ones
		if e.Kind == record.EvCreate {
			d.create(e)
		}
	}
	for _, e := range t.Events {
		if e.Time >= from && e.Time < to {
			width = max(width, utf8.RuneCountInString(d.name(e.G)))
		}
	}
	out := bufio.NewWriter(w)
	for _, e := range t.Events {
		if e.Time >= to {
			break
		}
		words := d.words(e)
		if e.Time >= from {
			p := ""
			if e.P >= 0 {
				p = fmt.Sprintf("P%d", e.P)
			}
			line := fmt.Sprintf("%15s  M%-2d  %-3s  %-*s  %-12v  %s", stamp(e.Time), e.M, p, width, d.name(e.G), e.Kind, words)
			fmt.Fprintln(out, strings.TrimRight(line, " "))
		}
	}
	return out.Flush()
}

// stamp writes a time to the nanosecond.
func stamp(ns int64) string {
	if ns < 0 {
		return "-" + stamp(-ns)
	}
	return fmt.Sprintf("%d.%06dms", ns/1e6, ns%1e6)
}

// describer makes words of events. It is given all of a trace, in order: what an
// event means may depend on those before it.
type describer struct {
	t       *trace.Trace
	kinds   map[uint64]string // of goroutines
	objects map[uint64]int    // numbers of what goroutines wait for, by address
	running map[int16]uint64  // by M
	by      uint64            // whose doing the event is that words are made of
}

// create notes the kind of the goroutine that e makes.
func (d *describer) create(e trace.Event) {
	d.kinds[e.G] = trace.Kind(d.t.Entry(e.Entry()), d.t.Site(e.Stack))
}

// name is "main.worker G17", or "" for no goroutine.
func (d *describer) name(g uint64) string {
	if g == 0 {
		return ""
	}
	return trace.Name(d.kinds[g], g)
}

// words are what e's arguments say.
func (d *describer) words(e trace.Event) string {
	d.by = d.running[e.M]
	switch e.Kind {
	case record.EvStart:
		d.running[e.M] = e.G
	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit:
		d.running[e.M] = 0
	}
	if e.Kind >= record.NumEvents {
		return ""
	}
	return lines[e.Kind].fill(d, e)
}

// at is the code that e struck.
func (d *describer) at(e trace.Event) string {
	if e.Aux == 0 {
		return ""
	}
	return "at " + Innermost(d.t.At(e.Aux))
}

// site is where a goroutine left its code.
func (d *describer) site(e trace.Event) string {
	s := Site(d.t, e.Stack)
	if s == "" {
		return ""
	}
	return "at " + s
}

// object gives what a goroutine waits for a number: addresses tell nothing but
// which are the same.
func (d *describer) object(e trace.Event) string {
	addr := e.Object()
	if addr == 0 {
		return ""
	}
	n, ok := d.objects[addr]
	if !ok {
		n = len(d.objects) + 1
		d.objects[addr] = n
	}
	return fmt.Sprintf("object %d", n)
}
