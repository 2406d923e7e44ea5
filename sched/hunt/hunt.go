// Package hunt decides a schedule: which of the Gs that can run is next, and where a running one leaves the CPU. All that it
// decides follows from a seed, so a seed is a schedule, and other seeds are other schedules, among them one that breaks
// the program. docs/hunt.md tells how to use it.
//
// It knows Gs by their numbers only, allocates nothing, and stores no pointers: sched calls it where there may be no P.
// One CPU runs all Gs while it decides, so nothing here is atomic.
//
// The decisions are made by a strategy (one file each), of which a run has one. There are three kinds of moment:
//
//	pick   the CPU looks for a G: which?
//	point  a G is about to synchronise with others (a channel, a mutex, an atomic), or has just done so: may it go on?
//	clock  a G has run for some instructions: may it go on?
package hunt

// Most is how many Gs a pick is made from, the first ones; the others wait until some of those have run.
const Most = 256

// Hunter makes the decisions of a run. Its zero value decides nothing.
type Hunter struct {
	on       bool
	seed     uint64
	rand     uint64 // splitmix64's state
	strategy int
	depth    int // PCT's and the delays' bound

	behind bool   // a G may leave when it has synchronised, too, and not only before
	every  uint64 // mean distance of two clock moments in nanoseconds; 0: there are none
	near   uint64 // instead, one of so many picks and points has a clock moment shortly behind it; 0: there are none
	due    int64  // when the next one is
	known  bool   // best is the highest of the Gs that wait
	best   uint64
	left   bool // the last G of the queue has just been running

	last     uint64 // the G that runs, or ran last
	began    int64  // when it was picked
	turn     int64  // when its turn began: it has run since, but for the scheduler
	gave     bool   // it has left since, and others have their turn
	accounts [256]account
	why      Kind   // it was made to leave
	at       uint32 // and where
	ticked   uint32 // what it had run at the last clock moment
	moves    moves

	// Made is what the last Pick was about.
	Made Switch

	walk   walk
	pct    pct
	pos    pos
	delay  delay
	starve starve
	stall  stall

	exhaust exhaust

	Count Count
}

// Count is what a run has met.
type Count struct {
	Picks    uint64 // Gs chosen
	Choices  uint64 // of those, from more than one
	Points   uint64 // points at which another G could have run
	Clocks   uint64 // clock moments, likewise
	Preempts uint64 // Gs that were made to leave
	Hash     uint64 // of all choices, in order: two runs with the same one had the same schedule
}

// strategy is a way to decide. r is never empty. leave asks whether the running G, g, is to leave where others, r, can run;
// gave tells that g left of itself, or because its turn has lasted for a slice: all others have to get a turn before it has many, or one that waits
// in a loop waits for ever.
type strategy struct {
	name  string
	begin func(h *Hunter)
	pick  func(h *Hunter, r []uint64) int
	leave func(h *Hunter, g uint64, r []uint64) bool
	gave  func(h *Hunter, g uint64)
}

// strategies are in the order of their numbers; 0 stands for all in turn.
var strategies = [...]strategy{
	{name: "turns"},
	{"walk", (*Hunter).walkBegin, (*Hunter).walkPick, (*Hunter).walkLeave, (*Hunter).walkGave},
	{"pct", (*Hunter).pctBegin, (*Hunter).pctPick, (*Hunter).pctLeave, (*Hunter).pctFall},
	{"pos", (*Hunter).posBegin, (*Hunter).posPick, (*Hunter).posLeave, (*Hunter).posGave},
	{"delay", (*Hunter).delayBegin, (*Hunter).delayPick, (*Hunter).delayLeave, (*Hunter).delayGave},
	{"starve", (*Hunter).starveBegin, (*Hunter).starvePick, (*Hunter).starveLeave, (*Hunter).starveGave},
	{"exhaust", (*Hunter).exhaustBegin, (*Hunter).exhaustPick, (*Hunter).exhaustLeave, (*Hunter).walkGave},
}

// Exhaust is the number of the strategy exhaust, the last one, which has no turn.
const Exhaust = len(strategies) - 1

