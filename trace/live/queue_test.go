package live

import (
	"testing"

	"sched9/record"
)

// TestQueue follows the lengths of the queues of P 0 and P 1, and the global
// one.
func TestQueue(t *testing.T) {
	count := func(low, n uint64) uint64 { return low | n<<record.CountShift }
	ring := func(i uint64) uint64 { return uint64(record.FromRing) | i<<record.IndexShift }
	f := newFeed()
	f.boots(ms, 0, 0)
	f.boots(ms, 1, 1)
	for i, c := range []struct {
		m, p   int
		e      record.Event
		g, arg uint64
		aux    uint64
		want   [3]int
	}{
		{0, 0, record.EvPutNext, 1, 0, 0, [3]int{1, 0, 0}},
		{0, 0, record.EvPutNext, 2, 0, 0, [3]int{1, 0, 0}},
		{0, 0, record.EvPutRing, 1, 0, 0, [3]int{2, 0, 0}},
		{0, 0, record.EvPutRing, 3, 1, 0, [3]int{3, 0, 0}},
		{0, 0, record.EvPutRing, 4, 2, 0, [3]int{4, 0, 0}},
		{0, 0, record.EvPutRing, 5, 3, 0, [3]int{5, 0, 0}},
		// Half the ring goes to P 1, one of it to run.
		{1, 1, record.EvSteal, 0, count(0, 7), 0 | 2<<8, [3]int{3, 1, 0}},
		{1, 1, record.EvStart, 3, uint64(record.FromSteal) | 8<<record.IndexShift, 0, [3]int{3, 1, 0}},
		{1, 1, record.EvSteal, 2, count(0, 8), 0 | 1<<8, [3]int{2, 0, 0}},
		{0, 0, record.EvStart, 4, ring(2), 0, [3]int{1, 0, 0}},
		{0, 0, record.EvWithhold, 5, ring(3), 0, [3]int{0, 0, 0}},
		{0, 0, record.EvPutGlobal, 6, 0, 0, [3]int{0, 0, 1}},
		{0, 0, record.EvPutGlobal, 7, 0, 0, [3]int{0, 0, 2}},
		{0, 0, record.EvPutGlobal, 8, 0, 0, [3]int{0, 0, 3}},
		{0, 0, record.EvGetGlobal, 6, count(4, 2), 0, [3]int{1, 0, 1}},
		{0, 0, record.EvStart, 6, uint64(record.FromGlobal), 0, [3]int{1, 0, 1}},
		{0, 0, record.EvPutNext, 6, 0, 0, [3]int{2, 0, 1}},
		{0, 0, record.EvTake, 6, uint64(record.FromNext), 0, [3]int{1, 0, 1}},
		{1, 1, record.EvTake, 7, ring(4), 0, [3]int{0, 0, 1}},
		{1, 1, record.EvPutGlobal, 7, 0, 0, [3]int{0, 0, 2}},
		// A record of P 0's was lost: its ring was full by now.
		{0, 0, record.EvPutRing, 9, 300, 0, [3]int{256, 0, 2}},
		{0, 0, record.EvOverflow, 10, count(45, 128), 0, [3]int{128, 0, 131}},
		// An old record comes late and moves nothing back.
		{1, 1, record.EvSteal, 0, count(10, 8), 0 | 2<<8, [3]int{128, 1, 131}},
		// A P goes idle without Gs, whatever was lost.
		{0, 0, record.EvRelease, 0, 0, 0, [3]int{128, 1, 131}},
		{0, noP, record.EvIdleP, 0, 0, 0, [3]int{0, 1, 131}},
		// An M that spins has none either, and one that goes to sleep has seen
		// an empty global queue.
		{1, 1, record.EvSpin, 0, 1, 0, [3]int{0, 0, 131}},
		{1, 1, record.EvLook, 0, uint64(record.LookLocked), 0, [3]int{0, 0, 131}},
		{1, 1, record.EvRelease, 0, 0, 0, [3]int{0, 0, 131}},
		{1, noP, record.EvIdleP, 0, 1, 0, [3]int{0, 0, 0}},
	} {
		f.at(f.newest+1, c.m, c.p, c.e, c.g, c.arg, c.aux)
		if got := [3]int{f.ps[0].len(), f.ps[1].len(), f.global}; got != c.want {
			t.Errorf("after event %d, %v on P %d: %v, want %v", i, c.e, c.p, got, c.want)
		}
	}
}

// TestStopped: an M that stops for the world has not seen an empty global queue.
func TestStopped(t *testing.T) {
	f := newFeed()
	f.boots(ms, 0, 0)
	f.at(ms, 0, 0, record.EvPutGlobal, 1, 0, 0)
	f.at(ms, 0, 0, record.EvLook, 0, uint64(record.LookLocked), 0)
	f.at(ms, 0, 0, record.EvRelease, 0, 0, 0)
	f.at(ms, 0, noP, record.EvStopP, 0, 0, 0)
	if got := f.line(ms, "P0"); got[:22] != "P0   stopped     0    " {
		t.Errorf("%q", got)
	}
	f.at(ms, 0, noP, record.EvIdleP, 0, 0, 0)
	if f.global != 1 {
		t.Errorf("the global queue has %d Gs", f.global)
	}
	if got := f.line(ms, "P0"); got[:22] != "P0   idle        0    " {
		t.Errorf("%q", got)
	}
}

// TestProcs: Ps that are no more are not shown.
func TestProcs(t *testing.T) {
	f := newFeed()
	for i := range 4 {
		f.boots(ms, i, i)
	}
	f.at(ms, 0, 0, record.EvProcs, 0, 2, 0)
	if f.line(ms, "P1") == "" || f.line(ms, "P2") != "" {
		t.Errorf("%q", f.page(ms, Options{}))
	}
}

// TestBar draws queues.
func TestBar(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 8: 1, 9: 2, 256: 32, 257: 32, 100000: 32} {
		if got := len([]rune(bar(n))); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
