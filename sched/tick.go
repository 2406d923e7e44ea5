package sched

// Tick is called by the timer interrupt of m's CPU, at clock now, about every
// tenth of a Slice while m owns a P. It reports whether the running G should
// leave the CPU: its slice is used up (S2, U5), or a timer of its P is due.
//
// Interrupt context on m's own CPU: it takes no lock. m.p cannot change under
// it, because m itself is interrupted; the tick fields are used by nobody else
// while m owns the P.
func (s *Sched) Tick(m *M, now int64) (leave bool) {
	p := m.p.ptr()
	if p == nil {
		return false
	}
	m.Stats.Ticks++
	if last := s.lastPeriodic.Load(); now-last >= PeriodicInterval && s.lastPeriodic.CompareAndSwap(last, now) {
		s.periodic.Store(1)
	}
	if p.tickSeen != p.tick {
		p.tickSeen = p.tick
		p.sliceStart = now
	} else if now-p.sliceStart >= Slice {
		// The next slice begins when the G is gone; until then every tick
		// asks again.
		m.Stats.Preempts++
		p.expired.Store(1)
		return true
	}
	if t := s.lang.NextTimer(p); t != 0 && t <= now {
		return true
	}
	return false
}
