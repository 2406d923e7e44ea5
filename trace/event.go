package trace

import (
	"bytes"
	"encoding/binary"

	"sched9/record"
)

// What an event's arguments say.

// Reason is why an EvBlock or EvHold waits.
func (t *Trace) Reason(e Event) string { return pick(t.Reasons, e.Arg>>record.ReasonShift) }

// StopReason is why an EvStop wants the world stopped. The runtime's first reason,
// "unknown", is one that it never has itself: it is what an audit gives.
func (t *Trace) StopReason(e Event) string {
	switch e.Arg {
	case record.StopForGood:
		return "the program dies"
	case 0:
		return "audit"
	}
	return pick(t.Stops, e.Arg)
}

// pick is list[i], or "unknown".
func pick(list []string, i uint64) string {
	if i < uint64(len(list)) && list[i] != "" {
		return list[i]
	}
	return "unknown"
}

// Object is the address of what an EvBlock waits for, 0 if there is none.
func (e Event) Object() uint64 { return e.Arg & (1<<record.LapShift - 1) }

// Entry is the address of the function that an EvCreate's goroutine is made of.
func (e Event) Entry() uint64 { return e.Arg &^ record.CreateParked }

// Place is where the goroutine of an EvStart, EvWithhold, EvPass, EvPassP or EvTake was found.
func (e Event) Place() record.Place {
	if e.Kind == record.EvPass || e.Kind == record.EvPassP {
		return record.Place(e.Aux)
	}
	return record.Place(e.Arg &^ record.StartInherit)
}

// Number is the argument of an event that has one number.
func (e Event) Number() int { return int(e.Arg) }

// Policy is the name of the one that an EvPolicy puts in force.
func (e Event) Policy() string {
	name := binary.LittleEndian.AppendUint64(nil, e.Arg)
	return string(bytes.TrimRight(name, "\x00"))
}

// Low is the lower half of the argument of an event that has two.
func (e Event) Low() int { return int(e.Arg & (1<<record.CountShift - 1)) }

// Taken is the P that an EvRetake takes.
func (e Event) Taken() int { return int(e.Arg & 0xff) }

// From is the M that an EvRetake takes its P from.
func (e Event) From() int { return int(e.Arg >> 8 & 0xff) }

// Inherit reports whether an EvStart goes on in the running slice.
func (e Event) Inherit() bool { return e.Arg&record.StartInherit != 0 }

// Count is the number of Gs that an EvSteal, EvOverflow or EvGetGlobal moves.
func (e Event) Count() int {
	if e.Kind == record.EvSteal {
		return int(e.Aux >> 8)
	}
	return int(e.Arg >> record.CountShift)
}

// Victim is the P that an EvSteal takes from.
func (e Event) Victim() int { return int(e.Aux & 0xff) }
