package trace

import (
	"cmp"
	"math/bits"
	"slices"

	"sched9/record"
)

// Event is one record, decoded.
type Event struct {
	Time  int64  // guest's nanoseconds since its boot
	Stamp uint64 // the same, as the guest's counter had it: the order of events
	G     uint64 // the goroutine's number, 0: none
	Arg   uint64 // see record.Event
	Aux   uint64
	Stack int32 // of Trace.Stacks; 0: none
	M     int16
	P     int16 // the M's P, -1: none
	Kind  record.Event
}

// Trace is a run.
type Trace struct {
	Meta
	End
	Legend
	Whole bool // the recording has its end

	// Events are all events in the order in which they happened.
	Events []Event
	// Stacks are the code addresses where goroutines left their code, the
	// innermost first; Stacks[0] is nil.
	Stacks [][]uint64
	// Lost is how many records of each M were overwritten unread, or never
	// written to their end.
	Lost []uint64
	// Overrun is how many of those were overwritten because the host had not read them: its fault, not the guest's.
	Overrun uint64

	symbols symbols
}

// Same reports whether t and u tell of the same run, event by event, to the
// last count of the clock.
func (t *Trace) Same(u *Trace) bool {
	return u != nil && slices.Equal(t.Events, u.Events) && slices.Equal(t.Lost, u.Lost) &&
		slices.EqualFunc(t.Stacks, u.Stacks, slices.Equal[[]uint64])
}

// TotalLost sums Lost up.
func (t *Trace) TotalLost() (n uint64) {
	for _, l := range t.Lost {
		n += l
	}
	return n
}

// trace decodes the records.
func (l *loader) trace() (*Trace, error) {
	t := &l.t
	n := 0
	for _, r := range l.raw {
		n += len(r)
	}
	t.Events = make([]Event, 0, n)
	t.Stacks = [][]uint64{nil}
	t.Lost = make([]uint64, max(len(l.raw), t.SMP))
	seen := map[[16]uint64]int32{}
	for m, recs := range l.raw {
		gaps := l.gaps[m]
		for _, g := range gaps {
			t.Lost[m] += g.lost
			t.Overrun += g.lost
		}
		for i := 0; i < len(recs); {
			// Behind a gap there may be stack slots whose record is gone.
			// They have no event of their own.
			for len(gaps) > 0 && gaps[0].at <= i {
				gaps = gaps[1:]
			}
			end := len(recs)
			if len(gaps) > 0 {
				end = gaps[0].at
			}
			r := recs[i]
			slots := 0
			for slots < r.Slots() && i+1+slots < end && recs[i+1+slots].IsStack() {
				slots++
			}
			e := Event{
				Time: t.nanoseconds(r.Stamp), Stamp: r.Stamp, G: r.G(), Arg: r.Arg, Aux: r.Aux(),
				M: int16(m), P: int16(r.P()), Kind: r.Event(),
			}
			if r.P() == record.NoP {
				e.P = -1
			}
			if r.IsStack() {
				t.Lost[m]++ // without its record
				i++
				continue
			}
			if hasPC(e.Kind) {
				first := e.Aux
				if first != 0 && struck(e.Kind) {
					first++ // as if it were a return address
				}
				e.Stack = t.stack(first, recs[i+1:i+1+slots], seen)
			}
			i += 1 + slots
			t.Events = append(t.Events, e)
		}
	}
	slices.SortStableFunc(t.Events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Stamp, b.Stamp), cmp.Compare(a.M, b.M))
	})
	t.symbols = newSymbols(t.Legend)
	return t, nil
}

// nanoseconds is the guest's clock at a stamp.
func (t *Trace) nanoseconds(stamp uint64) int64 {
	hi, lo := bits.Mul64(stamp-t.Base, t.Mult)
	return int64(hi<<32|lo>>32) + 1
}

// hasPC reports whether an event's aux is where a goroutine left its code.
func hasPC(e record.Event) bool {
	switch e {
	case record.EvCreate, record.EvYield, record.EvPreempt, record.EvBlock, record.EvUnblock,
		record.EvSyscallEnter, record.EvSyscallExit, record.EvTick, record.EvInject, record.EvFault:
		return true
	}
	return false
}

// struck reports whether an event's aux is where an interrupt struck, and not the
// return address of a call.
func struck(e record.Event) bool {
	return e == record.EvTick || e == record.EvInject || e == record.EvFault
}

// stack returns the number of the stack that begins with first, if that is not 0,
// and goes on in slots.
func (t *Trace) stack(first uint64, slots []record.Record, seen map[[16]uint64]int32) int32 {
	var key [16]uint64
	n := 0
	if first != 0 {
		key[0] = first
		n = 1
	}
	for _, s := range slots {
		for _, pc := range s.PCs() {
			if pc == key[0] && n == 1 {
				continue // a go statement is where its own frame is left, too
			}
			if pc != 0 && n < len(key) {
				key[n] = pc
				n++
			}
		}
	}
	if n == 0 {
		return 0
	}
	id, ok := seen[key]
	if !ok {
		id = int32(len(t.Stacks))
		seen[key] = id
		t.Stacks = append(t.Stacks, slices.Clone(key[:n]))
	}
	return id
}
