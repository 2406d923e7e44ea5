package hunt

// walk is the random walk: every G is as likely to be next, and at each moment the running one leaves with a probability that the
// seed chooses. It finds what many schedules show, and it is the measure of the others.
type walk struct{ odds uint64 }

// walkBegin: a G leaves at each moment, or at one of 32.
func (h *Hunter) walkBegin() { h.walk.odds = 1 << h.below(6) }

// walkPick, walkLeave and walkGave: see walk.
func (h *Hunter) walkPick(r []uint64) int { return int(h.below(uint64(len(r)))) }

func (h *Hunter) walkLeave(uint64, []uint64) bool { return h.below(h.walk.odds) == 0 }

func (h *Hunter) walkGave(uint64) {}
