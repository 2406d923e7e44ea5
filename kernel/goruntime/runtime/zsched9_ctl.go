//go:build sched9 && sched9names

package runtime

import (
	narch "sched9/arch"
	"sched9/kernel/names"
	nrecord "sched9/record"
	nsched "sched9/sched"
)

// What the words do that are written to ctl files. Package names parses them.

// sched9Command carries out what was written to a ctl file of that kind.
func sched9Command(kind names.Kind, id uint64, line string) names.Errno {
	word, arg, err := kind.Parse(line)
	if err != 0 {
		return err
	}
	switch kind {
	case names.ProcCtl:
		return sched9CommandG(id, word, arg)
	case names.MCtl:
		return sched9PreemptM(int32(id))
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
		stop := sched9HoldWorld()
		systemstack(func() {
			nm := getg().m.nsched
			on := narch.SaveIRQ() // no tick comes between the two
			sched9.SetSlice(nm, ns)
			nm.Rec.Record(nrecord.EvSlice, 0, uint64(sched9.Slice()), 0)
			narch.RestoreIRQ(on)
		})
		sched9FreeWorld(stop)
	case names.WordPolicy:
		p := nsched.PolicyNamed(arg)
		if p == nil {
			return kind.BadArg(word)
		}
		if p != sched9.Policy() && !(p.Changeable() && sched9.Policy().Changeable()) {
			return kind.Err(names.Fixed)
		}
		stop := sched9HoldWorld()
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
		sched9FreeWorld(stop)
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

// sched9PreemptM has the goroutine that runs on M id leave. If it is the caller it gives way.
func sched9PreemptM(id int32) (e names.Errno) {
	own := false
	systemstack(func() {
		e = names.MCtl.Err(names.Nobody)
		lock(&allpLock)
		for _, pp := range allp {
			mp := pp.m.ptr()
			switch {
			case mp == nil || mp.nsched.ID != id:
			case mp == getg().m:
				own, e = true, 0
			case preemptone(pp):
				e = 0
			}
		}
		unlock(&allpLock)
	})
	if own {
		Gosched()
	}
	return e
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
	stop := sched9HoldWorld()
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
	sched9FreeWorld(stop)
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
