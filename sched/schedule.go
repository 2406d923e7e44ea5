package sched

// Ready makes g, whose status is runnable already, run soon: on the P of by,
// the calling M, as the next one if next (R11). by owns a P and preemption is
// off. Interrupt code may not call it.
func (s *Sched) Ready(by *M, g *G, next bool) {
	s.Put(by, g, next)
	s.Wake(by)
}

// Put is Ready without the wake-up, for a caller that is about to call Schedule
// or Wake.
func (s *Sched) Put(by *M, g *G, next bool) {
	p := by.P()
	if p == nil {
		s.lang.Throw("G3: a G is made runnable by an M without a P")
	}
	if !s.lang.Runnable(g) {
		s.lang.Throw("G3: a G that is not runnable is put on a queue")
	}
	s.put(by, p, g, next)
}

// HasWork reports whether by's P has another G to run. by owns a P.
func (s *Sched) HasWork(by *M) bool {
	p := by.P()
	return s.runqsize.Load() != 0 || !p.empty()
}

// Empty reports whether p has no G. Anybody may call it.
func (s *Sched) Empty(p *P) bool { return p.empty() }

// Schedule runs Gs on m, which owns a P. It does not return: each time a G
// leaves the CPU the language comes back here with a fresh stack.
func (s *Sched) Schedule(m *M) {
	for {
		yielding := m.yielding
		m.yielding = false
		p := m.P()
		if p == nil {
			s.lang.Throw("M2: schedule on an M without a P")
		}
		if m.spinning && !p.empty() {
			s.lang.Throw("M3: a spinning M has local work")
		}
		g, inherit, wake := s.find(m)
		if m.spinning {
			s.resetSpinning(m)
		}
		to, withheld := s.lang.Claim(g)
		if withheld {
			m.Rec.Record(EvWithhold, g.ID, uint64(m.Rec.from), 0)
			m.Rec.from = FromNowhere
			continue
		}
		if wake {
			s.Wake(m)
		}
		if to != nil && to != m {
			s.pass(m, g, to)
			continue
		}
		if yielding && g.ID == m.ran {
			// It gave way, and nobody was there. What it waits for is done by another
			// CPU, if by any: on a machine that is emulated, or shares a core, that
			// one may be waiting for this one to stand back.
			s.machine.OSYield()
		}
		s.run(m, g, inherit)
	}
}

// run counts a dispatch and executes g. It does not return.
func (s *Sched) run(m *M, g *G, inherit bool) {
	if !inherit {
		p := m.P()
		p.tick++
		p.sliceStart = s.machine.Now()
	}
	g.Runs++
	g.LastM = m.ID
	m.ran = g.ID
	m.Stats.Runs++
	if inherit {
		m.Rec.from |= StartInherit
	}
	s.lang.Execute(m, g, inherit)
}
