//go:build explore

package sched

import "fmt"

// audit checks, at any point of any M, what must hold at all points (SPEC.md), and more
// when the scheduler lock is free, and when no M is inside the scheduler. It returns
// what is broken, or "".
func (w *walk) audit() string {
	mdl, s := w.mdl, w.mdl.s
	if n := len(mdl.tasks); cap(w.found) < n {
		w.found = make([]int8, n, n+8)
	} else {
		w.found = w.found[:n]
		clear(w.found)
	}
	for i := range max(int32(mdl.ncpu), s.Procs()) {
		if msg := w.auditP(s.P(i)); msg != "" {
			return msg
		}
	}
	if msg := w.auditOwners(); msg != "" {
		return msg
	}
	if msg := w.auditTicks(); msg != "" {
		return msg
	}
	if w.holder == nil {
		if msg := w.auditLists(); msg != "" {
			return msg
		}
	}
	for _, c := range w.seats {
		if !w.calm(c) {
			return ""
		}
	}
	if n := mdl.spinning.Load(); n != 0 {
		return fmt.Sprintf("M7: %d spin, and no M is in the scheduler", n)
	}
	return mdl.unfair()
}

// auditP: [R1, R5, G3, R8, P7].
func (w *walk) auditP(p *P) string {
	s := w.mdl.s
	head, tail := p.head.Load(), p.tail.Load()
	if tail-head > RingSize {
		return fmt.Sprintf("R1: the ring of P %d is longer than its size", p.ID)
	}
	for i := head; i != tail; i++ {
		if msg := w.auditQueued(guintptr(p.ring[i%RingSize].Load()).ptr()); msg != "" {
			return fmt.Sprintf("%s, in the ring of P %d", msg, p.ID)
		}
	}
	if next := guintptr(p.runnext.Load()).ptr(); next != nil {
		if msg := w.auditQueued(next); msg != "" {
			return fmt.Sprintf("%s, as runnext of P %d", msg, p.ID)
		}
	}
	if p.idle.Load() != 0 && p.nwired.Load() != 0 {
		return fmt.Sprintf("P7: P %d is idle, and Gs that are wired to it wait", p.ID)
	}
	if s.runqsize.Load() == 0 {
		w.bypass[p.ID] = p.schedtick
	} else if p.schedtick-w.bypass[p.ID] > globalTick {
		return fmt.Sprintf("R8: P %d has begun %d slices and not looked at the global queue", p.ID, p.schedtick-w.bypass[p.ID])
	}
	return ""
}

// auditQueued: [G3], for a G in a queue.
func (w *walk) auditQueued(g *G) string {
	if g == nil {
		return "G3: there is no G where one should be"
	}
	t := taskOf(g)
	if w.found[t.id]++; w.found[t.id] > 1 {
		return fmt.Sprintf("G3: G%d is in two places", t.id+1)
	}
	if g.queued.Load() == 0 || t.status.Load()&^scan != runnable {
		return fmt.Sprintf("G3: G%d is queued, with mark %d and status %d", t.id+1, g.queued.Load(), t.status.Load())
	}
	return ""
}

// auditOwners: [M9], and [P1] and [G2] as far as they hold while ownership moves: nothing has two
// owners.
func (w *walk) auditOwners() string {
	cpus := w.mdl.cpus[:w.mdl.ncpu]
	for i, c := range cpus {
		if c.m.nextp.Load() != 0 && c.m.Asleep() {
			return fmt.Sprintf("M9: M %d is given a P before its state says that it is awake", i)
		}
		for _, o := range cpus[:i] {
			if p := c.m.P(); p != nil && p == o.m.P() {
				return fmt.Sprintf("P1: P %d belongs to two Ms", p.ID)
			}
			if t := c.cur.Load(); t != nil && t == o.cur.Load() {
				return fmt.Sprintf("G2: G%d runs on two Ms", t.id+1)
			}
		}
		if t := c.cur.Load(); t != nil && w.found[t.id] != 0 {
			return fmt.Sprintf("G3: G%d runs and is queued", t.id+1)
		}
	}
	return ""
}

// auditTicks: [S2, T1]. An M that is in a G's own code, with a P, ticks, and in time for the P's
// timers; or a little later, because a tick that asked in vain, or struck in a call, comes
// again. The M that hastens a timer of another M's P cannot set that one's tick.
func (w *walk) auditTicks() string {
	mdl := w.mdl
	for _, c := range w.seats {
		p := c.m.P()
		if p == nil || c.at != "step" && c.at != "spin" && c.at != "call" {
			continue
		}
		at, ts := c.tickAt.Load(), &mdl.timers[p.ID]
		if at == 0 {
			return fmt.Sprintf("S2: M %d runs a G, and has no tick", c.m.ID)
		}
		inCall := c.cur.Load() != nil && c.cur.Load().status.Load() != running
		if next := ts.next.Load(); next != 0 && !inCall && !ts.hastened && at > max(next, mdl.Now()+callAgain) {
			return fmt.Sprintf("T1: M %d runs a G, a timer of its P is due at %d, and its tick at %d", c.m.ID, next, at)
		}
	}
	return ""
}

