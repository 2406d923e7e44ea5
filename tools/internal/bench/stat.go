package bench

import (
	"math"
	"slices"
)

// Spread is a median with the least and the greatest value.
type Spread struct {
	Median, Least, Most float64
}

// spread makes one of values; all fields are NaN if there are none.
func spread(values []float64) Spread {
	if len(values) == 0 {
		n := math.NaN()
		return Spread{n, n, n}
	}
	s := slices.Sorted(slices.Values(values))
	m := s[len(s)/2]
	if len(s)%2 == 0 {
		m = (s[len(s)/2-1] + m) / 2
	}
	return Spread{m, s[0], s[len(s)-1]}
}

// known reports whether there is anything in s.
func (s Spread) known() bool { return !math.IsNaN(s.Median) }

// ratios divides pair by pair: one round's guests ran one after the other, so that what
// the host was busy with struck both. Without pairs there are none.
func ratios(ours, peers []float64) []float64 {
	var r []float64
	for i := range min(len(ours), len(peers)) {
		if peers[i] != 0 {
			r = append(r, ours[i]/peers[i])
		}
	}
	return r
}
