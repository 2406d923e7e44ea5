package sched

// Tick is called by the timer interrupt of m's CPU, at clock now, about every
// tenth of a Slice while m owns a P. It reports whether the running G should
// leave the CPU: its slice is used up (S2, U5), or a timer of its P is due. g is
// the number of the running G and pc where it was interrupted, for the recorder.
//
// Interrupt context on m's own CPU: it takes no lock. m.p cannot change under
// it, because m itself is interrupted; the tick fields are used by nobody else
// while m owns the P.
func (s *Sched) Tick(m *M, now int64, g uint64, pc uintptr) (leave bool) {
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
		m.Rec.Record(EvTick, g, TickLeave|TickSlice, uint64(pc))
		return true
	}
	if t := s.lang.NextTimer(p); t != 0 && t <= now {
		m.Rec.Record(EvTick, g, TickLeave, uint64(pc))
		return true
	}
	m.Rec.Record(EvTick, g, 0, uint64(pc))
	return false
}
