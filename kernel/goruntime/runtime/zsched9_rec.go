//go:build sched9

package runtime

import (
	nrecord "sched9/record"
	"unsafe"
)

// Events of the runtime for the recorder (record/event.go). All of this runs where the M cannot
// change: on a scheduler stack, or in runtime code, which is preempted only where it asks for it.

// What sched9Append knows of the recorder, by way of go_asm.h: that has this package's constants.
const (
	sched9SlotsAt   = nrecord.SlotsAt
	sched9HeadAt    = nrecord.HeadAt
	sched9MaskAt    = nrecord.MaskAt
	sched9StampAt   = nrecord.StampAt
	sched9WhatAt    = nrecord.WhatAt // amd64's; arm64 stores both at once
	sched9ArgAt     = nrecord.ArgAt
	sched9TagAt     = nrecord.TagAt
	sched9SlotShift = nrecord.SlotShift
	sched9MinRing   = nrecord.MinRing
	sched9LapShift  = nrecord.LapShift
)

// sched9Append and sched9Clock are the recorder's, in assembly.
func sched9Append(r *nrecord.Recorder, what, arg, aux uint64)
func sched9Clock() uint64

// sched9Recording says that there is a recorder and that it is on. Set before
// there is a second M, or while the world is stopped (zsched9_trace.go).
var sched9Recording bool

// sched9Recorded reports whether what happens is recorded.
//
//go:nosplit
func sched9Recorded() bool { return nrecord.Recording && sched9Recording }

// sched9About says what the numbers in records mean. The module's data and the
// strings are of the image: they do not move.
func sched9About() nrecord.About {
	span := func(p unsafe.Pointer, n int) nrecord.Span {
		return nrecord.Span{At: uint64(uintptr(p)), Len: uint64(n)}
	}
	text := func(s string) nrecord.Span { return span(unsafe.Pointer(unsafe.StringData(s)), len(s)) }
	mod := &firstmoduledata
	table := unsafe.Pointer(mod.pcHeader)
	end := uintptr(unsafe.Pointer(unsafe.SliceData(mod.pclntable))) + uintptr(len(mod.pclntable))
	return nrecord.About{
		Text:    uint64(mod.text),
		Table:   span(table, int(end-uintptr(table))),
		Version: text(buildVersion),
		Reasons: span(unsafe.Pointer(&waitReasonStrings), len(waitReasonStrings)),
		Stops:   span(unsafe.Pointer(&stwReasonStrings), len(stwReasonStrings)),
		Funcs:   uint64(mod.gofunc),
		Policy:  text(sched9.Policy().Name),
		Waives:  text(sched9.Policy().Waives),
	}
}

// sched9Rec returns the recorder of the M that runs the caller, or nil: there
// is no M yet, or a place-holder.
//
//go:nosplit
func sched9Rec() *nrecord.Recorder {
	mp := getg().m
	if mp == nil || mp.nsched == nil {
		return nil
	}
	return mp.nsched.Rec
}

// sched9Record records something that is about no G.
//
//go:nosplit
func sched9Record(e nrecord.Event, arg uint64) {
	if !nrecord.Recording || !sched9Recording {
		return
	}
	if r := sched9Rec(); r != nil {
		r.Record(e, 0, arg, 0)
	}
}

// sched9Status checks and records a change of a G's status, before it is made: all changes but one
// go through casgstatus [G1]. Other Ms find the G in its new state only through a queue or a list,
// where it is put later.
//
//go:nosplit
func sched9Status(gp *g, from, to uint32) {
	sched9Edge(gp, from, to)
	if sched9Recording {
		sched9Transition(gp, from, to)
	}
}

