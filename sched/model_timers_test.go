package sched

import (
	"sched9/sched/atomic"
)

// timers are the sleeping tasks of a P, in no order.
type timers struct {
	mu   mutex
	list []timer
	next atomic.Int64 // when the first is due, 0: none

	// hastened says that an M which is not the P's owner made the first come sooner.
	hastened bool
}

type timer struct {
	when int64
	t    *task
}

// update sets next. ts.mu held.
func (ts *timers) update() {
	next := int64(0)
	for _, t := range ts.list {
		if next == 0 || t.when < next {
			next = t.when
		}
	}
	ts.next.Store(next)
}

func (ts *timers) add(t timer) {
	ts.mu.Lock()
	ts.list = append(ts.list, t)
	ts.update()
	ts.mu.Unlock()
}

// addTimer adds a timer to a P, which may be idle: then its last owner had added it.
func (mdl *model) addTimer(p int, t timer) {
	mdl.timers[p].add(t)
	mdl.s.barePs.Store(mdl.s.barePs.Load() &^ uint64(mdl.s.P(int32(p)).one()))
}

// take moves other's timers to ts. The world is stopped.
func (ts *timers) take(other *timers) {
	other.mu.Lock()
	list := other.list
	other.list = nil
	other.next.Store(0)
	other.mu.Unlock()
	for _, t := range list {
		ts.add(t)
	}
}

// due takes a timer whose time has come.
func (ts *timers) due(now int64) *task {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for i, t := range ts.list {
		if t.when <= now {
			ts.list = append(ts.list[:i], ts.list[i+1:]...)
			ts.hastened = false
			ts.update()
			return t.t
		}
	}
	return nil
}

func (mdl *model) RunTimers(p *P, now int64) (t int64, ran bool) {
	mdl.host.point("timers")
	ts := &mdl.timers[p.ID]
	if now == 0 {
		now = mdl.Now()
	}
	for next := ts.next.Load(); next != 0 && next <= now; next = ts.next.Load() {
		t := ts.due(now)
		if t == nil {
			break // another M was faster
		}
		ran = true
		t.become(mdl, waiting, runnable)
		mdl.s.Ready(mdl.host.self().m, &t.G, true)
	}
	return now, ran
}

func (mdl *model) NextTimer(p *P) int64 {
	mdl.host.point("nexttimer")
	next := mdl.timers[p.ID].next.Load()
	mdl.host.point("nexttimer")
	return next
}
