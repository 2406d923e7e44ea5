//go:build sched9 && sched9names

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	narch "sched9/arch"
	nkernel "sched9/kernel"
	"sched9/kernel/names"
	nsched "sched9/sched"
	"unsafe"
)

// A goroutine that others stop, start, or make panic: /proc/GOID/ctl.

// sched9NamesOfG is how much of a g is there for names: /proc/GOID.
const sched9NamesOfG = unsafe.Sizeof(sched9Spent{}) + unsafe.Sizeof(sched9Halt{}) + nsched.HomeOfG

// sched9Halt is the part of g for that.
//
// stop goes from haltNo to haltAsked when it is to be stopped, to haltDone when it is, and from either to haltNo by start. The M that is about to
// run the goroutine parks it first and then tries to go from haltAsked to haltDone; start exchanges the word for haltNo. The first of the two decides:
// if start is, the M finds that and runs the goroutine after all; otherwise start finds haltDone, and the goroutine, which has left its M
// by then, is start's to make ready. So it is made ready exactly once.
type sched9Halt struct {
	stop  atomic.Uint32
	noted atomic.Uint32 // note is to be delivered
	note  string        // written while noted is 0, by one party that holds sched9Noting; read by the goroutine while it is 1
}

const (
	haltNo = iota
	haltAsked
	haltDone
)

// sched9HaltAsked is not 0 if sched9HaltHere has to be asked before gp runs.
func sched9HaltAsked(gp *g) uint32 { return gp.nhalt.stop.Load() }

// sched9HaltHere is called by an M that is about to run gp, with all that this takes. If gp is not to run it is parked,
// and the M looks for another: then sched9HaltHere does not return.
func sched9HaltHere(gp *g) {
	if gp.nhalt.stop.Load() != haltAsked {
		return
	}
	// As execute and park_m do: it runs, and parks at once.
	mp := getg().m
	mp.curg = gp
	gp.m = mp
	casgstatus(gp, _Grunnable, _Grunning)
	trace := traceAcquire()
	if trace.ok() {
		trace.GoStart()
		trace.GoPark(traceBlockGeneric, 0)
	}
	gp.waitreason = sched9HaltReason
	gp.waitsince = int64(sched9Clock())
	casgstatus(gp, _Grunning, _Gwaiting)
	if trace.ok() {
		traceRelease(trace)
	}
	dropg()
	if gp.nhalt.stop.CompareAndSwap(haltAsked, haltDone) {
		schedule()
	}
	trace = traceAcquire()
	casgstatus(gp, _Gwaiting, _Grunnable)
	if trace.ok() {
		trace.GoUnpark(gp, 0)
		traceRelease(trace)
	}
}

// sched9Stop asks that gp, goroutine id, be stopped, and makes it leave its M if it runs. On another goroutine.
func sched9Stop(gp *g, id uint64) names.Errno {
	gone := true
	sched9Suspended(gp, id, func() {
		gone = false
		gp.nhalt.stop.CompareAndSwap(haltNo, haltAsked)
		gp.preempt = true // one in a system call leaves on its way out
	})
	if gone {
		return names.ProcCtl.Err(names.Gone)
	}
	return 0
}

// sched9Start is the end of sched9Stop.
func sched9Start(gp *g) names.Errno {
	switch gp.nhalt.stop.Swap(haltNo) {
	case haltNo:
		return names.ProcCtl.Err(names.NotStopped)
	case haltDone:
		systemstack(func() { ready(gp, 0, true) })
	}
	return 0
}

// sched9Noting is held by the one goroutine that sends a note.
var sched9Noting mutex

// sched9SendNote makes gp, goroutine id, panic with text where it next computes at a point at which all its pointers are known.
// Its processor is interrupted until it has, for a second and a thousand times at most: on a machine that stands still for a second
// the goroutine has not had its chance. On another goroutine.
func sched9SendNote(gp *g, id uint64, text string) names.Errno {
	lock(&sched9Noting)
	taken := gp.nhalt.noted.Load() != 0
	if !taken {
		gp.nhalt.note = text
		gp.nhalt.noted.Store(1)
	}
	unlock(&sched9Noting)
	if taken {
		return names.ProcCtl.Err(names.Busy)
	}
	for end, tries := nanotime()+1e9, 0; nanotime() < end || tries < 1000; tries++ {
		if gp.nhalt.noted.Load() == 0 {
			return 0
		}
		if gp.goid != id || readgstatus(gp)&^_Gscan == _Gwaiting {
			break
		}
		if mp := gp.m; mp != nil && mp.nsched != nil && readgstatus(gp) == _Grunning {
			nkernel.SendPreempt(int(mp.nsched.ID))
		}
		timeSleep(100_000)
	}
	if gp.nhalt.noted.Swap(0) == 0 {
		return 0
	}
	switch {
	case gp.goid != id || readgstatus(gp)&^_Gscan == _Gdead:
		return names.ProcCtl.Err(names.Gone)
	case readgstatus(gp)&^_Gscan == _Gwaiting:
		return names.ProcCtl.Err(names.Waits)
	}
	return names.ProcCtl.Err(names.Unheard)
}

// sched9Noted reports whether gp, which runs here, has a note. Interrupt context.
func sched9Noted(gp *g) bool { return gp.nhalt.noted.Load() != 0 }

// sched9Note makes gp, interrupted at f at pc where that can be, call sigpanic, as an instruction there that faults does. Interrupt context.
func sched9Note(f *narch.Frame, gp *g, pc uintptr) {
	gp.sig, gp.sigcode0, gp.sigcode1, gp.sigpc = 0, 0, 0, pc
	f.Call(abi.FuncPCABI0(sigpanic0), pc)
}

// sched9TakeNote begins sigpanic: it panics if gp was made to call that for its note. If the note was taken back meanwhile, or it has none, the
// fault's own signal decides; a note has none.
func sched9TakeNote() {
	gp := getg()
	if gp.sig != 0 {
		return
	}
	text := "taken back"
	if gp.nhalt.noted.CompareAndSwap(1, 0) {
		text = gp.nhalt.note
	}
	panic(plainError("note: " + text))
}
