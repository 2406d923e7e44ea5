// Package rate finds how fast one counter runs by another, on a processor that may be held at
// any moment for any time: by a busy host, or by firmware.
//
// The processor's own counter is read before and after the other one, so that every reading
// says how wrong it can be at most: by the distance of the two. A pair of readings is good if
// that is little beside the time between them; reading goes on until a pair is good. When the
// other counter may have come round unseen, it begins anew.
package rate

// precision is what a measurement is good to: one part in so many.
const precision = 1000

// Reading is a count of the other counter, and when it was taken by the processor's own.
type Reading struct {
	At    uint64 // in the middle of Width
	Width uint64
	Other uint64
}

// end is when the reading had been taken.
func (r Reading) end() uint64 { return r.At + r.Width - r.Width/2 }

// begin is when it had not begun.
func (r Reading) begin() uint64 { return r.At - r.Width/2 }

// Read makes a Reading of the processor's counter before and after the other's.
func Read(before, other, after uint64) Reading {
	return Reading{At: before + (after-before)/2, Width: after - before, Other: other}
}

// Meter is a measurement. Set the first three fields.
type Meter struct {
	Mask  uint64 // the other counter counts upwards modulo Mask+1
	Gap   uint64 // in so many counts of the processor's the other cannot have come round
	Least uint64 // how many counts of the other a measurement takes at least

	First      Reading // where it began
	prev       Reading
	begun      bool
	moved      uint64 // counts of the other since First
	own, other uint64 // the best pair: counts of both between its readings
	wrong      uint64 // and by how many of own it may be wrong
}

// Add takes the next reading and reports whether the rate is known.
func (m *Meter) Add(r Reading) (done bool) {
	switch {
	case !m.begun, r.end()-m.prev.begin() > m.Gap, r.Width < m.First.Width/2:
		// A first reading that is much better is worth the time since the last one.
		m.begun, m.First, m.moved = true, r, 0
		m.own, m.other, m.wrong = 0, 0, 0
	default:
		m.moved += (r.Other - m.prev.Other) & m.Mask
		m.pair(r)
	}
	m.prev = r
	return m.own > 0 && m.wrong*precision <= m.own
}

// pair tests whether the first reading and r are the best pair. Each is in the middle of its width,
// plus or minus half of it; and the other counter stands still for a whole count.
func (m *Meter) pair(r Reading) {
	own, other := r.At-m.First.At, m.moved
	if other < m.Least {
		return
	}
	wrong := (m.First.Width+r.Width)/2 + own/other
	if m.own == 0 || wrong*(m.own>>8) < m.wrong*(own>>8) {
		m.own, m.other, m.wrong = own, other, wrong
	}
}

// Moving reports whether the other counter has been seen to count.
func (m *Meter) Moving() bool { return m.moved > 0 }

// Result returns how many counts of each there were in the same time.
func (m *Meter) Result() (own, other uint64) { return m.own, m.other }
