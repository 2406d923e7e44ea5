//go:build sched9 && sched9names

package runtime

import (
	"internal/runtime/atomic"
	narch "sched9/arch"
	nvirtionet "sched9/drivers/virtionet"
	nkernel "sched9/kernel"
	"sched9/kernel/names"
	nrecord "sched9/record"
	nsched "sched9/sched"
	"unsafe"
)

// What the files of package names hold, and what their words do. kernel/made.go says how an open comes here.

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
	case names.SchedCtl, names.ProcCtl:
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

// sched9Spent is how long a goroutine was in which class of states, by the processor's counter, in which one it is, and since when.
// Written by whoever changes its state, of whom there is one at a time, just before. Any goroutine may read it meanwhile.
//
// No time goes back or is counted twice. seq is odd while the rest is written.
//
//   - A reader takes what it read if seq was even before and is the same afterwards. The writer's stores lie between the two of seq
//     (publicationBarrier, StoreRel), so the reader has all of one writer's and nothing of the next one's.
//   - It adds the time since the last change to the class that the writer has noted, not to that of the goroutine's status: that changes
//     later, and the writer's processor may stand still between the two. The next writer adds the time to the same class.
//   - It reads the clock before it looks at seq again, and a writer reads it after it has made seq odd. So what a writer closes a class with
//     is no less than what any reader has added before. Both change seq by an exchange, behind or before which no processor moves its clock (Xadd).
type sched9Spent struct {
	seq   uint32
	as    uint8 // the class that goes on
	in    [4]uint64
	since uint64
	turns uint64 // how often it was dispatched
	m     int32  // where it was last, if it was
}

// The classes.
const (
	spentReady = iota
	spentRun
	spentCall
	spentWait
)

// sched9Class is the class of each state.
var sched9Class = [16]uint8{_Grunnable: spentReady, _Grunning: spentRun, _Gsyscall: spentCall, _Gwaiting: spentWait, _Gcopystack: spentRun, _Gpreempted: spentWait, _Gleaked: spentWait}

// sched9Account begins a change of gp's state: the time until now belongs to the class that it was in. Any stack, with or without a P.
//
//go:nosplit
func sched9Account(gp *g, from, to uint32) {
	s := &gp.nspent
	seq := atomic.Xadd(&s.seq, 1)
	if seq&1 == 0 {
		throw("G1: two change a goroutine's state at once")
	}
	publicationBarrier()
	now := sched9Clock()
	if from == _Gdead || from == _Gidle {
		s.in, s.turns = [4]uint64{}, 0
		gp.nsched.ID = gp.goid // for /sched/p/N/queue, without a recorder too
	} else {
		s.in[s.as&3] += now - s.since
	}
	s.as, s.since = sched9Class[to&15], now
	if from == _Grunnable && to == _Grunning {
		s.turns++
		s.m = getg().m.nsched.ID
	}
	atomic.StoreRel(&s.seq, seq+1)
}

