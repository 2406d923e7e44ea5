package interleave

import "math/rand/v2"

// PCT is the strategy of probabilistic concurrency testing: every thread has a priority, and the
// runnable thread with the highest goes on. At a few steps, drawn from the seed like the
// priorities, the thread that just went on falls below all others. The clock is one more thread.
type PCT struct {
	rnd    *rand.Rand
	rank   map[Move]int // the higher the earlier
	change map[int]bool
	lowest int
}

// NewPCT makes a strategy for runs of about steps steps, with changes changes.
func NewPCT(seed uint64, changes, steps int) *PCT {
	p := &PCT{rnd: rand.New(rand.NewPCG(seed, 31)), rank: map[Move]int{}, change: map[int]bool{}}
	for range changes {
		p.change[p.rnd.IntN(max(steps, 1))] = true
	}
	return p
}

// Move is Strategy's.
func (s *PCT) Move(p *Point) (Move, bool) {
	if s.change[p.Step] || p.Free && s.rnd.IntN(2) == 0 {
		s.lowest--
		s.rank[p.Cur] = s.lowest
	}
	if s.change[p.Step] && p.Time && s.rnd.IntN(4) == 0 {
		return Time, true
	}
	best := p.usual()
	for _, m := range p.Able {
		if s.rankOf(m) > s.rankOf(best) {
			best = m
		}
	}
	return best, true
}

// rankOf is m's priority; it is drawn when m is met first.
func (s *PCT) rankOf(m Move) int {
	r, ok := s.rank[m]
	if !ok {
		r = 1 + s.rnd.IntN(1<<20)
		s.rank[m] = r
	}
	return r
}
