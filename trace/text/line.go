package text

import (
	"fmt"
	"strings"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/events"
)

// word makes what stands in a line for a word in braces.
type word func(d *describer, e trace.Event) string

// line is a Line of events.Table, taken apart: parts between commas, each of texts and words by turns.
type line [][]piece

type piece struct {
	text string
	word word // comes after text; nil: nothing does
}

// lines are those of all events, looks of the steps of a search.
var (
	lines [record.NumEvents]line
	looks [len(events.Looks)]line
)

// parse takes a Line apart. It panics if that has a word that there is not: no test of this package would pass.
func parse(s string) (l line) {
	if s == "" {
		return nil
	}
	for part := range strings.SplitSeq(s, ", ") {
		var ps []piece
		for more := true; more; {
			var p piece
			if p.text, part, more = strings.Cut(part, "{"); more {
				var name string
				if name, part, _ = strings.Cut(part, "}"); words[name] == nil {
					panic("events.Table: what is {" + name + "}?")
				}
				p.word = words[name]
			}
			ps = append(ps, p)
		}
		l = append(l, ps)
	}
	return l
}

// fill is what l says of e, without the parts that come to nothing.
func (l line) fill(d *describer, e trace.Event) string {
	var all []string
	for _, part := range l {
		s := ""
		for _, p := range part {
			s += p.text
			if p.word != nil {
				s += p.word(d, e)
			}
		}
		all = append(all, s)
	}
	return join(all...)
}

// join joins what is not empty with commas.
func join(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, ", ")
}

// words are those that lines may have in braces.
var words map[string]word

func init() {
	p := func(of func(trace.Event) int) word {
		return func(_ *describer, e trace.Event) string { return fmt.Sprintf("P%d", of(e)) }
	}
	m := func(of func(trace.Event) int) word {
		return func(_ *describer, e trace.Event) string { return fmt.Sprintf("M%d", of(e)) }
	}
	n := func(of func(trace.Event) int) word {
		return func(_ *describer, e trace.Event) string { return fmt.Sprint(of(e)) }
	}
	when := func(text string, is func(trace.Event) bool) word {
		return func(_ *describer, e trace.Event) string {
			if is(e) {
				return text
			}
			return ""
		}
	}
	words = map[string]word{
		"number": n(trace.Event.Number), "count": n(trace.Event.Count), "low": n(trace.Event.Low),
		"toM": m(trace.Event.Number), "takenM": m(trace.Event.From), "takenP": p(trace.Event.Taken), "argP": p(trace.Event.Number),
		"auxP":     p(func(e trace.Event) int { return int(e.Aux &^ record.WakeSpinning) }),
		"parked":   when("waits at first", func(e trace.Event) bool { return e.Arg&record.CreateParked != 0 }),
		"inherit":  when("goes on in the slice", trace.Event.Inherit),
		"lost":     when("its P was taken", func(e trace.Event) bool { return e.P < 0 }),
		"spinning": when("to spin", func(e trace.Event) bool { return e.Aux&record.WakeSpinning != 0 }),
		"parks":    when("until a goroutine of its own is found", func(e trace.Event) bool { return e.Arg == record.ParkLocked }),
		"by": func(d *describer, _ trace.Event) string {
			if d.by == 0 {
				return ""
			}
			return "by " + d.name(d.by)
		},
		"at": (*describer).at, "site": (*describer).site, "object": (*describer).object,
		"reason": func(d *describer, e trace.Event) string { return d.t.Reason(e) },
		"stop":   func(d *describer, e trace.Event) string { return d.t.StopReason(e) },
		"place":  func(_ *describer, e trace.Event) string { return Place(e.Place()) },
		"from":   func(_ *describer, e trace.Event) string { return status(uint64(e.Low())) },
		"to":     func(_ *describer, e trace.Event) string { return status(e.Arg >> record.StatusShift) },
		"policy": func(_ *describer, e trace.Event) string { return e.Policy() },
		"phase":  func(_ *describer, e trace.Event) string { return pick(phases[:], e.Arg) },
		"ipi":    func(_ *describer, e trace.Event) string { return events.IPI(e.Aux) },
		"drop":   func(_ *describer, e trace.Event) string { return events.Drop(e.Aux) },
		"times":  func(_ *describer, e trace.Event) string { return times(e.Number()) },
		"span":   func(_ *describer, e trace.Event) string { return Duration(int64(e.Arg)) },
		"pass":   func(_ *describer, e trace.Event) string { return fmt.Sprint(e.Arg>>record.TryShift + 1) },
		"untied": func(_ *describer, e trace.Event) string {
			if e.Arg == 0 {
				return "tied no more"
			}
			return "still tied " + times(e.Number())
		},
		"more": func(_ *describer, e trace.Event) string {
			if e.Count() < 2 {
				return "alone"
			}
			return fmt.Sprintf("and %d more, to ring index %d on", e.Count()-1, e.Low())
		},
		"moved": func(_ *describer, e trace.Event) string {
			to := e.Arg >> record.CountShift
			if e.G != 0 {
				return fmt.Sprintf("runnext of P%d, to ring index %d", e.Victim(), to)
			}
			return fmt.Sprintf("%d of P%d, its ring index %d on, to ring index %d on", e.Count(), e.Victim(), e.Low(), to)
		},
		"sysmon": func(_ *describer, e trace.Event) string {
			if e.Arg == record.SysmonBehind {
				return ", while it runs: a tick saw what is queued behind a system call"
			}
			return ": looks at the Ps of Ms in system calls"
		},
		"told": func(_ *describer, e trace.Event) string {
			if e.Arg == 0 {
				return "devices have nothing to tell"
			}
			return Plural(e.Number(), "goroutine") + " waited for devices"
		},
		"moment": func(_ *describer, e trace.Event) string {
			if e.Arg == 0 && e.Kind != record.EvSetTimer {
				return "it is interrupted"
			}
			return stamp(int64(e.Arg))
		},
		"look": func(d *describer, e trace.Event) string {
			l := e.Arg & (1<<record.TryShift - 1)
			if l == 0 || l >= uint64(len(looks)) {
				return fmt.Sprintf("step %d", l)
			}
			return looks[l].fill(d, e)
		},
		"tick": func(_ *describer, e trace.Event) string {
			switch {
			case e.Arg&record.TickCall != 0:
				return "in a system call"
			case e.Arg&record.TickSlice != 0:
				return "the slice is used up"
			case e.Arg&record.TickPeriodic != 0:
				return "an audit or the like is due"
			case e.Arg&record.TickLeave != 0:
				return "a timer or a device is due"
			}
			return ""
		},
	}
	for i, e := range events.Table {
		lines[i] = parse(e.Line)
	}
	for i, l := range events.Looks {
		looks[i] = parse(l.Line)
	}
}
