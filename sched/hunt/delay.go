package hunt

// delay is delay-bounded scheduling: Emmi, Qadeer, Rakamarić, "Delay-Bounded Scheduling", POPL 2011. The order is a fixed one, without
// preemption: the G that became runnable first, or for half of the seeds last. From it the run departs a few times only: at as
// many random moments as the depth says, the running G goes behind all others. Most bugs need few departures.
type delay struct {
	newest  bool
	gave    bool // the last one to leave gave way
	at      [MaxDepth]uint64
	moments uint64
}

// delayBegin draws the moments.
func (h *Hunter) delayBegin() {
	h.delay.newest = h.below(2) == 0
	for i := 0; i < h.depth && i < MaxDepth; i++ {
		h.delay.at[i] = h.moment()
	}
}

// delayPick: the first, or the last; but a G that has just left is the last, and then it is the one before. If it gave way it is the first: two that give way
// in turn would keep all others waiting.
func (h *Hunter) delayPick(r []uint64) int {
	gave := h.delay.gave
	h.delay.gave = false
	switch {
	case !h.delay.newest || gave:
		return 0
	case h.left:
		return len(r) - 2
	}
	return len(r) - 1
}

// delayGave: see delayPick.
func (h *Hunter) delayGave(uint64) { h.delay.gave = true }

// delayLeave: see delay.
func (h *Hunter) delayLeave(uint64, []uint64) bool {
	d := &h.delay
	d.moments++
	for i := 0; i < h.depth && i < MaxDepth; i++ {
		if d.at[i] == d.moments {
			return true
		}
	}
	return false
}
