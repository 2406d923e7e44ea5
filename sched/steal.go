package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// stealTries is how often a thief walks all Ps [R10].
const stealTries = 4

// stealWork looks for work on all other Ps in random order, four times; expired timers and runnexts
// only in the last try [R10]. m spins and p is its P, with an empty ring. again says that there may
// be new work elsewhere: a timer ran, or a stop of the world was requested.
func (s *Sched) stealWork(m *M, p *P, now int64) (g *G, again bool) {
	ran := false
	for pass := 0; pass < stealTries; pass++ {
		last := pass == stealTries-1
		m.Rec.Record(record.EvLook, 0, uint64(record.LookSteal)|uint64(pass)<<record.TryShift, 0)
		n := uint32(s.procs.Load())
		r := m.random()
		pos, stride := r%n, s.strides[r/n%s.nstrides]
		set := s.ownedPs()
		if last {
			set = s.timedPs()
		}
		for set &^= p.one(); set != 0; pos = (pos + stride) % n {
			victim := &s.ps[pos]
			if set&victim.one() == 0 {
				continue
			}
			set &^= victim.one()
			if s.rt.Stopping() {
				return nil, true
			}
			if last {
				t, fired := s.rt.RunTimers(victim, now)
				now = t
				if fired {
					// What the timers made runnable went to our ring.
					if g, from := s.runqPop(p); g != nil {
						m.Rec.Found(from)
						return g, false
					}
					ran = true
				}
			}
			// An idle P has no Gs, and where the queue is shared no P has; they may have timers.
			if victim.idle.Load() == 0 && !s.policy.Shared {
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

// runqSteal moves Gs from victim to p, which the caller owns and whose ring is empty, and returns
// one of them to run, or nil.
func (s *Sched) runqSteal(m *M, p, victim *P, runnext bool) *G {
	tail := p.tail.Load()
	n := s.runqGrab(m, victim, p, runnext)
	if n == 0 {
		return nil
	}
	m.Stats[Steals]++
	m.Stats[Stolen] += uint64(n)
	n--
	g := guintptr(p.ring[(tail+n)%RingSize].Load()).ptr()
	m.Rec.Found(record.FromSteal.At(tail + n))
	if n == 0 {
		return g
	}
	if tail-p.head.Load()+n >= RingSize {
		s.rt.Throw("R1: a steal overflowed the ring")
	}
	p.tail.Store(tail + n) // publishes the slots that runqGrab stored [R4]
	return g
}

// runqGrab moves half of victim's ring, rounded up, to dst's ring, whose tail the
// caller owns and has not advanced yet [R10]. With runnext it takes the
// victim's runnext if the ring is empty [R5]. It returns how many it put at
// dst.tail and above. m is the thief.
func (s *Sched) runqGrab(m *M, victim, dst *P, runnext bool) uint32 {
	to := dst.tail.Load()
	for {
		head := victim.head.Load()
		tail := victim.tail.Load()
		n := tail - head
		if n > RingSize {
			// head and tail were read at different times.
			continue
		}
		if n != 0 && s.policy.Steal != nil {
			n = s.policy.Steal(n)
		} else {
			n -= n / 2
		}
		if n == 0 {
			if !runnext {
				return 0
			}
			next := victim.runnext.Load()
			if next == 0 {
				return 0
			}
			if victim.M() != nil {
				// A runnext is usually about to run: the G that runs on its P made it ready and is
				// about to block. Stealing it at once would move the pair between CPUs at every
				// exchange.
				for range runnextLooks {
					s.machine.BusyWait(runnextGrace)
					if victim.runnext.Load() != next {
						return 0 // its P is busy with such exchanges
					}
				}
			}
			if !victim.runnext.CompareAndSwap(next, 0) {
				continue
			}
			m.Rec.Record(record.EvSteal, guintptr(next).ptr().ID, uint64(to)<<record.CountShift, uint64(victim.ID)|1<<8)
			atomic.StoreRelUintptr(&dst.ring[to%RingSize], next)
			return 1
		}
		for i := uint32(0); i < n; i++ {
			atomic.StoreRelUintptr(&dst.ring[(to+i)%RingSize], victim.ring[(head+i)%RingSize].Load())
		}
		if victim.head.CompareAndSwap(head, head+n) {
			m.Rec.Record(record.EvSteal, 0, uint64(head)|uint64(to)<<record.CountShift, uint64(victim.ID)|uint64(n)<<8)
			return n
		}
	}
}

// A thief leaves a runnext alone for runnextLooks times runnextGrace nanoseconds. Go waits for 3
// us; emulated CPUs take several times as long to get from one G to the next. It looks in between,
// so as to stop waiting as soon as the runnext changes.
const (
	runnextGrace = 3000
	runnextLooks = 4
)
