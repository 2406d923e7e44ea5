package hunt

// pos is partial-order sampling: Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling", CAV 2018, in its basic form: every event that
// is about to happen has a random priority of its own, and the G with the highest goes on. Where the random walk makes a G's chance
// to come far fall with each step of the way, here the orders of events that stand in conflict are nearly equally likely. (The whole
// form draws anew for events that race with the one that happens; that needs to know the object of each.)
type pos struct {
	salt  uint64
	drawn [256]uint32 // how often a priority was drawn for a G, by the low bits of its number
	gave  [256]bool   // it has given way, and is below all that have not until it draws again
}

// posBegin draws all priorities.
func (h *Hunter) posBegin() { h.pos.salt = h.next() }

// posPick takes the highest.
func (h *Hunter) posPick(r []uint64) int { return h.highest(r, (*Hunter).posAbove) }

// posLeave: the running G draws for the event that it has come to, and goes on if that is the highest.
func (h *Hunter) posLeave(g uint64, r []uint64) bool {
	h.posDraw(g)
	return h.fallen(g, r, (*Hunter).posAbove)
}

// posAbove reports whether a's priority is higher than b's.
func (h *Hunter) posAbove(a, b uint64) bool { return h.posOf(a) > h.posOf(b) }

// posDraw gives g another priority, posOf returns it.
func (h *Hunter) posDraw(g uint64) {
	i := g % uint64(len(h.pos.drawn))
	h.pos.drawn[i]++
	h.pos.gave[i] = false
}
func (h *Hunter) posOf(g uint64) uint64 {
	i := g % uint64(len(h.pos.drawn))
	if h.pos.gave[i] {
		return 0
	}
	return mix(h.pos.salt ^ g<<32 ^ uint64(h.pos.drawn[i]))
}

// posGave: another draw would not do. A G that never comes to a point keeps what it has drawn, and one that waits for it in a loop would draw a thousand times on
// average until that is lower, if it is one of a thousand.
func (h *Hunter) posGave(g uint64) { h.pos.gave[g%uint64(len(h.pos.gave))] = true }