// sched9SpentOf returns what gp has spent in nanoseconds, up to now, how often it was dispatched and where last, and its state.
func sched9SpentOf(gp *g) (spent [4]int64, turns uint64, m int32, state uint32) {
	for {
		seq := atomic.Load(&gp.nspent.seq)
		s := gp.nspent
		state = readgstatus(gp) &^ _Gscan
		lives := sched9Lives(gp)
		now := sched9Clock()
		if seq&1 != 0 || atomic.Xadd(&gp.nspent.seq, 0) != seq {
			procyield(10) // it changes: the one who does that is on another processor, and is kept from nothing but by that
			continue
		}
		if lives {
			s.in[s.as&3] += now - s.since
		}
		for i, ticks := range s.in {
			spent[i] = nkernel.SpanOf(ticks)
		}
		return spent, s.turns, s.m, state
	}
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

// sched9Command carries out what was written to a ctl file of that kind.
func sched9Command(kind names.Kind, id uint64, line string) names.Errno {
	word, arg, err := kind.Parse(line)
	if err != 0 {
		return err
	}
	if kind == names.ProcCtl {
		return sched9CommandG(id, word, arg)
	}
	switch word {
	case names.WordProcs:
		n, ok := names.Number(arg)
		if !ok || n < 1 {
			return kind.BadArg(word)
		}
		if n > int64(sched9.MaxMs()) {
			return kind.Err(names.Procs)
		}
		GOMAXPROCS(int(n))
	case names.WordSlice:
		ns, ok := names.Duration(arg)
		if !ok || ns < 10e3 || ns > 10e9 {
			return kind.BadArg(word)
		}
		stop := stopTheWorld(stwUnknown)
		systemstack(func() {
			nm := getg().m.nsched
			on := narch.SaveIRQ() // no tick comes between the two
			sched9.SetSlice(nm, ns)
			nm.Rec.Record(nrecord.EvSlice, 0, uint64(sched9.Slice()), 0)
			narch.RestoreIRQ(on)
		})
		startTheWorld(stop)
	case names.WordPolicy:
		p := nsched.PolicyNamed(arg)
		if p == nil {
			return kind.BadArg(word)
		}
		if p != sched9.Policy() && !(p.Changeable() && sched9.Policy().Changeable()) {
			return kind.Err(names.Fixed)
		}
		stop := stopTheWorld(stwUnknown)
		systemstack(func() {
			nm := getg().m.nsched
			lock(&sched.lock)
			if sched9.Wired() != 0 && !p.Wires() {
				err = kind.Err(names.Wires)
			} else {
				sched9.SetPolicy(nm, p)
				nm.Rec.Record(nrecord.EvPolicy, 0, p.Packed(), 0)
			}
			unlock(&sched.lock)
		})
		startTheWorld(stop)
		return err
	case names.WordTrace:
		if arg != "on" && arg != "off" {
			return kind.BadArg(word)
		}
		return sched9TraceAll(arg == "on")
	case names.WordGC:
		GC()
	case names.WordAudit:
		sched9Audit()
	}
	return 0
}

// sched9CommandG carries out a word written to a goroutine's ctl.
func sched9CommandG(id uint64, word int, arg string) names.Errno {
	gp := sched9Goroutine(id)
	switch {
	case gp == nil:
		return names.ProcCtl.Err(names.Gone)
	case gp == getg() && word != names.WordWired:
		return names.ProcCtl.Err(names.Itself)
	case isSystemGoroutine(gp, false):
		return names.ProcCtl.Err(names.System)
	}
	switch word {
	case names.WordStop:
		return sched9Stop(gp, id)
	case names.WordStart:
		return sched9Start(gp)
	case names.WordPri:
		return sched9Prioritize(gp, id, arg)
	case names.WordWired:
		return sched9WireG(gp, id, arg)
	case names.WordTraced:
		if arg != "0" && arg != "1" {
			return names.ProcCtl.BadArg(word)
		}
		return sched9TraceOne(id, arg == "1")
	}
	return sched9SendNote(gp, id, arg)
}

// sched9WireG wires gp, goroutine id, to the P that arg is the number of, or to none. The stop of the world makes gp leave its P; the caller, which
// stops it, gives way afterwards.
func sched9WireG(gp *g, id uint64, arg string) (e names.Errno) {
	n, ok := int64(-1), arg == "any"
	if !ok {
		if n, ok = names.Number(arg); !ok {
			return names.ProcCtl.BadArg(names.WordWired)
		}
	}
	stop := stopTheWorld(stwUnknown)
	systemstack(func() {
		lock(&sched.lock)
		switch {
		case n >= int64(gomaxprocs):
			e = names.ProcCtl.Err(names.NoP)
		case n >= 0 && !sched9.Policy().Wires():
			e = names.ProcCtl.Err(names.NoWires)
		case gp.goid != id || !sched9Lives(gp):
			e = names.ProcCtl.Err(names.Gone)
		default:
			sched9.Wire(getg().m.nsched, &gp.nsched, int32(n))
		}
		unlock(&sched.lock)
	})
	startTheWorld(stop)
	if e == 0 && gp == getg() {
		Gosched()
	}
	return e
}

// sched9Ends is told that gp ends: it is wired to no P any more. On the scheduler's stack.
func sched9Ends(gp *g) {
	if sched9.WiredTo(&gp.nsched) >= 0 {
		lock(&sched.lock)
		sched9.WireEnds(&gp.nsched)
		unlock(&sched.lock)
	}
}

// sched9Prioritize gives gp, goroutine id, the priority that arg is the number of.
func sched9Prioritize(gp *g, id uint64, arg string) (e names.Errno) {
	n, ok := names.Number(arg)
	if !ok {
		return names.ProcCtl.BadArg(names.WordPri)
	}
	systemstack(func() {
		lock(&sched.lock)
		switch pris := sched9.Policy().Pris; {
		case pris == 0:
			e = names.ProcCtl.Err(names.NoPris)
		case n >= pris:
			e = names.ProcCtl.BadArg(names.WordPri)
		case gp.goid != id || !sched9Lives(gp):
			e = names.ProcCtl.Err(names.Gone)
		default:
			sched9.SetPri(getg().m.nsched, &gp.nsched, uint32(n))
		}
		unlock(&sched.lock)
	})
	return e
}
