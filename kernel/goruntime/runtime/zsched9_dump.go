//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	narch "sched9/arch"
	nkernel "sched9/kernel"
	nrecord "sched9/record"
	nsched "sched9/sched"
	"unsafe"
)

// sched9Symbol names pc: see upSymbol. Everything else is stopped; nothing may be assumed but the image's tables.
func sched9Symbol(pc uintptr, call int) (name, file string, line int32, more bool) {
	f := findfunc(pc)
	if !f.valid() {
		return "", "", 0, false
	}
	u, uf := newInlineUnwinder(f, pc)
	for ; call > 0 && u.isInlined(uf); call-- {
		uf = u.next(uf)
	}
	file, line = funcline1(f, uf.pc, false)
	return u.srcFunc(uf).name(), file, line, u.isInlined(uf)
}

// sched9Whose tells which goroutine f was in, or for which its M's other stacks were in use,
// and where it stands.
func sched9Whose(f *narch.Frame) (goid uint64, pc, fp uintptr) {
	gp := (*g)(unsafe.Pointer(f.G))
	if gp.m == nil || gp.m.curg == nil {
		return 0, 0, 0
	}
	switch curg := gp.m.curg; {
	case curg == gp:
		return gp.goid, f.PC(), f.FP()
	case readgstatus(curg)&^_Gscan == _Gsyscall:
		return curg.goid, curg.syscallpc, curg.syscallbp
	default: // systemstack noted it
		return curg.goid, curg.sched.pc, curg.sched.bp
	}
}

// sched9Field prints " name=v".
func sched9Field(name string, v int64) {
	nkernel.Print(" ", name, "=")
	nkernel.PrintInt(v)
}

// sched9Dump prints every M and P, and then every G [V4]. All other processors are stopped,
// so it reads without locks; it must not call anything that could need one.
func sched9Dump() {
	for i := int32(0); i < sched9.Started(); i++ {
		nm := sched9.M(i)
		nkernel.Print("  M")
		nkernel.PrintInt(int64(i))
		nkernel.Print(":")
		if np := nm.P(); np != nil {
			sched9Field("p", int64(np.ID))
		}
		if mp := sched9ToM(nm); mp != nil {
			if mp.curg != nil {
				sched9Field("curg", int64(mp.curg.goid))
			}
			sched9Field("locks", int64(mp.locks))
		}
		if nm.Spinning() {
			nkernel.Print(" spinning")
		}
		if nm.Asleep() {
			nkernel.Print(" asleep")
		}
		if nm.LockedGs > 0 {
			sched9Field("tied", int64(nm.LockedGs))
		}
		sched9Field("runs", int64(nm.Stats[nsched.Runs]))
		sched9Field("ticks", int64(nm.Stats[nsched.Ticks]))
		sched9Field("slices", int64(nm.Stats[nsched.Slices]))
		nkernel.Print("\n")
	}
	for i := int32(0); i < sched9.Procs(); i++ {
		np := sched9.P(i)
		nkernel.Print("  P")
		nkernel.PrintInt(int64(i))
		nkernel.Print(":")
		if np.M() != nil {
			sched9Field("m", int64(np.M().ID))
		} else if np.Idle() {
			nkernel.Print(" idle")
		} else {
			nkernel.Print(" stopped or in hand-over")
		}
		sched9Field("runq", int64(np.Len()))
		sched9Field("tick", int64(np.Schedtick()))
		nkernel.Print("\n")
	}
	nkernel.Print("  global queue:")
	sched9Field("len", int64(sched9.GlobrunqLen()))
	sched9Field("sleeping Ms", int64(sched9.Asleep()))
	sched9Field("spinning", int64(sched.nmspinning.Load()))
	nkernel.Print("\n")
	sched9Stacks()
}

