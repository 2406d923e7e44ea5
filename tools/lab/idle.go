package lab

import (
	"cmp"
	"slices"
	"time"

	"sched9/record"
	"sched9/trace"
)

// idle is a stretch in which a P was on the list of idle ones.
type idle struct {
	p        int
	from, to int64
	open     bool // it was idle at the end
}

// idles are the stretches in which Ps were idle, in the order in which they began.
func (r *Run) idles() []idle {
	var all []idle
	at := map[int]int{} // of all, by P
	end := func(p int, now int64) {
		if i, ok := at[p]; ok {
			all[i].to, all[i].open = now, false
			delete(at, p)
		}
	}
	for _, e := range r.View.Trace.Events {
		switch e.Kind {
		case record.EvIdleP:
			if _, ok := at[int(e.Arg)]; !ok {
				at[int(e.Arg)] = len(all)
				all = append(all, idle{int(e.Arg), e.Time, r.View.End, true})
			}
		case record.EvBusyP, record.EvStopP:
			end(int(e.Arg), e.Time)
		}
	}
	return all
}

// Idle measures the stretches in which a P was idle.
func (r *Run) Idle() Times {
	var all []value[time.Duration]
	for _, i := range r.idles() {
		v := stretch(i.from, i.to, "")
		v.at.p, v.who = i.p, "a P"
		if i.open {
			v = still(v, "idle")
		}
		all = append(all, v)
	}
	return machineTimes(r, "idle stretch", "%s was idle for %s", all)
}

// Halts measures the stretches in which a vCPU slept.
func (r *Run) Halts() Times {
	var all []value[time.Duration]
	for _, s := range r.View.MSpans {
		if s.Doing == trace.Halted {
			v := stretch(s.Start, s.End, "")
			v.at.m, v.who, v.open = s.Of, "a vCPU", s.End == r.View.End
			all = append(all, v)
		}
	}
	return machineTimes(r, "halt", "%s slept for %s", all)
}

// Overlooked measures, for each wait for a CPU, the longest stretch of it in which some P was idle;
// 0 if none was. A scheduler that conserves work ends such stretches as soon as it can wake an M.
func (s Gs) Overlooked() Times {
	all := s.run.someIdle()
	m := s.Ready()
	m.noun, m.form = "wait for a CPU", "%s waited %s for a CPU while a P was idle"
	for _, g := range m.groups {
		for i := range g.all {
			v := &g.all[i]
			from, to := v.at.from, v.at.to
			*v = value[time.Duration]{who: v.who, at: place{from, from, -1, -1}}
			n, _ := slices.BinarySearchFunc(all, from, func(i idle, t int64) int { return cmp.Compare(i.to, t) })
			for ; n < len(all) && all[n].from < to; n++ {
				a, b := max(from, all[n].from), min(to, all[n].to)
				if d := time.Duration(b - a); d > v.v {
					v.v, v.at = d, place{a, b, -1, -1}
				}
			}
		}
	}
	return m
}

// someIdle are the stretches in which there was an idle P, whichever, in order.
func (r *Run) someIdle() []idle {
	var all []idle
	for _, i := range r.idles() {
		if n := len(all); n > 0 && i.from <= all[n-1].to {
			all[n-1].to = max(all[n-1].to, i.to)
			continue
		}
		all = append(all, i)
	}
	return all
}
