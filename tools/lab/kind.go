package lab

import (
	"sched9/record"
	"sched9/trace"
)

// Kind is a kind of runs: how they began, or how they ended.
type Kind int

const (
	Preempted  Kind = iota // it was made to leave
	Yielded                // it left by itself, and could have gone on
	Blocking               // it left to wait for something
	Exited                 // it ended
	FromNext               // it was found in the P's runnext
	FromRing               // in the P's ring
	FromGlobal             // in the global queue
	FromSteal              // in another P's queue
	Inherited              // it went on in the time slice of the run before
)

// kinds are the kinds' names, to stand behind "run".
var kinds = [...]string{
	Preempted: "up to a preemption", Yielded: "up to a yield", Blocking: "up to a block", Exited: "up to the exit",
	FromNext: "from runnext", FromRing: "from the ring", FromGlobal: "from the global queue", FromSteal: "from a steal",
	Inherited: "in an inherited slice",
}

// String is the kind's name, to stand behind "run".
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return "of no kind"
	}
	return kinds[k]
}

// of reports whether a run is of the kind.
func (k Kind) of(r trace.Run) bool {
	switch k {
	case Preempted:
		return r.Left == record.EvPreempt
	case Yielded:
		return r.Left == record.EvYield
	case Blocking:
		return r.Left == record.EvBlock
	case Exited:
		return r.Left == record.EvExit
	case FromNext:
		return r.From.Kind() == record.FromNext
	case FromRing:
		return r.From.Kind() == record.FromRing
	case FromGlobal:
		return r.From.Kind() == record.FromGlobal
	case FromSteal:
		return r.From.Kind() == record.FromSteal
	case Inherited:
		return r.Inherit
	}
	return false
}
