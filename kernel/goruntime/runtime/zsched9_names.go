//go:build sched9 && sched9names

package runtime

import (
	nvirtionet "sched9/drivers/virtionet"
	nkernel "sched9/kernel"
	"sched9/kernel/names"
	nrecord "sched9/record"
	nsched "sched9/sched"
	"unsafe"
)

// What the files of package names hold. kernel/made.go says how an open comes here; what the words of ctl files do is in zsched9_ctl.go.

// sched9HasG reports whether there is a goroutine with that number. A goroutine's g is never given back, so it can be looked at without a lock.
func sched9HasG(id uint64) bool { return sched9Goroutine(id) != nil }

// sched9GAt returns the number of the i-th goroutine that the runtime made, 0 if it has ended, and whether there are so many.
func sched9GAt(i int) (id uint64, more bool) {
	first, n := atomicAllG()
	if uintptr(i) >= n {
		return 0, false
	}
	if gp := atomicAllGIndex(first, uintptr(i)); sched9Lives(gp) {
		return gp.goid, true
	}
	return 0, true
}

// sched9InCall reports whether this M's goroutine is in a system call.
func sched9InCall() bool {
	curg := getg().m.curg
	return curg != nil && readgstatus(curg)&^_Gscan == _Gsyscall
}

// sched9Lives reports whether gp is a goroutine now. Any context; a hint.
func sched9Lives(gp *g) bool {
	switch readgstatus(gp) &^ _Gscan {
	case _Gidle, _Gdead, _Gdeadextra:
		return false
	}
	return true
}

// sched9Goroutine returns the g of goroutine id, or nil.
func sched9Goroutine(id uint64) *g {
	first, n := atomicAllG()
	for i := range n {
		if gp := atomicAllGIndex(first, i); gp.goid == id && sched9Lives(gp) {
			return gp
		}
	}
	return nil
}

// sched9Served completes system call r, whose leaf left it to the goroutine: an open of a file that is to be made, or a
// write to a ctl file. It returns the call's result and 0, or an error. On the calling goroutine, outside of any system call.
func sched9Served(r uintptr) (result, errno uintptr) {
	n := r & (1<<56 - 1)
	number, size := n&(1<<20-1), n>>20 // kernel/made.go: sizeShift
	var line []byte
	if size > 0 {
		line = make([]byte, names.MaxCommand)
	}
	var kind names.Kind
	var id uint64
	ok := false
	systemstack(func() { kind, id, ok = nkernel.MadeFile(n, line) })
	const eBADF = 9
	switch {
	case !ok:
		return ^uintptr(0), eBADF
	case size > 0:
		if e := sched9Command(kind, id, string(line[:size])); e != 0 {
			return ^uintptr(0), uintptr(e)
		}
		return size, 0
	}
	if kind == names.Trace {
		if errno = uintptr(sched9OpenTrace(number)); errno != 0 {
			systemstack(func() { nkernel.CloseMade(number) })
			return ^uintptr(0), errno
		}
		return number, 0
	}
	// The room is a guess: if it is too small what there is to tell is looked at again.
	t := names.Text{Full: true}
	for room := 4 << 10; t.Full && errno == 0; room *= 4 {
		t = names.Text{Buf: make([]byte, room)}
		errno = uintptr(sched9Make(&t, kind, id))
	}
	if errno == 0 {
		systemstack(func() { errno = uintptr(nkernel.FillMade(number, t.Buf[:t.N])) })
	}
	if errno != 0 {
		systemstack(func() { nkernel.CloseMade(number) })
		return ^uintptr(0), errno
	}
	return number, 0
}

// sched9Sentence says what an error of these files is, "" if it is another.
func sched9Sentence(e uintptr) string {
	t := names.Text{Buf: make([]byte, 1<<10)}
	t.Sentence(names.Errno(e))
	return string(t.Buf[:t.N])
}

