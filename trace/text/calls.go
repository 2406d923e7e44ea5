package text

import (
	"fmt"
	"strings"

	"sched9/record"
)

// calls tells of system calls, of goroutines that were tied to Ms, and of devices, as far
// as there were any.
func (s *summary) calls() {
	calls, held, tied := 0, int64(0), int64(0)
	ties := 0
	for _, g := range s.v.Gs {
		calls += g.Calls
		held += g.Calling
		ties += len(g.Ties)
		for _, t := range g.Ties {
			tied += t.End - t.Start
		}
	}
	taken, polled := 0, 0
	counts := map[record.Event]int{}
	for _, e := range s.t.Events {
		counts[e.Kind]++
		switch {
		case e.Kind == record.EvSyscallExit && e.P < 0:
			taken++
		case e.Kind == record.EvPoll:
			polled += int(e.Arg)
		}
	}
	if calls > 0 || ties > 0 || counts[record.EvNeedM] > 0 || counts[record.EvPoll] > 0 {
		s.line("")
	}
	if calls > 0 {
		line := Plural(calls, "system call")
		if taken > 0 || held > 0 {
			line += fmt.Sprintf("; %s came back and had lost its P; %s in calls without one", times(taken), Duration(held))
		}
		s.line("%s", line)
	}
	if ties > 0 {
		var parts []string
		for _, p := range []struct {
			kind record.Event
			name string
		}{{record.EvPass, "passed to its M"}, {record.EvExitM, "ended with its M"}} {
			if n := counts[p.kind]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %s", p.name, times(n)))
			}
		}
		s.line("%s", join(fmt.Sprintf("a goroutine was tied to its M %s, %s in all", times(ties), Duration(tied)), strings.Join(parts, ", ")))
	}
	if n := counts[record.EvNeedM]; n > 0 {
		s.line("foreign code called %s", times(n))
	}
	if n := counts[record.EvPoll]; n > 0 {
		s.line("devices were asked %s, %s waited for them", times(n), Plural(polled, "goroutine"))
	}
}
