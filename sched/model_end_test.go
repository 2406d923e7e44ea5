package sched

// judge receives checkEnd's errors: a test, or the explorer.
type judge interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
	Failed() bool
}

// checkEnd checks a scheduler that came to rest after all tasks ended, except those that wait for
// ever.
func (mdl *model) checkEnd(t judge) {
	t.Helper()
	if msg := mdl.failure(); msg != "" {
		t.Fatalf("%s", msg)
	}
	s := mdl.s
	if mdl.live.Load() != mdl.doomed.Load() {
		t.Errorf("%d tasks never ended, and %d should not", mdl.live.Load(), mdl.doomed.Load())
	}
	if mdl.spinning.Load() != 0 || mdl.idle.Load() != s.Procs() || s.nmidle+s.nmlocked != s.nms || s.runq.n != 0 || s.runqsize.Load() != 0 {
		t.Errorf("counters at rest are wrong")
	}
	if s.nsysmon != 0 || s.nextra != 0 || s.stopwait != 0 || s.safewait != 0 || s.stopper != 0 || mdl.stopping.Load() {
		t.Errorf("somebody is in sysmon, is borrowed, or stops the world")
	}
	if mdl.nparked != s.nms {
		t.Errorf("MsAsleep told %d of %d", mdl.nparked, s.nms)
	}
	if mdl.dev.waiters.Load() != 0 || mdl.dev.told.Load() != 0 {
		t.Errorf("N1: the device has %d waiters, and told of %d", mdl.dev.waiters.Load(), mdl.dev.told.Load())
	}
	mdl.checkEndMs(t)
	mdl.checkEndTasks(t)
	if mdl.deads == 0 && s.nforeignUsed == 0 {
		t.Errorf("U6: the last M parked and nobody was told")
	}
	if t.Failed() {
		t.Logf("%s", mdl.dump())
	}
}

// checkEndMs is checkEnd for Ps and Ms.
func (mdl *model) checkEndMs(t judge) {
	t.Helper()
	s := mdl.s
	ps := 0
	for p := s.pidle.ptr(); p != nil; p = p.link.ptr() {
		if !p.Idle() || p.M() != nil || !p.runqEmpty() {
			t.Errorf("P2: P %d at rest", p.ID)
		}
		ps++
	}
	ms := int32(0)
	for m := s.midle.ptr(); m != nil; m = m.link.ptr() {
		if m.P() != nil || m.Spinning() || m.state.Load() != mIdle {
			t.Errorf("M1: M %d at rest", m.ID)
		}
		ms++
	}
	if int32(ps) != s.Procs() || ms != s.nmidle {
		t.Errorf("lists of %d Ps and %d Ms, of %d and %d", ps, ms, s.Procs(), s.nmidle)
	}
	tied := map[*M]int32{}
	for _, task := range mdl.tasks {
		if task.lockedm != nil {
			tied[task.lockedm]++
		}
	}
	exits := 0
	for i := range int32(mdl.ncpu) {
		m := s.M(i)
		if m.lockedq.n != 0 || m.nlockedq.Load() != 0 || m.lent || m.nextp.Load() != 0 || m.callSince.Load() != 0 {
			t.Errorf("M13: M %d at rest has Gs of its own, a P, or a call", i)
		}
		if m.LockedGs != tied[m] || m.state.Load() == mLockedWait && m.LockedGs == 0 {
			t.Errorf("M6: M %d counts %d Gs as tied, and not %d", i, m.LockedGs, tied[m])
		}
		exits += mdl.cpus[i].lives
		exits -= int(m.Stats[Exits])
	}
	if exits != 0 {
		t.Errorf("M11: the count of exits is off by %d", -exits)
	}
}

// checkEndTasks is checkEnd for tasks and the count of their dispatches.
func (mdl *model) checkEndTasks(t judge) {
	t.Helper()
	runs := uint64(0)
	doomed := int32(0)
	for _, task := range mdl.tasks {
		status := task.status.Load()
		if status == waiting {
			doomed++
		} else if status != dead {
			t.Errorf("task %d: status %d", task.id, status)
		}
		if task.queued.Load() != 0 {
			t.Errorf("task %d is marked as queued", task.id)
		}
		runs += task.runs
	}
	if doomed != mdl.doomed.Load() {
		t.Errorf("%d tasks wait for ever, and not %d", doomed, mdl.doomed.Load())
	}
	for i := range mdl.s.ms {
		runs -= mdl.s.ms[i].Stats[Runs]
	}
	if runs != 0 {
		t.Errorf("the Ms' counts of dispatches are off by %d", int64(runs))
	}
}