// sched9Transition is sched9Status when the recorder is on.
//
//go:nosplit
func sched9Transition(gp *g, from, to uint32) {
	mp := getg().m
	if !nrecord.Recording || mp == nil || mp.nsched == nil {
		return
	}
	r := mp.nsched.Rec
	switch from<<4 | to {
	case _Grunnable<<4 | _Grunning:
		r.Started(gp.goid)
	case _Gwaiting<<4 | _Grunnable:
		sched9Stack(r, nrecord.EvUnblock, gp, mp.curg, 0)
	case _Grunning<<4 | _Gwaiting:
		sched9Waits(r, mp, gp, gp.waitreason)
	case _Grunning<<4 | _Grunnable:
		sched9Stack(r, r.LeaveEvent(), gp, gp, 0)
	case _Grunning<<4 | _Gdead:
		r.Record(nrecord.EvExit, gp.goid, 0, 0)
	case _Gdead<<4 | _Grunnable:
		sched9Created(r, gp, mp.curg, 0)
	case _Gdead<<4 | _Gwaiting:
		sched9Created(r, gp, mp.curg, nrecord.CreateParked)
	case _Gwaiting<<4 | _Grunning:
		r.Record(nrecord.EvUnhold, gp.goid, 0, 0)
	case _Gidle<<4 | _Gdead, _Grunning<<4 | _Gcopystack, _Gcopystack<<4 | _Grunning:
		// No affair of the scheduler's.
	default:
		r.Record(nrecord.EvStatus, gp.goid, uint64(from)|uint64(to)<<nrecord.StatusShift, 0)
	}
}

// sched9Created records that by made gp, and gives the scheduler its number.
//
//go:nosplit
func sched9Created(r *nrecord.Recorder, gp, by *g, parked uint64) {
	gp.nsched.ID = gp.goid
	arg := uint64(gp.startpc) | parked
	if by == nil || by == getg() {
		r.Record(nrecord.EvCreate, gp.goid, arg, uint64(gp.gopc))
		return
	}
	r.RecordStack(nrecord.EvCreate, gp.goid, arg, uint64(gp.gopc), by.sched.bp, by.stack.lo, by.stack.hi)
}

// sched9Blocked records that gp, the running goroutine, waits.
func sched9Blocked(gp *g, reason waitReason) {
	if nrecord.Recording && sched9Recording {
		mp := getg().m
		sched9Waits(mp.nsched.Rec, mp, gp, reason)
	}
}

// sched9Waits records that gp, mp's goroutine, waits, or only counts as waiting
// while it goes on.
//
//go:nosplit
func sched9Waits(r *nrecord.Recorder, mp *m, gp *g, reason waitReason) {
	arg := uint64(reason) << nrecord.ReasonShift
	// The comparison spares a check of the index, whose panic would need stack that a system call by way of x/sys/unix has not on arm64.
	if int(reason) < len(isWaitingForSuspendG) && reason.isWaitingForSuspendG() {
		r.Record(nrecord.EvHold, gp.goid, arg, 0)
		return
	}
	// The object waited for: the lock that guards the waiters of a channel, condition or timer.
	// Mutexes and wait groups share such locks by a hash of their address, so for them it is the
	// address itself.
	object := uintptr(mp.waitlock)
	if s := gp.waiting; s != nil && s.c.uintptr() == 0 {
		object = s.elem.uintptr()
	}
	sched9Stack(r, nrecord.EvBlock, gp, gp, arg|uint64(object))
}

// sched9Stack records an event of gp, with the place where the goroutine by, which caused it (nil:
// no goroutine did), left its code. On by's own stack there is no saved place, and perhaps too
// little room to walk it.
//
//go:nosplit
func sched9Stack(r *nrecord.Recorder, e nrecord.Event, gp, by *g, arg uint64) {
	if by == nil || by == getg() {
		r.Record(e, gp.goid, arg, 0)
		return
	}
	r.RecordStack(e, gp.goid, arg, uint64(by.sched.pc), by.sched.bp, by.stack.lo, by.stack.hi)
}

// sched9Call records that the running goroutine enters or leaves a system
// call at pc. On its own stack, which may not move now: addresses on it are the call's
// arguments.
//
//go:nosplit
func sched9Call(e nrecord.Event, pc uintptr) {
	if !nrecord.Recording || !sched9Recording {
		return
	}
	if r := sched9Rec(); r != nil {
		r.Record(e, getg().goid, 0, uint64(pc))
	}
}