// sched9Make puts into t what a file of that kind holds now.
func sched9Make(t *names.Text, kind names.Kind, id uint64) names.Errno {
	switch kind {
	case names.SchedStatus:
		sched9MakeSched(t)
	case names.SchedNet:
		c := nvirtionet.Get().Counts()
		for _, f := range [...]struct {
			name  string
			value uint64
		}{{"received", c.Received}, {"sent", c.Sent}, {"wrong", c.Long + c.Lies}} {
			t.Word(f.name)
			t.Int(int64(f.value))
			t.End()
		}
		for i := nrecord.DropSend; i < nrecord.NumDrops; i++ {
			t.Word("dropped-" + nrecord.DropNames[i])
			t.Int(int64(sched9NetDrops[i].Load()))
			t.End()
		}
	case names.SchedPolicy:
		for _, p := range nsched.Policies {
			if t.Word(p.Name); p == sched9.Policy() {
				t.Word("*")
			}
			t.End()
		}
	case names.SchedGlobal:
		ids := make([]uint64, sched9.GlobrunqLen()+64)
		n := 0
		systemstack(func() { n = sched9.GlobalQueued(ids) })
		for _, id := range ids[:n] {
			t.Int(int64(id))
			t.End()
		}
	case names.SchedCtl, names.ProcCtl, names.MCtl:
		t.Help(kind)
	case names.PStatus, names.PQueue, names.PTimers, names.PWired:
		sched9MakeP(t, kind, int32(id))
	case names.MStatus:
		sched9MakeM(t, int32(id))
	case names.Sysstat:
		for i := int32(0); i < sched9.Started(); i++ {
			nm, load := sched9.M(i), int64(0)
			if np := nm.P(); np != nil {
				load = int64(np.Len())
			}
			t.Int(int64(i))
			for _, c := range [...]nsched.Counter{nsched.Runs, nsched.Ticks, nsched.Wakes, nsched.Steals, nsched.Parks, nsched.Polls} {
				t.Int(int64(nm.Stats[c]))
			}
			t.Int(load)
			t.End()
		}
	case names.Kmesg:
		text := make([]byte, nkernel.MaxMessages)
		n := 0
		systemstack(func() { n = nkernel.Messages(text) })
		t.Add(string(text[:n]))
	case names.Machine:
		text := make([]byte, nkernel.MaxDescribed)
		n := 0
		systemstack(func() { n = nkernel.Facts(text) })
		t.Add(string(text[:n]))
	case names.RealTime:
		var sec int64
		ok := false
		systemstack(func() { sec, ok = nkernel.RealTime() })
		if ok {
			t.Int(sec)
			t.End()
		}
	case names.Time:
		sec, nsec := nkernel.Walltime()
		t.Int(sec)
		t.Int(sec*1e9 + int64(nsec))
		t.Int(nanotime())
		t.Int(1e9)
		t.End()
	default:
		gp := sched9Goroutine(id)
		if gp == nil {
			return kind.Err(names.Gone)
		}
		return sched9MakeG(t, kind, gp, id)
	}
	return 0
}

// sched9MakeSched makes /sched/status.
func sched9MakeSched(t *names.Text) {
	for _, f := range [...]struct {
		name  string
		value int64
	}{
		{"gomaxprocs", int64(gomaxprocs)}, {"idle", int64(sched.npidle.Load())}, {"ms", int64(sched9.Started())},
		{"spinning", int64(sched.nmspinning.Load())}, {"asleep", int64(sched9.Asleep())}, {"global", int64(sched9.GlobrunqLen())},
		{"goroutines", int64(gcount(false))}, {"stops", int64(sched9Stops.Load())}, {"audits", int64(sched9Audits.done)},
		{"collections", int64(memstats.numgc)}, {"slice", sched9.Slice()},
	} {
		t.Word(f.name)
		t.Int(f.value)
		t.End()
	}
}

