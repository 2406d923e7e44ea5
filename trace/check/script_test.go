package check

import (
	"fmt"
	"testing"

	"sched9/record"
	"sched9/sched"
	"sched9/trace"
)

// script writes a trace, event by event, a microsecond apart.
type script struct {
	t    *trace.Trace
	time int64
	m, p int
	slot uint64 // of P 0's ring, the next that poll fills
}

// newScript is a machine with two processors and two Ps, on which M 0 runs G 1
// with P 0 and P 1 is idle.
func newScript() *script {
	s := &script{t: &trace.Trace{Meta: trace.Meta{SMP: 4}}}
	s.t.Reasons = []string{"", "sleep"}
	s.on(0, -1).do(record.EvBoot, 0, 0, 0)
	s.do(record.EvStopped, 0, 0, 0)
	s.do(record.EvProcs, 0, 2, 0)
	s.on(0, 0).do(record.EvAcquire, 0, 0, 0)
	s.do(record.EvIdleP, 0, 1, 0)
	s.create(1).do(record.EvPutNext, 1, 0, 0)
	return s.start(1, record.FromNext)
}

// on makes m, which owns p, the author of the next events.
func (s *script) on(m, p int) *script {
	s.m, s.p = m, p
	return s
}

// after lets time pass.
func (s *script) after(ns int64) *script {
	s.time += ns
	return s
}

// do adds an event.
func (s *script) do(e record.Event, g, arg, aux uint64) *script {
	s.time += 1000
	s.t.Events = append(s.t.Events, trace.Event{Time: s.time, Stamp: uint64(s.time), M: int16(s.m), P: int16(s.p), Kind: e, G: g, Arg: arg, Aux: aux})
	return s
}

// The usual steps.

func (s *script) create(g uint64) *script { return s.do(record.EvCreate, g, 0x1000, 0) }

func (s *script) start(g uint64, from record.Place) *script {
	arg := uint64(from)
	if from == record.FromNext {
		arg |= record.StartInherit
	}
	return s.do(record.EvStart, g, arg, 0)
}

func (s *script) block(g uint64) *script { return s.do(record.EvBlock, g, 1<<record.ReasonShift, 0) }

func (s *script) look(l record.Look) *script { return s.do(record.EvLook, 0, uint64(l), 0) }

// passes looks at the other Ps, n times.
func (s *script) passes(n int) *script {
	for i := range n {
		s.do(record.EvLook, 0, uint64(record.LookSteal)|uint64(i)<<record.TryShift, 0)
	}
	return s
}

// wake starts M 1 with P 1, to spin, and leaves it there.
func (s *script) wake() *script {
	s.do(record.EvSummon, 0, 1, 0).do(record.EvBusyP, 0, 1, 0).do(record.EvStartM, 0, 1, 1|record.WakeSpinning)
	return s.on(1, -1).do(record.EvBoot, 0, 0, 0).on(1, 1).do(record.EvAcquire, 0, 0, 0).look(record.LookGlobal)
}

// sleep lets the M, which has looked at the global queue and spins if spinning,
// go to sleep with P p idle.
func (s *script) sleep(spinning bool) *script { return s.rest(spinning).do(record.EvPark, 0, 0, 0) }

// keep is sleep until the next timer is due.
func (s *script) keep(spinning bool) *script {
	return s.sleep(spinning).do(record.EvTimerSleep, 0, 9_000_000, 0)
}

// due has the timer M wake by itself, with P p.
func (s *script) due(p uint64) *script {
	s.do(record.EvTimerWake, 0, 0, 0).do(record.EvBusyP, 0, p, 0).do(record.EvWakeM, 0, uint64(s.m), p)
	return s.on(s.m, int(p)).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).do(record.EvSpin, 0, 1, 0)
}

// rest is sleep without the last step.
func (s *script) rest(spinning bool) *script {
	if spinning {
		s.passes(4)
	}
	p := s.p
	s.look(record.LookIdle).look(record.LookLocked).do(record.EvRelease, 0, 0, 0).on(s.m, -1).do(record.EvIdleP, 0, uint64(p), 0)
	if spinning {
		s.do(record.EvUnspin, 0, 0, 0).look(record.LookRecheck)
	}
	return s
}

// asleep starts M 1, which finds nothing and sleeps, and goes on with M 0.
func (s *script) asleep() *script { return s.wake().sleep(true).on(0, 0) }

// hands has the M, to which G 1 is tied and which it has left, hand its P on to M 1,
// which is started for it, and wait.
func (s *script) hands() *script {
	p := uint64(s.p)
	s.do(record.EvRelease, 0, 0, 0).on(s.m, -1).do(record.EvHandoff, 0, p, 0).do(record.EvStartM, 0, 1, p)
	s.do(record.EvPark, 0, record.ParkLocked, 0)
	return s.on(1, -1).do(record.EvBoot, 0, 0, 0).on(1, int(p)).do(record.EvAcquire, 0, 0, 0)
}

// fill puts n Gs, from number g on, into the ring of P 0, from slot idx on.
func (s *script) fill(g uint64, idx, n uint64) *script {
	for i := range n {
		s.create(g+i).do(record.EvPutRing, g+i, idx+i, 0)
	}
	return s
}

// expect checks the trace: it must break rule, or none if rule is "".
func (s *script) expect(t *testing.T, rule string) {
	t.Helper()
	found := Check(s.t)
	for _, v := range found {
		if v.Rule == rule {
			return
		}
	}
	if rule != "" {
		t.Errorf("rule %s was not found broken, but %v", rule, found)
	} else if len(found) > 0 {
		var text string
		for _, v := range found {
			text += fmt.Sprintf("\n\t%v", v)
		}
		t.Errorf("a good trace breaks rules:%s", text)
	}
}

// overflows has M 0 put n Gs into its ring and one more, of which it has not said where it went. Thieves take those in
// the ring's second half, and ticks of M 0 see nobody who waits.
func (s *script) overflows(n uint64) *script {
	const half = sched.RingSize / 2
	s.fill(2, 0, n).create(2000).do(record.EvPutNext, 2000, 0, 0).create(2001).do(record.EvPutNext, 2001, 0, 0)
	s.wake()
	for at := uint64(half); at < n; at++ {
		if at > half {
			s.do(record.EvExit, 2+at-1, 0, 0).look(record.LookGlobal).do(record.EvSpin, 0, 1, 0)
		}
		s.passes(1).do(record.EvSteal, 0, at, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2+at, record.FromSteal|0<<record.IndexShift)
	}
	return s.on(0, 0).after(11_000_000).do(record.EvTick, 1, 0, 0).do(record.EvTick, 1, 0, 0)
}

// leaves has G 1 leave for each of many ticks that say why, and come back, without any look at timers and devices.
func (s *script) leaves(why uint64) *script {
	for range 3 * unheardRuns {
		s.after(5_000_000).do(record.EvTick, 1, why, 0).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
		s.look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).start(1, record.FromGlobal)
	}
	return s
}
