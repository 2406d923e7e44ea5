package hunt

// A stall: the CPU stands still until the next timer is due, though Gs can run, as it does on a machine that
// others use too. Without stalls a sleep ends only after all that can run has run as far as it can in that
// time, which is far: who is late for a ticker, or for another's time limit, is never seen.
const (
	stallSeeds = 4          // one of so many seeds has stalls
	stallOdds  = 4          // at one of so many picks before a timer
	stallMost  = 20_000_000 // nanoseconds: it is not for long that a usable machine stands still
	stallCount = 1000       // in a run, so that Gs which run between stalls only get somewhere
)

// stall draws from numbers of its own: the other decisions of a seed do not depend on the timers that are set.
type stall struct {
	on   bool
	rand uint64
	n    int
}

func (s *stall) begin(seed uint64) {
	s.rand = mix(seed ^ 0x5bd1e9955bd1e995)
	s.on = s.rand%stallSeeds == 0
}

// Stall reports whether the CPU is to stand still before it picks, until a timer is due that is due in ns
// nanoseconds. Moves (Follow) have no stalls.
func (h *Hunter) Stall(ns int64) bool {
	s := &h.stall
	if !s.on || h.moves.on || ns > stallMost || s.n == stallCount {
		return false
	}
	s.rand += 0x9e3779b97f4a7c15
	if mix(s.rand)%stallOdds != 0 {
		return false
	}
	s.n++
	h.note(uint64(ns))
	return true
}
