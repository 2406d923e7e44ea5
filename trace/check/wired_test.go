package check

import "sched9/record"

// wire wires g to P p, -1: to none, in a stop of the world that G 1 makes.
func (s *script) wire(g uint64, p int) *script {
	return s.do(record.EvStop, 0, 1, 0).do(record.EvStopP, 0, 1, 0).do(record.EvStopped, 0, 0, 0).do(record.EvWire, g, uint64(p+1), 0).do(record.EvGo, 0, 0, 0)
}

// wired has P 1 leave the idle list for wire, and go back.
func (s *script) wired(g uint64, p int) *script {
	return s.do(record.EvBusyP, 0, 1, 0).wire(g, p).do(record.EvIdleP, 0, 1, 0)
}

// yields1 has G 1 yield on M 0, which finds it again.
func (s *script) yields1() *script {
	return s.do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0)
}

// passes3 has M 1's G 2 make G 3, wired to P 0, and G 4. M 1 passes G 3 on and runs G 4.
func (s *script) passes3() *script {
	s.on(1, 1).create(3).do(record.EvPutNext, 3, 0, 0).create(4).do(record.EvPutRing, 4, 0, 0).block(2)
	return s.do(record.EvPassP, 3, 0, uint64(record.FromNext)).start(4, record.FromRing.At(0))
}

// goodWires are traces of Gs that are wired to Ps that keep all rules.
var goodWires = map[string]func(s *script){
	"its P is idle: the M takes that": func(s *script) {
		s.wired(1, 1).yields1().do(record.EvPassP, 1, 1, uint64(record.FromGlobal)).do(record.EvBusyP, 0, 1, 0).do(record.EvRelease, 0, 0, 0)
		s.on(0, 1).do(record.EvAcquire, 0, 0, 0).do(record.EvHandoff, 0, 0, 0).do(record.EvIdleP, 0, 0, 0).look(record.LookGlobal).start(1, record.FromPass)
	},
	"it is on its P": func(s *script) { s.wired(1, 0).yields1().start(1, record.FromGlobal) },
	"wired no more": func(s *script) {
		s.wired(1, 1).wired(1, -1).yields1().start(1, record.FromGlobal)
	},
	"tied to its M": func(s *script) {
		s.t.SMP = 1
		s.wired(1, 1).tie(1).yields1().start(1, record.FromGlobal)
	},
	"its P is in a call, and is taken from that for it": func(s *script) {
		s.wired(3, 0).three().call(25_000).passes3().sysmon(2).do(record.EvWakeM, 0, 2, 0)
		s.on(2, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(3, record.FromPass)
	},
	"its P has an owner, which gives them to the global queue": func(s *script) {
		s.wired(1, 1).two().yields1().do(record.EvPassP, 1, 1, uint64(record.FromGlobal)).look(record.LookGlobal)
		s.on(1, 1).do(record.EvPutGlobal, 1, 0, 0)
	},
}

// brokenWires are traces of them that break a rule each.
var brokenWires = []wrongTrace{
	{"P7", func(s *script) { s.wired(1, 1).yields1().start(1, record.FromGlobal) }},
	{"P7", func(s *script) { s.do(record.EvWire, 1, 1, 0) }}, // in a world that goes on
	{"P7", func(s *script) { s.wired(1, 5) }},                // to a P that there is not
	{"P7", func(s *script) { // passed to another
		s.wired(1, 0).yields1().do(record.EvPassP, 1, 1, uint64(record.FromGlobal))
	}},
	{"P7", func(s *script) { // left behind
		s.wired(1, 1).yields1().do(record.EvPassP, 1, 1, uint64(record.FromGlobal)).do(record.EvBusyP, 0, 1, 0).do(record.EvIdleP, 0, 1, 0)
	}},
	{"S1", func(s *script) { // its P is in a call, and is not taken from that
		s.wired(3, 0).two().call(30_000).do(record.EvTick, 1, record.TickCall, 0).do(record.EvTick, 1, record.TickCall, 0).passes3()
		for range 25 {
			s.after(40_000_000).do(record.EvTick, 4, 0, 0)
		}
	}},
	{"find", func(s *script) { // the M gives up its P, and the other is not idle
		s.wired(1, 1).two().yields1().do(record.EvPassP, 1, 1, uint64(record.FromGlobal)).do(record.EvRelease, 0, 0, 0)
	}},
}
