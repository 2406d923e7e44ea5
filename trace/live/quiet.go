package live

import (
	"fmt"
	"strings"
	"time"

	"sched9/trace"
	"sched9/trace/text"
)

// quiet is how long, by the host's clock, nothing happens before there is a warning. An M with a P
// is interrupted every millisecond.
const quiet = time.Second

// late is how long, by the guest's clock, a stop of the world takes before there is a warning that
// says what it waits for.
const late = 100_000_000

// told is how many Ms a warning names.
const told = 4

// Warnings are sentences about states that need attention, at host's time now: silence, and a world
// that does not stop. After the end there are none.
func (m *Model) Warnings(now time.Time) []string {
	if m.t.Whole || m.events == 0 {
		return nil
	}
	var all []string
	if silent := now.Sub(m.arrived); silent >= quiet {
		all = append(all, fmt.Sprintf("no event for %s (host); %s", text.Duration(int64(silent)), m.lastSeen()))
	}
	if s := m.stop; s.wanted && !s.held && m.newest-s.start >= late {
		all = append(all, fmt.Sprintf("the world is to stop since %s (%s); %s", text.Duration(m.newest-s.start), s.reason, m.running()))
	}
	return all
}

// lastSeen says what Ms did when they were last heard of. If all sleep, silence
// is as it should be.
func (m *Model) lastSeen() string {
	var awake []string
	until := int64(0)
	for i := range m.ms[:m.nms] {
		c := &m.ms[i]
		switch {
		case !c.booted:
		case c.doing != trace.Halted:
			s := fmt.Sprintf("M%d was last seen %s", i, c.doing)
			if r := m.runs(c); r != "" {
				s = fmt.Sprintf("M%d was last seen in %s", i, r)
			}
			awake = append(awake, s)
		case c.until > 0 && (until == 0 || c.until < until):
			until = c.until
		}
	}
	if n := len(awake) - told; n > 0 {
		awake = append(awake[:told], fmt.Sprintf("%d Ms more are awake", n))
	}
	switch {
	case len(awake) > 0:
		return strings.Join(awake, "; ")
	case until > 0:
		return "every M sleeps, one until " + text.Duration(until) + " (guest)"
	}
	return "every M sleeps until it is interrupted"
}

// running lists what runs on Ms.
func (m *Model) running() string {
	var all []string
	for i := range m.ms[:m.nms] {
		if c := &m.ms[i]; c.doing == trace.Running {
			all = append(all, fmt.Sprintf("M%d runs %s", i, m.runs(c)))
		}
	}
	if n := len(all) - told; n > 0 {
		all = append(all[:told], fmt.Sprintf("%d Ms more run", n))
	}
	if len(all) == 0 {
		return "no M runs a goroutine"
	}
	return strings.Join(all, "; ")
}
