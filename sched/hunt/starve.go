package hunt

// starve keeps some Gs waiting as long as others can run, for a time that the seed chooses, and is the random walk for the rest. It finds what only
// shows if one goroutine comes very late: somebody else has closed, given up or timed out by then.
type starve struct {
	salt  uint64
	share uint64 // one of so many Gs starves
	picks uint64 // so many more choices
}

// starveBegin chooses which.
func (h *Hunter) starveBegin() {
	h.walkBegin()
	h.starve = starve{h.next(), 2 + h.below(6), h.spread(4, 12)}
}

// starving reports whether g is one of those.
func (h *Hunter) starving(g uint64) bool {
	return h.starve.picks > 0 && mix(h.starve.salt^g)%h.starve.share == 0
}

// starvePick takes any of the others, if there are some.
func (h *Hunter) starvePick(r []uint64) int {
	if h.starve.picks > 0 {
		h.starve.picks--
	}
	fed := uint64(0)
	for _, g := range r {
		if !h.starving(g) {
			fed++
		}
	}
	if fed == 0 {
		return h.walkPick(r)
	}
	n := h.below(fed)
	for i, g := range r {
		if !h.starving(g) {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return 0
}

// starveLeave: one that starves leaves as soon as another can run.
func (h *Hunter) starveLeave(g uint64, r []uint64) bool {
	if h.starving(g) {
		for _, o := range r {
			if !h.starving(o) {
				return true
			}
		}
	}
	return h.walkLeave(g, r)
}

// starveGave: a G that gives way may wait for one that starves. So that costs much of the time that there is for starving.
func (h *Hunter) starveGave(uint64) { h.starve.picks -= min(h.starve.picks, 64) }
