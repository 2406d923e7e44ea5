package sched

import "testing"

// What happens at the same time to one M, P or G, at all moments of each other.

// runs makes a task that m runs just now.
func (mdl *model) runs(m *M, body op) *task {
	t := mdl.newTask(body)
	t.status.Store(running)
	t.on.Store(mdl.cpus[m.ID])
	mdl.cpus[m.ID].cur.Store(t)
	return t
}

// does makes m's CPU an actor that runs a task: it does each of body, then ends, and m
// goes on.
func (tn *turns) does(m *M, body ...op) *cpu {
	mdl := tn.mdl
	t := mdl.runs(m, steps(body...))
	if t.lockedm != nil {
		panic("a task that runs is tied")
	}
	c := mdl.cpus[m.ID]
	return tn.act(m, func() {
		c.then = func() { mdl.s.Schedule(m) }
		v := goOn
		for v == goOn {
			v = t.body(c, t)
		}
		c.leave(t, v)
		c.goOn()
	})
}

// asleep makes m, which has no P, an actor that is on its way to sleep.
func (tn *turns) asleep(m *M) *cpu {
	return tn.act(m, func() {
		tn.mdl.s.stopM(m)
		tn.mdl.s.Schedule(m)
	})
}

// long is a system call in which the tick has time to come twice.
func long(c *cpu, t *task) verdict { return c.call(t, true, c.last(3*RetakeAfter)) }

// short is a call that no tick notices.
func short(c *cpu, t *task) verdict { return c.call(t, false, c.last(1)) }

// [S1]: a call is noticed, its P taken and handed on, while it returns and others fall
// asleep: with work on the P, elsewhere, or none.
func TestRetakeMeetsReturn(t *testing.T) {
	for _, work := range []string{"none", "local", "global"} {
		for procs := int32(1); procs <= 2; procs++ {
			exploreBy(t, 3, 300, func() (*turns, []*cpu) {
				mdl, tn := newTurns(2, procs, 1)
				s := mdl.s
				mdl.started(2)
				m0 := mdl.running(0)
				switch work {
				case "local":
					s.runqPut(m0, s.P(0), &mdl.gs(1)[0].G, false)
				case "global":
					s.GlobrunqPut(m0, &mdl.gs(1)[0].G)
				}
				// There is work, and no M has been woken for it yet.
				wake := func(c *cpu, t *task) verdict { s.WakeP(m0); return goOn }
				return tn, []*cpu{tn.does(m0, wake, long), tn.asleep(s.M(1))}
			})
		}
	}
}

// [P4]: the world is stopped, resized and restarted while tasks go into calls and come back,
// and while an M falls asleep.
func TestStopMeetsCalls(t *testing.T) {
	for procs := int32(2); procs <= 3; procs++ {
		for _, call := range []op{short, long} {
			exploreBy(t, 3, 300, func() (*turns, []*cpu) {
				mdl, tn := newTurns(3, procs, 1)
				s := mdl.s
				mdl.started(3)
				m0, m1 := mdl.running(0), mdl.running(1)
				stop := func(c *cpu, t *task) verdict { c.stopWorld(t, 5-procs); return goOn }
				return tn, []*cpu{tn.does(m0, stop), tn.does(m1, call, call), tn.asleep(s.M(2))}
			})
		}
	}
}

// Every P is visited while tasks go into calls and come back, and while an M falls asleep.
func TestVisitMeetsCalls(t *testing.T) {
	for procs := int32(2); procs <= 3; procs++ {
		for _, call := range []op{short, long} {
			exploreBy(t, 3, 300, func() (*turns, []*cpu) {
				mdl, tn := newTurns(3, procs, 1)
				s := mdl.s
				mdl.started(3)
				m0, m1 := mdl.running(0), mdl.running(1)
				visit := func(c *cpu, t *task) verdict { c.visit(t); return goOn }
				return tn, []*cpu{tn.does(m0, visit), tn.does(m1, call, call), tn.asleep(s.M(2))}
			})
		}
	}
}

// [S1, P4]: a call is noticed and its P taken by one M, while another stops the world.
func TestStopMeetsRetake(t *testing.T) {
	exploreBy(t, 3, 300, func() (*turns, []*cpu) {
		mdl, tn := newTurns(3, 2, 1)
		s := mdl.s
		mdl.started(3)
		m0, m1 := mdl.running(0), mdl.running(1)
		s.runqPut(m1, s.P(1), &mdl.gs(1)[0].G, false)
		stop := func(c *cpu, t *task) verdict { c.stopWorld(t, 2); return goOn }
		return tn, []*cpu{tn.does(m0, stop), tn.does(m1, long), tn.asleep(s.M(2))}
	})
}