// sched9MakeP makes a file of /sched/p.
func sched9MakeP(t *names.Text, kind names.Kind, i int32) {
	if kind == names.PStatus {
		t.Int(int64(i))
	}
	if i >= sched9.Procs() {
		if kind == names.PStatus {
			t.Word("off")
			for range 4 {
				t.Int(-1)
			}
			t.End()
		}
		return
	}
	np := sched9.P(i)
	mp := acquirem() // the number of Ps does not change meanwhile
	if i >= gomaxprocs {
		releasem(mp)
		return
	}
	timers, at, status := allp[i].timers.len.Load(), allp[i].timers.wakeTime(), allp[i].status
	releasem(mp)
	switch kind {
	case names.PTimers:
		if timers > 0 && at != 0 {
			t.Int(max(0, at-nanotime()))
			t.End()
		}
	case names.PWired:
		first, n := atomicAllG()
		for at := range n {
			if gp := atomicAllGIndex(first, at); sched9.WiredTo(&gp.nsched) == i && sched9Lives(gp) {
				t.Int(int64(gp.goid))
				t.End()
			}
		}
	case names.PQueue:
		var ids [nsched.RingSize]uint64
		n, next := np.Queued(ids[:])
		if next != 0 {
			t.Int(int64(next))
			t.Word("next")
			t.End()
		}
		for _, id := range ids[:n] {
			t.Int(int64(id))
			t.End()
		}
	case names.PStatus:
		state, m := "run", int64(-1)
		nm := np.M()
		switch {
		case np.Idle():
			state = "idle"
		case status == _Pgcstop:
			state = "stopped"
		case nm != nil:
			m = int64(nm.ID)
			if mp := sched9ToM(nm); mp != nil && mp.curg != nil && readgstatus(mp.curg)&^_Gscan == _Gsyscall {
				state = "call"
			}
		}
		t.Word(state)
		t.Int(m)
		t.Int(int64(np.Schedtick()))
		t.Int(int64(np.Len()))
		t.Int(int64(timers))
		t.End()
	}
}

// sched9MakeM makes /sched/m/N/status.
func sched9MakeM(t *names.Text, i int32) {
	nm := sched9.M(i)
	t.Int(int64(i))
	p, id := int64(-1), int64(-1)
	if np := nm.P(); np != nil {
		p = int64(np.ID)
	}
	if mp := sched9ToM(nm); mp != nil && mp.curg != nil {
		id = int64(mp.curg.goid)
	}
	switch {
	case i >= sched9.Started():
		t.Word("off")
	case nm.Asleep():
		t.Word("sleep")
	case nm.Spinning():
		t.Word("spin")
	default:
		t.Word("run")
	}
	t.Int(p)
	t.Int(id)
	for i, name := range nsched.CounterNames {
		t.Pair(name, nm.Stats[i])
	}
	t.End()
}

// sched9States are the names of a goroutine's states.
var sched9States = [...]string{_Grunnable: "ready", _Grunning: "run", _Gsyscall: "call", _Gwaiting: "wait", _Gdead: "dead", _Gcopystack: "run", _Gpreempted: "ready", _Gleaked: "wait", _Gdeadextra: "dead"}

// sched9MakeG makes a file of goroutine id, which gp was.
func sched9MakeG(t *names.Text, kind names.Kind, gp *g, id uint64) names.Errno {
	switch kind {
	case names.ProcStatus:
		sched9MakeStatus(t, gp)
	case names.ProcArgs:
		t.Word(sched9EntryName(gp.startpc))
		if f := findfunc(gp.gopc); f.valid() {
			tracepc := gp.gopc
			if tracepc > f.entry() {
				tracepc -= 1
			}
			file, line := funcline1(f, tracepc, false)
			t.Place(file, int64(line))
		} else {
			t.Word("-")
		}
		t.Int(int64(gp.parentGoid))
		t.End()
	case names.ProcWait:
		sched9MakeWait(t, gp, id)
	case names.ProcStack:
		pcs := make([]uintptr, 128)
		n := 0
		if gp == getg() {
			n = callers(3, pcs) // from the system call on
		} else if !sched9Suspended(gp, id, func() {
			var u unwinder
			u.initAt(^uintptr(0), ^uintptr(0), 0, gp, unwindSilentErrors)
			n = tracebackPCs(&u, 0, pcs)
		}) {
			return kind.Err(names.Gone)
		}
		frames := CallersFrames(pcs[:n])
		for n > 0 {
			f, more := frames.Next()
			t.Word(f.Function)
			t.Place(f.File, int64(f.Line))
			if t.End(); !more {
				break
			}
		}
	}
	return 0
}

