package sched

// stopForWorld gives m's P to the stop of the world that is wanted (P4) and
// parks m until somebody gives it a P again. On return m owns a P.
func (s *Sched) stopForWorld(m *M) {
	if m.spinning {
		// Whoever restarts the world wakes Ms for the work there is.
		s.dropSpinning(m)
	}
	p := m.p.ptr()
	s.lang.Release(m, p)
	s.lang.Lock()
	if !s.lang.Stopping() {
		// It waits for this P, so it cannot have ended.
		s.lang.Throw("P4: the world restarted before every P had stopped")
	}
	m.Rec.Record(EvStopP, 0, uint64(p.ID), 0)
	s.lang.StopP(p)
	s.lang.Unlock()
	s.stopM(m)
}