// auditSets: [P6] of the sets of Ps, and what they promise to those who pass over a P. The scheduler lock is free.
func (w *walk) auditSets() string {
	s := w.mdl.s
	idle, bare := pset(s.idlePs.Load()), pset(s.barePs.Load())
	if (idle|bare)&^s.allPs() != 0 || bare&^idle != 0 {
		return fmt.Sprintf("P6: the sets of idle Ps are %b, and of those without timers %b", idle, bare)
	}
	for i := range s.Procs() {
		p := s.P(i)
		if p.Idle() != (idle&p.one() != 0) {
			return fmt.Sprintf("P6: P %d is idle: %v, and the set of idle ones is %b", i, p.Idle(), idle)
		}
		if next := w.mdl.timers[i].next.Load(); next != 0 && bare&p.one() != 0 {
			return fmt.Sprintf("T2: P %d is passed over as one without timers, and has one at %d", i, next)
		}
	}
	return ""
}

// auditLists: [R7, P2, P6, M1, M13]. The scheduler lock is free.
func (w *walk) auditLists() string {
	s := w.mdl.s
	n := int32(0)
	for h := s.runq.head; h != 0; h = h.ptr().link {
		if msg := w.auditQueued(h.ptr()); msg != "" {
			return msg + ", in the global queue"
		}
		n++
	}
	if n != s.runq.n || n != s.runqsize.Load() {
		return fmt.Sprintf("R7: %d Gs in the global queue, counted as %d and %d", n, s.runq.n, s.runqsize.Load())
	}
	n = 0
	for p := s.pidle.ptr(); p != nil; p = p.link.ptr() {
		if n++; n > MaxProcs || p.idle.Load() == 0 || p.m.Load() != 0 || !p.runqEmpty() || p.ID >= s.Procs() {
			return fmt.Sprintf("P2: idle P %d has an owner or a G, or there is no such P", p.ID)
		}
	}
	marked := int32(0)
	for i := range s.Procs() {
		marked += int32(s.P(i).idle.Load())
	}
	if n != s.npidle.Load() || n != marked {
		return fmt.Sprintf("P6: %d idle Ps, counted as %d, and %d marked", n, s.npidle.Load(), marked)
	}
	if msg := w.auditSets(); msg != "" {
		return msg
	}
	n = 0
	for m := s.midle.ptr(); m != nil; m = m.link.ptr() {
		if n++; n > MaxProcs || m.state.Load() != mIdle || m.P() != nil || m.Spinning() || m.nextp.Load() != 0 {
			return fmt.Sprintf("M1: parked M %d has a P, or spins", m.ID)
		}
	}
	stopped := int32(0)
	for i := range int32(w.mdl.ncpu) {
		if s.M(i).state.Load() == mLockedWait {
			stopped++
		}
	}
	if n != s.nmidle || stopped != s.nmlocked {
		return fmt.Sprintf("M1: %d Ms parked and %d stopped, counted as %d and %d", n, stopped, s.nmidle, s.nmlocked)
	}
	if spin := s.nmspinning.Load(); spin < 0 || spin > s.nms {
		return fmt.Sprintf("M7: %d of %d Ms spin", spin, s.nms)
	}
	return ""
}

// verdicts collects what checkEnd finds.
type verdicts struct{ first string }

// Helper is judge's, as are those that follow.
func (v *verdicts) Helper() {}

// Logf says nothing.
func (v *verdicts) Logf(string, ...any) {}

// Failed reports whether anything was found.
func (v *verdicts) Failed() bool { return v.first != "" }

// Errorf keeps what is found first.
func (v *verdicts) Errorf(format string, args ...any) {
	if v.first == "" {
		v.first = fmt.Sprintf(format, args...)
	}
}

// Fatalf does the same.
func (v *verdicts) Fatalf(format string, args ...any) { v.Errorf(format, args...) }

// ended checks a run that has come to its end.
func (w *walk) ended() string {
	var v verdicts
	if w.mdl.checkEnd(&v); v.first == "" && w.x.end != nil {
		v.first = w.x.end(w)
	}
	if v.first != "" {
		v.first += "\n" + w.mdl.dump()
	}
	return v.first
}