// Strategies returns how many there are, with 0, which stands for all in turn. Name returns what number i is called.
func Strategies() int   { return len(strategies) }
func Name(i int) string { return strategies[i].name }

// turn is the strategy of a seed.
func turn(seed uint64) int { return 1 + int(seed%uint64(Exhaust-1)) }

// Begin starts a run at clock now, which goes on while Gs run. G 1 runs. strategy 0, or one that there is not, leaves it to the seed; depth 0 too.
func (h *Hunter) Begin(seed uint64, strategy, depth int, now int64) {
	*h = Hunter{on: true, seed: seed, rand: mix(seed + 1), last: 1, began: now, turn: now}
	h.strategy = strategy
	if strategy <= 0 || strategy >= len(strategies) {
		h.strategy = turn(seed)
	}
	h.depth = depth
	switch {
	case depth > 0:
	case h.strategy == Exhaust:
		h.depth = ExhaustDepth
	default:
		h.depth = 1 + int(h.below(4))
	}
	// Half of the seeds preempt between any two instructions, too. What distance is good nobody knows; all orders of
	// magnitude from a few statements to a slice are tried, or else moments near picks and points.
	if h.below(2) == 0 {
		h.every = h.spread(10, 20)
		if r := mix(seed ^ 0xd6e8feb86659fd93); r%2 == 0 {
			h.every, h.near = 0, 1<<(r>>1%4)
		}
	}
	// What a G does next once it has let others go on matters only if the program has a data race, and doubles the points.
	h.behind = mix(^seed)%2 == 0
	h.stall.begin(seed)
	strategies[h.strategy].begin(h)
	if h.every != 0 {
		h.due = now + h.gap()
	}
}

// End ends the run: nothing is decided any more.
func (h *Hunter) End() { h.on = false }

// On reports whether h decides.
func (h *Hunter) On() bool { return h.on }

// Strategy returns the number of the run's strategy.
func (h *Hunter) Strategy() int { return h.strategy }

// Pick chooses one of the Gs r, which are in the order in which they became runnable, at clock now, and returns which.
func (h *Hunter) Pick(r []uint64, now int64) int {
	h.Count.Picks++
	l := h.of(h.last)
	l.ran += now - h.began
	n := l.leaves + 1
	i := 0
	if len(r) > 1 {
		h.Count.Choices++
		if h.moves.on {
			i = h.pickMoved(r, n)
		} else {
			i = strategies[h.strategy].pick(h, r)
		}
	}
	h.left = false
	if r[i] != h.last || h.why == 0 {
		l.leaves = n // else it is as if it had not been made to leave
	}
	h.Made = Switch{From: h.last, To: r[i], N: n, Other: i != 0, Why: h.why, At: h.at}
	if r[i] != h.last || h.gave {
		h.turn = now
	}
	h.why, h.last, h.began, h.gave = 0, r[i], now, false
	if h.moves.on {
		h.arm()
	}
	if len(r) > 1 && h.Nears() {
		h.Approach(now)
	}
	h.note(r[i])
	return i
}

// pickMoved is Pick's choice if moves are followed: n is how often the last G has left.
func (h *Hunter) pickMoved(r []uint64, n uint32) int {
	if m := h.moved(Choose, h.last, n); m != nil {
		for i, g := range r {
			if g == uint64(m.To) {
				return i
			}
		}
	}
	return 0
}

// Turn returns the clock at which the turn of the running G began. A G that was made to leave and is picked again at once goes on in its turn.
func (h *Hunter) Turn() int64 { return h.turn }

// Left tells that g, which ran, is now the last of the queue; gave: of itself, or because its turn has lasted for a slice.
func (h *Hunter) Left(g uint64, gave bool) {
	h.left, h.gave = true, gave
	if gave && !h.moves.on {
		strategies[h.strategy].gave(h, g)
	}
}

// Arrive counts that g is about to synchronise, or has just done so (behind), and reports whether Point is to be asked. Any stack.
//
//go:nosplit
func (h *Hunter) Arrive(g uint64, behind bool) bool {
	h.of(g).points++
	return !behind || h.behind || h.moves.on
}