// sched9MakeStatus makes /proc/GOID/status.
func sched9MakeStatus(t *names.Text, gp *g) {
	spent, turns, last, state := sched9SpentOf(gp)
	name := "wait"
	if state < uint32(len(sched9States)) {
		name = sched9States[state]
	}
	m, p, reason := int64(-1), int64(-1), "-"
	if turns > 0 {
		m = int64(last)
	}
	if mp := gp.m; mp != nil && mp.nsched != nil {
		m = int64(mp.nsched.ID)
		if np := mp.nsched.P(); np != nil && mp.curg == gp {
			p = int64(np.ID)
		}
	}
	if state == _Gwaiting {
		if reason = gp.waitreason.String(); gp.waitreason == sched9HaltReason {
			name = "stopped"
		}
	}
	t.Int(int64(gp.goid))
	t.Word(name)
	t.Int(m)
	t.Int(p)
	for _, c := range [...]int{spentRun, spentReady, spentCall, spentWait} {
		t.Int(spent[c])
	}
	t.Int(int64(turns))
	pri := int64(-1)
	if n, ok := sched9.Pri(&gp.nsched); ok {
		pri = int64(n)
	}
	t.Int(pri)
	t.Word(reason)
	t.Word(sched9EntryName(gp.startpc))
	t.Int(int64(sched9.WiredTo(&gp.nsched)))
	t.End()
}

// sched9MakeWait makes /proc/GOID/wait. While gp is held it cannot go on, so what it waits for stays; a channel's length may change.
func sched9MakeWait(t *names.Text, gp *g, id uint64) {
	type waited struct {
		c        uintptr
		len, cap uint
	}
	var chans [64]waited
	n, reason, since := 0, waitReasonZero, uint64(0)
	sched9Suspended(gp, id, func() {
		if readgstatus(gp)&^_Gscan != _Gwaiting {
			return
		}
		if reason, since = gp.waitreason, gp.nspent.since; reason == waitReasonPreempted {
			reason = waitReasonZero // it runs, and was made to stand still for this
			return
		}
		for sg := gp.waiting; sg != nil && n < len(chans); sg = sg.waitlink {
			if c := sg.c.get(); c != nil {
				chans[n] = waited{uintptr(unsafe.Pointer(c)), c.qcount, c.dataqsiz}
				n++
			}
		}
	})
	if reason == waitReasonZero {
		return
	}
	t.Word(reason.String())
	t.Int(nanotime() - nkernel.ClockOf(since))
	for _, c := range chans[:n] {
		t.Word("chan")
		t.Address(c.c)
		t.Int(int64(c.len))
		t.Int(int64(c.cap))
	}
	t.End()
}

// sched9Suspended calls fn while gp, goroutine id and another than the caller, stands where all of it can be looked at, and reports false if it has ended. It holds gp as the collector
// does. fn runs on the scheduler's stack, does not allocate, and does nothing that may wait for gp.
func sched9Suspended(gp *g, id uint64, fn func()) (ok bool) {
	self := getg()
	if gp == self {
		return false
	}
	systemstack(func() {
		// The collector, or another that suspends, may want the caller meanwhile.
		casGToWaitingForSuspendG(self, _Grunning, waitReasonTraceGoroutineStatus)
		state := suspendG(gp)
		if ok = !state.dead && gp.goid == id; ok {
			fn()
		}
		if !state.dead {
			resumeG(state)
		}
		casgstatus(self, _Gwaiting, _Grunning)
	})
	return ok
}
