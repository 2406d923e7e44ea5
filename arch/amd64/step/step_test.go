package step

import (
	"math/rand/v2"
	"testing"
)

// pair is a model of two processors that exchange readings: the other's counter is ahead, a message takes least counts at least, and
// either may be held before each reading.
type pair struct {
	now   uint64
	ahead int64
	least uint64
	held  func() uint64
}

// round is one round of theirs.
func (p *pair) round(b *Bounds) {
	before := p.now
	p.now += p.least + p.held()
	other := p.now + uint64(p.ahead)
	p.now += p.least + p.held()
	b.Add(before, other, p.now)
}

// TestBounds: however long rounds take, the bounds hold, and after some of them the counters can be set so that no message arrives before it was sent.
// Counters that are in step are left alone.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 20_000 {
		p := pair{now: r.Uint64(), least: 1 + r.Uint64N(300)}
		if n%4 > 0 {
			p.ahead = r.Int64N(1<<uint(2+n%40)) - 1<<uint(1+n%40)
		}
		p.held = func() uint64 {
			switch r.IntN(8) {
			case 0:
				return r.Uint64N(1 << 24) // a busy host
			case 1, 2:
				return r.Uint64N(400)
			}
			return 0
		}
		b := Unknown()
		for range 64 {
			p.round(&b)
			if p.ahead < b.Low || p.ahead > b.High {
				t.Fatalf("%d ahead is not within %+v", p.ahead, b)
			}
		}
		set := b.Ahead()
		if p.ahead == 0 && set != 0 {
			t.Fatalf("counters in step are set by %d: %+v", set, b)
		}
		left := p.ahead - set
		if width := uint64(b.High - b.Low); width == 2*p.least && max(left, -left) > int64(p.least) {
			t.Fatalf("%d ahead, set by %d: a message that takes %d counts arrives before it was sent", p.ahead, set, p.least)
		}
	}
}

// TestAhead: a difference is told only where there is one, also where the counters wrap or are as far apart as can be.
func TestAhead(t *testing.T) {
	for _, c := range []struct {
		before, other, after uint64
		want                 int64
	}{
		{100, 110, 120, 0},
		{100, 100, 120, 0},
		{100, 120, 120, 0},
		{100, 121, 121 - 1, 11},
		{100, 99, 120, -11},
		{100, 1 << 40, 120, 1<<40 - 110},
		{1 << 40, 100, 1<<40 + 20, 90 - 1<<40},
		{^uint64(4), 2, 5, 0},
		{^uint64(4), 50, 5, 50},
	} {
		b := Unknown()
		if b.Add(c.before, c.other, c.after); b.Ahead() != c.want {
			t.Errorf("%+v: %d", c, b.Ahead())
		}
	}
}
