package hunt

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	schedhunt "sched9/sched/hunt"
	"sched9/tools/internal/report"
)

// Print tells a cause: what the schedule needs, and in two columns who left where and who went on, at each move and behind it.
func (c *Cause) Print(w io.Writer) error {
	preempts, choices := 0, 0
	for _, m := range c.Moves {
		if m.Kind == schedhunt.Choose {
			choices++
		} else {
			preempts++
		}
	}
	needs := []string{}
	if preempts > 0 {
		needs = append(needs, count(preempts, "preemption"))
	}
	if choices > 0 {
		needs = append(needs, count(choices, "choice")+" of another than the oldest")
	}
	if len(needs) == 0 {
		needs = append(needs, "nothing special: it fails if each goroutine runs until it blocks, the oldest first")
	}
	more := ""
	if !c.Least {
		more = ", or fewer: -shrink bounds the search"
	}
	fmt.Fprintf(w, "  needs %s%s (%d boots)\n", strings.Join(needs, " and "), more, c.Boots)
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	told, others := moments(c.Switches)
	for _, m := range told {
		if m.Skipped {
			fmt.Fprintf(tw, "    ...\t\n")
		}
		fmt.Fprintf(tw, "    %s\t%s\n", m.Left, m.Right)
	}
	if others {
		fmt.Fprintf(tw, "    ...\t\n")
	}
	return tw.Flush()
}

// moment is a switch that is told of: a line of the two columns.
type moment struct {
	report.Switch
	Skipped     bool   // others are left out before it
	Left, Right string // who left the CPU, and where; who went on, and where
}

// moments are the switches to tell of: all if they are few, or those of moves and the one behind each. A goroutine that goes on itself
// is no switch. more: others follow the last one.
func moments(all []report.Switch) (told []moment, more bool) {
	stands := map[uint64]string{} // where each goroutine that has left goes on
	switches := slices.DeleteFunc(slices.Clone(all), func(s report.Switch) bool { return s.From == s.To })
	for i, s := range switches {
		from, to := place(s), fmt.Sprintf("G%d begins", s.To)
		if at, ok := stands[s.To]; ok {
			to = fmt.Sprintf("G%d goes on at %s", s.To, at)
		}
		stands[s.From] = from
		if show := moved(s) || i > 0 && moved(switches[i-1]) || len(switches) <= fewSwitches; !show {
			more = true
			continue
		}
		how := "waits at"
		switch {
		case s.Why != 0:
			how = "is stopped at"
		case s.Ended:
			how = "ends"
		}
		told = append(told, moment{s, more, strings.TrimSpace(fmt.Sprintf("G%d %s %s", s.From, how, from)), to})
		more = false
	}
	return told, more
}

// fewSwitches are shown all.
const fewSwitches = 12

// moved reports whether a switch is a move's.
func moved(s report.Switch) bool { return s.Why != 0 || s.Other }

// count is a number of things.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// place says where a goroutine stands, "" if it has ended.
func place(s report.Switch) string {
	switch {
	case s.Ended:
		return ""
	case s.File == "-":
		return "its beginning"
	}
	at := fmt.Sprintf("%s:%d %s", path.Base(s.File), s.Line, s.Function[strings.LastIndexByte(s.Function, '/')+1:])
	if s.Call != "-" {
		at += ", before " + s.Call[strings.LastIndexByte(s.Call, '/')+1:]
	}
	if s.Why == 0 {
		at = strings.Replace(at, ", before ", ", in ", 1)
	}
	return at
}
