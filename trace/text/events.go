package text

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"sched9/record"
	"sched9/trace"
)

// Events writes the events of t that happened from from on and before to, in
// nanoseconds, a line for each:
//
//	12.345678ms M1 P1 G17 main.worker Start stolen, ring index 517
//
// with columns. The M's P is missing where it has none.
func Events(w io.Writer, t *trace.Trace, from, to int64) error {
	d := describer{t: t, kinds: map[uint64]string{}, objects: map[uint64]int{}, running: map[int16]uint64{}}
	width := 0
	for _, e := range t.Events { // later events name the Gs of earlier ones
		if e.Kind == record.EvCreate {
			d.create(e)
		}
	}
	for _, e := range t.Events {
		if e.Time >= from && e.Time < to {
			width = max(width, utf8.RuneCountInString(d.name(e.G)))
		}
	}
	out := bufio.NewWriter(w)
	for _, e := range t.Events {
		if e.Time >= to {
			break
		}
		words := d.words(e)
		if e.Time >= from {
			p := ""
			if e.P >= 0 {
				p = fmt.Sprintf("P%d", e.P)
			}
			line := fmt.Sprintf("%15s  M%-2d  %-3s  %-*s  %-12v  %s", stamp(e.Time), e.M, p, width, d.name(e.G), e.Kind, words)
			fmt.Fprintln(out, strings.TrimRight(line, " "))
		}
	}
	return out.Flush()
}

// stamp writes a time to the nanosecond.
func stamp(ns int64) string {
	if ns < 0 {
		return "-" + stamp(-ns)
	}
	return fmt.Sprintf("%d.%06dms", ns/1e6, ns%1e6)
}

// describer makes words of events. It is given all of a trace, in order: what an
// event means may depend on those before it.
type describer struct {
	t       *trace.Trace
	kinds   map[uint64]string // of goroutines
	objects map[uint64]int    // numbers of what goroutines wait for, by address
	running map[int16]uint64  // by M
}

// create notes the kind of the goroutine that e makes.
func (d *describer) create(e trace.Event) {
	d.kinds[e.G] = trace.Kind(d.t.Entry(e.Entry()), d.t.Site(e.Stack))
}

// name is "main.worker G17", or "" for no goroutine.
func (d *describer) name(g uint64) string {
	if g == 0 {
		return ""
	}
	return trace.Name(d.kinds[g], g)
}

// words are what e's arguments say.
func (d *describer) words(e trace.Event) string {
	by := d.running[e.M]
	switch e.Kind {
	case record.EvStart:
		d.running[e.M] = e.G
	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit:
		d.running[e.M] = 0
	}
	switch e.Kind {
	case record.EvBoot:
		return "the CPU arrives"
	case record.EvEnd:
		return fmt.Sprintf("status %d", e.Arg)
	case record.EvFault, record.EvInject:
		return d.at(e)
	case record.EvCreate:
		waits := ""
		if e.Arg&record.CreateParked != 0 {
			waits = "waits at first"
		}
		return join(waits, d.by(by), d.site(e))
	case record.EvStart:
		slice := ""
		if e.Inherit() {
			slice = "goes on in the slice"
		}
		return join(Place(e.Place()), slice)
	case record.EvWithhold:
		return join(Place(record.Place(e.Arg)), "may not run now")
	case record.EvPass:
		return join(Place(record.Place(e.Aux)), fmt.Sprintf("is tied to M%d", e.Arg))
	case record.EvYield, record.EvPreempt, record.EvSyscallEnter:
		return d.site(e)
	case record.EvSyscallExit:
		lost := ""
		if e.P < 0 {
			lost = "its P was taken"
		}
		return join(lost, d.site(e))
	case record.EvBlock:
		return join(d.t.Reason(e), d.object(e.Object()), d.site(e))
	case record.EvHold:
		return d.t.Reason(e)
	case record.EvUnblock:
		return join(d.by(by), d.site(e))
	case record.EvStatus:
		return fmt.Sprintf("from %s to %s", status(e.Arg&(1<<record.StatusShift-1)), status(e.Arg>>record.StatusShift))
	case record.EvLock:
		return "tied to this M " + times(int(e.Arg))
	case record.EvUnlock:
		if e.Arg == 0 {
			return "tied no more"
		}
		return "still tied " + times(int(e.Arg))
	case record.EvNeedM:
		return "foreign code calls"
	}
	if s, ok := queueWords(e); ok {
		return s
	}
	return d.machineWords(e)
}

