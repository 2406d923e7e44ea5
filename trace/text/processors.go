package text

import (
	"fmt"

	"sched9/record"
	"sched9/trace"
)

// mCount is what an M did.
type mCount struct {
	doing                                              [trace.NumDoings]int64
	runs, steals, parks, wakes, preempted, sent, taken int
}

// add adds another's figures.
func (c *mCount) add(o mCount) {
	for i, n := range o.doing {
		c.doing[i] += n
	}
	c.runs += o.runs
	c.steals += o.steals
	c.parks += o.parks
	c.wakes += o.wakes
	c.preempted += o.preempted
	c.sent += o.sent
	c.taken += o.taken
}

// pCount is what became of a P.
type pCount struct {
	owned int64
	runs  int
	queue int // its greatest length
}

// m and p are the figures of a processor, which are made at its first event.
func (s *summary) m(id int) *mCount {
	for len(s.ms) <= id {
		s.ms = append(s.ms, mCount{})
	}
	return &s.ms[id]
}
func (s *summary) p(id int) *pCount {
	for len(s.ps) <= id {
		s.ps = append(s.ps, pCount{})
	}
	return &s.ps[id]
}

// count counts what processors did.
func (s *summary) count() {
	for _, e := range s.t.Events {
		m := s.m(int(e.M))
		switch e.Kind {
		case record.EvStart:
			m.runs++
			if e.P >= 0 {
				s.p(int(e.P)).runs++
			}
		case record.EvSteal:
			m.steals++
		case record.EvPark:
			m.parks++
		case record.EvWakeM, record.EvStartM:
			m.wakes++
		case record.EvPreempt:
			m.preempted++
		case record.EvSendIPI:
			m.sent++
		case record.EvTakeIPI:
			m.taken++
		}
	}
	for _, d := range s.v.MSpans {
		s.m(d.Of).doing[d.Doing] += d.End - d.Start
	}
	for _, d := range s.v.PSpans {
		if d.Of >= 0 {
			s.p(d.Of).owned += d.End - d.Start
		}
	}
	for _, q := range s.v.Queues {
		if q.P >= 0 {
			p := s.p(q.P)
			p.queue = max(p.queue, q.Len)
		}
	}
}

// processors is the table of Ms.
func (s *summary) processors() {
	tw := s.table()
	fmt.Fprintf(tw, "\nM\trunning\tspinning\tscheduling\tin calls\thalted\tdispatches\tsteals\tparks\twakes\tpreempted\tIPIs sent\ttaken\t\n")
	row := func(name string, c mCount, whole int64) {
		fmt.Fprintf(tw, "%s\t", name)
		for _, d := range []trace.Doing{trace.Running, trace.Spinning, trace.Scheduling, trace.Calling, trace.Halted} {
			fmt.Fprintf(tw, "%s\t", Percent(c.doing[d], whole))
		}
		for _, n := range []int{c.runs, c.steals, c.parks, c.wakes, c.preempted, c.sent, c.taken} {
			fmt.Fprintf(tw, "%s\t", Count(n))
		}
		fmt.Fprintln(tw)
	}
	var all, rest mCount
	for i, c := range s.ms {
		all.add(c)
		if i < most {
			row(fmt.Sprintf("M%d", i), c, s.whole)
		} else {
			rest.add(c)
		}
	}
	if n := len(s.ms); n > 1 {
		if n > most {
			row(fmt.Sprintf("%d more", n-most), rest, s.whole*int64(n-most))
		}
		row("all", all, s.whole*int64(n))
	}
	tw.Flush()
}

// queues is the table of Ps.
func (s *summary) queues() {
	tw := s.table()
	fmt.Fprintf(tw, "\nP\towned\t\tdispatches\tlongest queue\t\n")
	row := func(name string, c pCount, whole int64) {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t\n", name, Duration(c.owned), Percent(c.owned, whole), Count(c.runs), c.queue)
	}
	var rest pCount
	for i, c := range s.ps {
		if i < most {
			row(fmt.Sprintf("P%d", i), c, s.whole)
			continue
		}
		rest.owned += c.owned
		rest.runs += c.runs
		rest.queue = max(rest.queue, c.queue)
	}
	if n := len(s.ps) - most; n > 0 {
		row(fmt.Sprintf("%d more", n), rest, s.whole*int64(n))
	}
	global := 0
	for _, q := range s.v.Queues {
		if q.P < 0 {
			global = max(global, q.Len)
		}
	}
	fmt.Fprintf(tw, "global\t\t\t\t%d\t\n", global)
	tw.Flush()
}
