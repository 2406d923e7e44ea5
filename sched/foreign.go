package sched

import "sched9/record"

// Code that the scheduler does not control: firmware, or a program's own assembly. Called from a G,
// it holds the M for as long as it likes, so the P is given away at once [M5]. On a CPU of its own
// it belongs to no M, and borrows one when it calls back [M15]: during the callback the CPU is an M
// like the others, which runs the one G that is tied to it.

// HandoffSyscall gives the P of m away, whose G is in a system call that calls foreign code. If no M
// sleeps, the P goes to a CPU that was never started, because some M must be there for a device's
// events [N1, S3]. m's own scheduler stack.
func (s *Sched) HandoffSyscall(m *M) { s.handoffSyscall(m, s.unattended()) }

// TakeForeignCPU takes a CPU for foreign code, a reserved one or one that was never started. It
// returns the M that the CPU is when it calls back, or nil if there is no CPU left.
func (s *Sched) TakeForeignCPU() *M {
	var m *M
	s.rt.Lock()
	if s.nforeignUsed == s.nforeign && s.ncpu < s.MaxMs() {
		s.nforeign++
	}
	if s.nforeignUsed < s.nforeign {
		s.nforeignUsed++
		m = &s.ms[int32(s.machine.CPUs())-s.nforeignUsed]
		s.becomes(m, mForeign)
	}
	s.rt.Unlock()
	return m
}

// NeedM makes m, a foreign CPU that calls back, one of the Ms. It runs g, which is tied to m and
// runnable, as soon as there is a P, in the same way as a G that comes back from a system call. It
// does not return. Scheduler lock held; no P.
func (s *Sched) NeedM(m *M, g *G) {
	if m.P() != nil || m.state.Load() != mForeign {
		s.rt.Throw("M15: an M that is borrowed has a P, or is no foreign CPU's, or borrowed already")
	}
	if s.nextra == s.nforeignUsed {
		s.rt.Throw("M15: more Ms are borrowed than CPUs are for foreign code")
	}
	s.becomes(m, mRunning)
	s.nms++
	s.nextra++
	m.Rec.Record(record.EvNeedM, g.ID, 0, 0)
	s.ExitSyscallNoP(m, g, true)
}

// DropM ends that: m's G has nothing more to do. m gives its P away.
func (s *Sched) DropM(m *M) {
	p := m.P()
	s.rt.ReleaseP(m, p)
	m.Rec.Record(record.EvDropM, 0, 0, 0)
	s.handoffP(m, p)
	s.rt.Lock()
	s.becomes(m, mForeign)
	s.nms--
	s.nextra--
	s.rt.Unlock()
}