// queueWords are for the events of queues and Ps.
func queueWords(e trace.Event) (string, bool) {
	low := e.Arg & (1<<record.CountShift - 1)
	switch e.Kind {
	case record.EvPutRing:
		return fmt.Sprintf("index %d", e.Arg), true
	case record.EvOverflow:
		return fmt.Sprintf("%d from ring index %d on, and then this one, to the global queue", e.Count(), low), true
	case record.EvGetGlobal:
		if e.Count() < 2 {
			return "alone", true
		}
		return fmt.Sprintf("and %d more, to ring index %d on", e.Count()-1, low), true
	case record.EvTake:
		return fmt.Sprintf("from P%d, %s", e.Aux, Place(record.Place(e.Arg))), true
	case record.EvSteal:
		to := e.Arg >> record.CountShift
		if e.G != 0 {
			return fmt.Sprintf("runnext of P%d, to ring index %d", e.Victim(), to), true
		}
		return fmt.Sprintf("%d of P%d, its ring index %d on, to ring index %d on", e.Count(), e.Victim(), low, to), true
	case record.EvIdleP, record.EvBusyP, record.EvStopP, record.EvHandoff:
		return fmt.Sprintf("P%d", e.Arg), true
	case record.EvRetake:
		return fmt.Sprintf("P%d from M%d, which is in a system call", e.Arg&0xff, e.From()), true
	case record.EvProcs:
		return fmt.Sprintf("%d Ps", e.Arg), true
	}
	return "", false
}

// machineWords are for the events of Ms, CPUs and the world.
func (d *describer) machineWords(e trace.Event) string {
	switch e.Kind {
	case record.EvSpin, record.EvUnspin, record.EvSummon, record.EvUnsummon:
		return fmt.Sprintf("%d spinning now", e.Arg)
	case record.EvWakeM, record.EvStartM:
		s := fmt.Sprintf("M%d gets P%d", e.Arg, e.Aux&^record.WakeSpinning)
		if e.Aux&record.WakeSpinning != 0 {
			s += ", to spin"
		}
		return s
	case record.EvKick:
		return fmt.Sprintf("M%d", e.Arg)
	case record.EvPark:
		if e.Arg == record.ParkLocked {
			return "until a goroutine of its own is found"
		}
	case record.EvSysmon:
		switch e.Arg {
		case record.SysmonRescue:
			return "sysmon's: a tick saw work that waits, and idle Ps"
		case record.SysmonBehind:
			return "sysmon's, while it runs: a tick saw what is queued behind a system call"
		}
		return "sysmon's: looks at the Ps of Ms in system calls"
	case record.EvPoll:
		if e.Arg == 0 {
			return "devices have nothing to tell"
		}
		return Plural(int(e.Arg), "goroutine") + " waited for devices"
	case record.EvExitM:
		return "its goroutine has ended"
	case record.EvDropM:
		return "foreign code goes on"
	case record.EvTimerSleep, record.EvSetTimer:
		return "until " + stamp(int64(e.Arg))
	case record.EvHalt:
		if e.Arg == 0 {
			return "until it is interrupted"
		}
		return "until " + stamp(int64(e.Arg))
	case record.EvLook:
		return look(e.Arg)
	case record.EvTick:
		why := ""
		switch {
		case e.Arg&record.TickCall != 0:
			why = "in a system call"
		case e.Arg&record.TickSlice != 0:
			why = "the slice is used up"
		case e.Arg&record.TickLeave != 0:
			why = "a timer or a device is due"
		}
		return join(why, d.at(e))
	case record.EvSendIPI:
		return fmt.Sprintf("%s M%d", ipi(e.Aux), e.Arg)
	case record.EvTakeIPI:
		return ipi(e.Aux)
	case record.EvStop:
		return d.t.StopReason(e)
	case record.EvPhase:
		return pick(phases[:], e.Arg)
	case record.EvTimer:
		return "late by " + Duration(int64(e.Arg))
	}
	return ""
}

// by says whose doing something is.
func (d *describer) by(g uint64) string {
	if g == 0 {
		return ""
	}
	return "by " + d.name(g)
}

// at is the code that e struck.
func (d *describer) at(e trace.Event) string {
	if e.Aux == 0 {
		return ""
	}
	return "at " + Innermost(d.t.At(e.Aux))
}

// site is where a goroutine left its code.
func (d *describer) site(e trace.Event) string {
	s := Site(d.t, e.Stack)
	if s == "" {
		return ""
	}
	return "at " + s
}

// object gives what a goroutine waits for a number: addresses tell nothing but
// which are the same.
func (d *describer) object(addr uint64) string {
	if addr == 0 {
		return ""
	}
	n, ok := d.objects[addr]
	if !ok {
		n = len(d.objects) + 1
		d.objects[addr] = n
	}
	return fmt.Sprintf("object %d", n)
}

// join joins what is not empty with commas.
func join(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, ", ")
}
