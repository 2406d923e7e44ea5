package live

import (
	"cmp"
	"slices"
	"time"
)

// What is counted for rates.
const (
	dispatches = iota
	steals
	wakes
	preemptions
	parks
	retakes
	ipis
	cycles
	numCounts
)

// countNames are what pages call them.
var countNames = [numCounts]string{"dispatches", "steals", "wakes", "preemptions", "parks", "retakes", "IPIs", "collections"}

// counts are counters since the start.
type counts [numCounts]uint64

// window is how much of the host's time rates look back at least; a page a second
// is to show that second.
const window = 900 * time.Millisecond

// keep is how many goroutines a sample tells of: those that ran most.
const keep = 64

// sample is how far everything was at a moment.
type sample struct {
	host   time.Time
	guest  int64
	events uint64
	counts counts
	runs   []uint64         // by P
	ran    map[uint64]int64 // by goroutine, since the sample before
	kinds  map[kind]int64   // the same
}

// samples are those of the window, the oldest first, and the one before them.
type samples []sample

// Sample notes all counts at host's time now. Rates are those of about the last second before the
// last Sample, per second of the guest's time; when the recording has ended, of the whole run.
func (m *Model) Sample(now time.Time) {
	if m.events == 0 {
		return // there is no guest's time yet
	}
	for i := range m.ms[:m.nms] {
		// What still runs is known to run up to its last event.
		m.account(&m.ms[i], m.ms[i].last.Time)
	}
	s := sample{host: now, guest: m.newest, events: m.events, counts: m.counts, ran: m.ran, kinds: map[kind]int64{}}
	for i := range m.ps[:m.nps] {
		s.runs = append(s.runs, m.ps[i].runs)
	}
	for k, t := range m.kinds {
		if t.ran > 0 {
			s.kinds[k] = t.ran
			t.ran = 0
		}
	}
	prune(s.ran)
	m.ran = map[uint64]int64{}
	first := sample{host: now, guest: m.start}
	if m.samples == nil {
		m.samples = samples{first}
	}
	if m.t.Whole {
		m.samples = samples{first, m.all(s)}
		return
	}
	m.samples = append(m.samples, s)
	old := 0
	for old+2 < len(m.samples) && now.Sub(m.samples[old+1].host) >= window {
		old++
	}
	m.samples = slices.Delete(m.samples, 0, old)
}

// all is s, with what ran in the whole run.
func (m *Model) all(s sample) sample {
	s.ran, s.kinds = map[uint64]int64{}, map[kind]int64{}
	for id, g := range m.gs {
		s.ran[id] = g.running
	}
	for k, t := range m.kinds {
		s.kinds[k] = t.running
	}
	prune(s.ran)
	return s
}

// prune leaves the greatest of ran.
func prune(ran map[uint64]int64) {
	if len(ran) <= keep {
		return
	}
	var all []int64
	for _, ns := range ran {
		all = append(all, ns)
	}
	slices.SortFunc(all, func(a, b int64) int { return cmp.Compare(b, a) })
	for id, ns := range ran {
		if ns < all[keep-1] {
			delete(ran, id)
		}
	}
}

// ends are the first and the last sample, between which rates are made.
func (s samples) ends() (first, last sample) {
	if len(s) == 0 {
		return
	}
	return s[0], s[len(s)-1]
}

// span is the guest's time between them.
func (s samples) span() int64 {
	first, last := s.ends()
	return last.guest - first.guest
}

// perSecond is a rate of the guest's time, 0 if none has passed.
func (s samples) perSecond(before, after uint64) float64 {
	d := s.span()
	if d <= 0 || after < before {
		return 0
	}
	return float64(after-before) * 1e9 / float64(d)
}

// ran is how long what ran in the window, by goroutine and by kind.
func (s samples) ran() (gs map[uint64]int64, kinds map[kind]int64) {
	gs, kinds = map[uint64]int64{}, map[kind]int64{}
	for _, one := range s[min(1, len(s)):] {
		for id, ns := range one.ran {
			gs[id] += ns
		}
		for k, ns := range one.kinds {
			kinds[k] += ns
		}
	}
	return gs, kinds
}