// sched9Report gives the scheduler's counters to the host.
func sched9Report() {
	var sum nsched.Stats
	for i := int32(0); i < sched9.Started(); i++ {
		s := &sched9.M(i).Stats
		sched9Counters(s, int(i))
		sum.Add(s)
	}
	sched9Counters(&sum, -1)
	nkernel.Count("ms", -1, uint64(sched9.Started()))
	nkernel.Count("stops", -1, sched9Stops.Load())
	nkernel.Count("audits", -1, sched9Audits.done)
	nkernel.Count("goroutines", -1, uint64(NumGoroutine()))
	if nsched.Hunting {
		h := sched9.Hunter()
		nkernel.Count("hunt_strategy", -1, uint64(h.Strategy()))
		nkernel.Count("hunt_picks", -1, h.Count.Picks)
		nkernel.Count("hunt_choices", -1, h.Count.Choices)
		nkernel.Count("hunt_points", -1, h.Count.Points)
		nkernel.Count("hunt_clocks", -1, h.Count.Clocks)
		nkernel.Count("hunt_preempts", -1, h.Count.Preempts)
		nkernel.Count("hunt_hash", -1, h.Count.Hash)
		nkernel.Count("hunt_space", -1, h.Space())
		sched9HuntTellReport()
	}
}

// sched9Counters gives one M's counters to the host, or the sums if id is -1.
func sched9Counters(s *nsched.Stats, id int) {
	for i, name := range nsched.CounterNames {
		nkernel.Count(name, id, s[i])
	}
}

// sched9Trace is schedtrace: the line of GODEBUG=schedtrace [V1], and with scheddetail=1 a row for
// each P and M. The line's numbers are from one moment, the rows' may be from a later one. A
// program that dies holds the print lock when it comes here and waits for the scheduler lock, so
// code that holds the scheduler lock must not print.
func sched9Trace(detailed bool) {
	now := nanotime()
	if starttime == 0 {
		starttime = runtimeInitTime
	}
	var queues [nrecord.MaxProcs]int32
	lock(&sched.lock)
	procs, idle, started := gomaxprocs, sched.npidle.Load(), sched9.Started()
	spinning, parked, global := sched.nmspinning.Load(), sched9.Asleep(), sched9.GlobrunqLen()
	for i := int32(0); i < procs; i++ {
		queues[i] = int32(sched9.P(i).Len())
	}
	unlock(&sched.lock)

	printlock() // one line, whatever others print
	print("SCHED ", (now-starttime)/1e6, "ms: gomaxprocs=", procs, " idleprocs=", idle, " threads=", started,
		" spinningthreads=", spinning, " idlethreads=", parked, " runqueue=", global, " [")
	for i, n := range queues[:procs] {
		if i > 0 {
			print(" ")
		}
		print(n)
	}
	print("]\n")
	if detailed {
		for i := int32(0); i < procs; i++ {
			np := sched9.P(i)
			id := int32(-1)
			if nm := np.M(); nm != nil {
				id = nm.ID
			}
			print("  P", i, ": status=", allp[i].status, " schedtick=", np.Schedtick(), " m=", id, " runqsize=", np.Len(), " timerslen=", len(allp[i].timers.heap), "\n")
		}
		for i := int32(0); i < sched9.Started(); i++ {
			nm := sched9.M(i)
			id := int32(-1)
			if np := nm.P(); np != nil {
				id = np.ID
			}
			print("  M", i, ": p=", id, " spinning=", nm.Spinning(), " blocked=", nm.Asleep(), " tied=", nm.LockedGs, " runs=", nm.Stats[nsched.Runs], " steals=", nm.Stats[nsched.Steals], "\n")
		}
		forEachG(sched9TraceG)
	}
	printunlock()
}

// sched9TraceG prints the row of gp for scheddetail.
func sched9TraceG(gp *g) {
	id, tied := int32(-1), int32(-1)
	if mp := gp.m; mp != nil && mp.nsched != nil {
		id = mp.nsched.ID
	}
	if mp := gp.lockedm.ptr(); mp != nil {
		tied = mp.nsched.ID
	}
	print("  G", gp.goid, ": status=", readgstatus(gp), "(", gp.waitreason.String(), ") m=", id, " lockedm=", tied, "\n")
}

// sched9Stops counts stops of the world.
var sched9Stops atomic.Uint64
