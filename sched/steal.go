package sched

// stealTries is how often a thief walks all Ps (R10).
const stealTries = 4

// stealWork looks for work on all other Ps in random order, four times; expired
// timers and runnexts only in the last try (R10). m spins and p is its P, with
// an empty ring. again says that there may be new work elsewhere: a timer ran,
// or the world is to stop.
func (s *Sched) stealWork(m *M, p *P, now int64) (g *G, again bool) {
	ran := false
	for pass := 0; pass < stealTries; pass++ {
		last := pass == stealTries-1
		m.Rec.Record(EvLook, 0, uint64(LookSteal)|uint64(pass)<<TryShift, 0)
		n := uint32(s.procs.Load())
		r := m.random()
		pos, stride := r%n, s.strides[r/n%s.nstrides]
		for i := uint32(0); i < n; i++ {
			victim := &s.ps[pos]
			pos = (pos + stride) % n
			if s.rt.Stopping() {
				return nil, true
			}
			if victim == p {
				continue
			}
			if last {
				t, _, fired := s.rt.RunTimers(victim, now)
				now = t
				if fired {
					// What the timers made runnable went to our ring.
					if g, from := s.runqPop(p); g != nil {
						m.Rec.from = from
						return g, false
					}
					ran = true
				}
			}
			// An idle P has no Gs, and under Pool no P has; they may have timers.
			if victim.idle.Load() == 0 && s.policy != Pool {
				if g := s.runqSteal(m, p, victim, last); g != nil {
					return g, false
				}
			}
		}
	}
	return nil, ran
}

// random returns the next number of m's own sequence (xorshift; any will do).
func (m *M) random() uint32 {
	x := m.rand
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	m.rand = x
	return x
}