// Point reports whether g, which has arrived at a point, is to leave for one of r.
func (h *Hunter) Point(g uint64, r []uint64) bool {
	if len(r) == 0 {
		return false
	}
	h.Count.Points++
	n := h.of(g).points
	if h.moves.on {
		return h.leave(h.moved(AtPoint, g, n) != nil, g, AtPoint, n)
	}
	return h.leave(strategies[h.strategy].leave(h, g, r), g, AtPoint, n)
}

// Changed tells that the Gs which can run are others than at the last point.
func (h *Hunter) Changed() { h.known = false }

// highest returns which of r is above all others.
func (h *Hunter) highest(r []uint64, above func(h *Hunter, a, b uint64) bool) (best int) {
	for i := range r {
		if above(h, r[i], r[best]) {
			best = i
		}
	}
	return best
}

// fallen reports whether g is below one of r, the Gs that wait at a point. Between two points at which the same ones wait their order does not
// change, so the highest is looked for once.
func (h *Hunter) fallen(g uint64, r []uint64, above func(h *Hunter, a, b uint64) bool) bool {
	if !h.known {
		h.best, h.known = r[h.highest(r, above)], true
	}
	return above(h, h.best, g)
}

// Nears reports whether a clock moment is to be set shortly behind the pick or point that has just been, and Approach sets it, at clock now: what goroutines
// do at the same time they often do as soon as they begin, or next to where they synchronise, and in few instructions.
func (h *Hunter) Nears() bool { return h.near != 0 && !h.moves.on && h.below(h.near) == 0 }

// Approach: see Nears.
func (h *Hunter) Approach(now int64) { h.due = now + int64(h.spread(5, 11)) }

// Clock reports whether a clock moment has come at clock now, and when the next one is; 0: never. Whoever asks may be anywhere, so
// what is decided at it, Moment decides, where the others can be seen.
func (h *Hunter) Clock(now int64) (come bool, next int64) {
	if h.due == 0 {
		return false, 0
	}
	if come = now >= h.due; come {
		// When it was due, not when somebody asks: a move that is due then is asked about as late.
		h.ticked = uint32(h.of(h.last).ran + max(h.due-h.began, 1))
		h.moves.armed = h.moves.on
		h.due = 0
		if h.every != 0 && !h.moves.on {
			h.due = now + h.gap()
		}
	}
	return come, h.due
}

// Moment reports whether g, at a clock moment, is to leave for one of r.
func (h *Hunter) Moment(g uint64, r []uint64) bool {
	if len(r) == 0 {
		return false
	}
	h.Count.Clocks++
	if h.moves.on {
		armed := h.moves.armed
		h.moves.armed = false
		return h.leave(armed, g, AtClock, h.ticked)
	}
	return h.leave(strategies[h.strategy].leave(h, g, r), g, AtClock, h.ticked)
}

// leave notes that g is to leave, if it is, and why.
func (h *Hunter) leave(is bool, g uint64, why Kind, n uint32) bool {
	if is {
		h.why, h.at = why, n
		h.Count.Preempts++
		h.note(^g)
	}
	return is
}

// note makes v part of the schedule's hash (FNV-1a, over words).
func (h *Hunter) note(v uint64) { h.Count.Hash = (h.Count.Hash ^ v) * 0x100000001b3 }

// gap is the distance to the next clock moment: even, from a quarter of the mean to seven quarters.
func (h *Hunter) gap() int64 {
	return int64(h.every/4 + h.below(h.every*3/2))
}

// next returns 64 random bits (splitmix64; Steele, Lea, Flood 2014).
func (h *Hunter) next() uint64 {
	h.rand += 0x9e3779b97f4a7c15
	return mix(h.rand)
}

// mix makes bits of x that look random.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a random number below n, which is not 0.
func (h *Hunter) below(n uint64) uint64 { return h.next() % n }

// spread returns a random number from 1<<low to 1<<high, each order of magnitude as likely as the other.
func (h *Hunter) spread(low, high uint64) uint64 {
	e := low + h.below(high-low)
	return 1<<e + h.below(1<<e)
}
