// Package step finds by how much one processor's counter is ahead of another's, from readings that the two exchange, and that
// may be held at any moment for any time.
package step

// Bounds say by how much the other processor's counter is ahead: at least Low, at most High.
type Bounds struct{ Low, High int64 }

// Unknown returns the bounds before the first round.
func Unknown() Bounds { return Bounds{-1 << 63, 1<<63 - 1} }

// Add narrows b by a round: this processor read before, then the other one read other, then this one after. So when the other read,
// this one's counter was between the two: however long anything took, both bounds are true.
func (b *Bounds) Add(before, other, after uint64) {
	b.Low = max(b.Low, int64(other-after))
	b.High = min(b.High, int64(other-before))
}

// Ahead returns by how much the other counter is ahead, or 0 if the two may be in step: then no message has been seen to arrive before it was sent, and a
// guess would do harm. Otherwise it is wrong by half the width of the bounds at most: by half of the quickest way there and back.
func (b *Bounds) Ahead() int64 {
	if b.Low <= 0 && b.High >= 0 {
		return 0
	}
	return b.Low + (b.High-b.Low)/2
}
