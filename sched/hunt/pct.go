package hunt

// pct is probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs", ASPLOS 2010. Every G has a random priority, and the highest runs. At depth-1 random moments the running
// one's falls below all others. A bug that needs d orders of two events, in a program of n Gs and k moments, is found with a
// probability of at least 1/(n*k^(d-1)).
//
// The paper knows k from earlier runs. Here a run knows nothing of others, so a moment's order of magnitude is drawn first: that costs a
// factor of the logarithm.
type pct struct {
	salt    uint64
	at      [MaxDepth]uint64 // moments at which the running G falls
	moments uint64
	fell    [256]uint64 // when a G fell, by the low bits of its number, 0: never; later is lower
	falls   uint64
}

// MaxDepth bounds the depth of PCT and the number of delays.
const MaxDepth = 16

// pctBegin draws the moments.
func (h *Hunter) pctBegin() {
	p := &h.pct
	p.salt = h.next()
	for i := 0; i < h.depth-1 && i < MaxDepth; i++ {
		p.at[i] = h.moment()
	}
}

// moment draws a moment's number, from 1 on.
func (h *Hunter) moment() uint64 { return h.spread(0, 14) }

// pctPick takes the highest.
func (h *Hunter) pctPick(r []uint64) int { return h.highest(r, (*Hunter).pctAbove) }

// pctLeave: the running G falls, or one that is above it has become runnable.
func (h *Hunter) pctLeave(g uint64, r []uint64) bool {
	p := &h.pct
	p.moments++
	for i := 0; i < h.depth-1 && i < MaxDepth; i++ {
		if p.at[i] == p.moments {
			h.pctFall(g)
		}
	}
	return h.fallen(g, r, (*Hunter).pctAbove)
}

// pctFall puts g below all others. That happens to a G that gives way, too.
func (h *Hunter) pctFall(g uint64) {
	p := &h.pct
	p.falls++
	p.fell[g%uint64(len(p.fell))] = p.falls
}

// pctAbove reports whether a's priority is higher than b's.
func (h *Hunter) pctAbove(a, b uint64) bool {
	p := &h.pct
	x, y := p.fell[a%uint64(len(p.fell))], p.fell[b%uint64(len(p.fell))]
	if x != y {
		return x < y
	}
	return mix(a^p.salt) > mix(b^p.salt)
}