// [G6]: another M looks at a task in its call while its P is taken and it returns.
func TestLookMeetsRetake(t *testing.T) {
	exploreBy(t, 3, 300, func() (*turns, []*cpu) {
		mdl, tn := newTurns(3, 2, 1)
		s := mdl.s
		mdl.started(3)
		m0, m1 := mdl.running(0), mdl.running(1)
		s.runqPut(m1, s.P(1), &mdl.gs(1)[0].G, false)
		return tn, []*cpu{tn.does(m0, opLook, opLook), tn.does(m1, long), tn.asleep(s.M(2))}
	})
}

// [M13]: an M stops for its own G while one or two others find it, or another that is tied to
// it, and pass them.
func TestPassMeetsStop(t *testing.T) {
	for _, both := range []bool{false, true} {
		for procs := int32(2); procs <= 3; procs++ {
			exploreBy(t, 3, 300, func() (*turns, []*cpu) {
				mdl, tn := newTurns(3, procs, 1)
				s := mdl.s
				mdl.started(3)
				m0, m1, m2 := mdl.running(0), mdl.running(1), s.M(2)
				own := mdl.tied(m0, 2)
				s.runqPut(m1, s.P(1), &own[0].G, false)
				as := []*cpu{
					tn.act(m0, func() { s.ScheduleLocked(m0) }),
					tn.act(m1, func() { s.Schedule(m1) }),
				}
				if both && procs == 3 {
					mdl.running(2)
					s.runqPut(m2, s.P(2), &own[1].G, false)
					return tn, append(as, tn.act(m2, func() { s.Schedule(m2) }))
				} else if both {
					s.GlobrunqPut(m0, &own[1].G)
				}
				return tn, append(as, tn.asleep(m2))
			})
		}
	}
}

// [M13]: two Ms pass each other what is tied to the other, and stop for their own.
func TestPassMeetsPass(t *testing.T) {
	for procs := int32(2); procs <= 3; procs++ {
		exploreBy(t, 3, 300, func() (*turns, []*cpu) {
			mdl, tn := newTurns(3, procs, 1)
			s := mdl.s
			mdl.started(3)
			m0, m1 := mdl.running(0), mdl.running(1)
			s.runqPut(m1, s.P(1), &mdl.tied(m0, 1)[0].G, false)
			s.runqPut(m0, s.P(0), &mdl.tied(m1, 1)[0].G, false)
			return tn, []*cpu{
				tn.act(m0, func() { s.ScheduleLocked(m0) }),
				tn.act(m1, func() { s.ScheduleLocked(m1) }),
				tn.asleep(s.M(2)),
			}
		})
	}
}

// [N1]: a device tells something at every moment of another M's way to sleep.
func TestDeviceMeetsSleep(t *testing.T) {
	for _, timed := range []bool{false, true} {
		exploreBy(t, 3, 300, func() (*turns, []*cpu) {
			mdl, tn := newTurns(2, 2, 1)
			s := mdl.s
			mdl.started(2)
			m0, m1 := mdl.running(0), mdl.running(1)
			if timed {
				mdl.addTimer(0, timer{when: 1 << 40})
			}
			reader := mdl.gs(1)[0]
			reader.status.Store(waiting)
			mdl.dev.waiters.Add(1)
			return tn, []*cpu{
				tn.act(m1, func() { s.Schedule(m1) }),
				tn.act(m0, func() {
					tn.point("interrupt")
					mdl.dev.ended = append(mdl.dev.ended, reader)
					mdl.dev.told.Add(1)
					s.KickSleeper(m0)
				}),
			}
		})
	}
}

// [M11]: an M ends with its G while others pass it what is tied to it, or fall asleep.
func TestExitMeetsSleep(t *testing.T) {
	for procs := int32(1); procs <= 2; procs++ {
		exploreBy(t, 3, 300, func() (*turns, []*cpu) {
			mdl, tn := newTurns(2, procs, 1)
			s := mdl.s
			mdl.started(2)
			m0 := mdl.running(0)
			s.runqPut(m0, s.P(0), &mdl.gs(1)[0].G, false)
			return tn, []*cpu{tn.does(m0, opTie), tn.asleep(s.M(1))}
		})
	}
}

// [M5]: foreign code is called while the world stops and an M falls asleep.
func TestStopMeetsForeignCode(t *testing.T) {
	exploreBy(t, 3, 300, func() (*turns, []*cpu) {
		mdl, tn := newTurns(3, 2, 1)
		s := mdl.s
		mdl.started(3)
		m0, m1 := mdl.running(0), mdl.running(1)
		s.runqPut(m1, s.P(1), &mdl.gs(1)[0].G, false)
		stop := func(c *cpu, t *task) verdict { c.stopWorld(t, 3); return goOn }
		foreign := func(c *cpu, t *task) verdict {
			return c.call(t, false, func() { s.HandoffSyscall(c.m) })
		}
		return tn, []*cpu{tn.does(m0, stop), tn.does(m1, foreign), tn.asleep(s.M(2))}
	})
}
