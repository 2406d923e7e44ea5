package hunt

// exhaust tries all schedules of a small program that have few preemptions: Musuvathi, Qadeer, "Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs", PLDI 2007. The seed itself is the schedule: read as a number whose digits are the choices, the first one lowest, each to the base of as
// many as there are to choose from. Behind its last digit all are 0, the plain schedule. So nothing is remembered between runs. A choice is who is next, and how many
// points ahead the next preemption is.
//
// A run that has had choices among b1, b2, ... bk has seen its seed modulo space, their product. If all seeds below n were tried and no run had a
// space above n, then there is no other schedule: of one that was not tried, take the longest beginning whose digits make a seed below n. That seed
// was tried and had, behind that beginning, the next choice to make, so the space up to it is n at most, and the beginning with one digit more is below n too.
type exhaust struct {
	rest  uint64 // of the seed: digits that are still to be used
	space uint64 // product of the bases so far, at most MostSpace
	left  int    // so many preemptions are still possible
	ahead uint64 // at so many points from here is the next one; 0: at none
	seen  uint64 // points since that was chosen
}

// exhaustAhead bounds how far ahead a preemption may be. If a program goes on for longer its schedules are too many.
const exhaustAhead = 64

// ExhaustDepth is how many preemptions a schedule has at most if -depth does not say it.
const ExhaustDepth = 2

// MostSpace stands for any space that is larger: nobody tries so many seeds.
const MostSpace = 1 << 32

// exhaustBegin: moments are points alone, and no time passes by itself.
func (h *Hunter) exhaustBegin() {
	h.every, h.near, h.behind, h.stall.on = 0, 0, false, false
	h.exhaust = exhaust{rest: h.seed, space: 1, left: h.depth}
	h.exhaust.plan()
}

// plan chooses where the next preemption is, if one is left.
func (e *exhaust) plan() {
	if e.seen, e.ahead = 0, 0; e.left > 0 {
		e.ahead = e.digit(exhaustAhead)
	}
}

// digit takes the next choice, of n.
func (e *exhaust) digit(n uint64) (d uint64) {
	d, e.rest = e.rest%n, e.rest/n
	e.space = min(e.space*n, MostSpace)
	return d
}

// exhaustPick: one that was made to leave is not chosen again at once, and that would be another way to the schedule in which it went on.
func (h *Hunter) exhaustPick(r []uint64) int {
	n := uint64(len(r))
	if h.why != 0 && n > 1 && r[n-1] == h.last {
		n--
	}
	return int(h.exhaust.digit(n))
}

// exhaustLeave: where it was planned.
func (h *Hunter) exhaustLeave(uint64, []uint64) bool {
	e := &h.exhaust
	if e.left == 0 {
		return false
	}
	if e.seen++; e.seen == exhaustAhead {
		e.space = MostSpace // here it could have been, too
	}
	if e.seen != e.ahead {
		return false
	}
	e.left--
	e.plan()
	return true
}

// Space is how many seeds there are up to the choices that exhaust has made; 0: another strategy decides, or moves do.
func (h *Hunter) Space() uint64 { return h.exhaust.space }

// Chance is the seed of what is chance in the program itself, as a select's case and the order of a map. To exhaust the schedules of a program that must be
// one program.
func Chance(seed uint64, strategy int) uint64 {
	if strategy == Exhaust {
		return 0
	}
	return seed
}
