package sched

import (
	"slices"
	"testing"
)

// TestListedQueues: what is told of the queues is what is in them, in order, at any place of the ring, however little room there
// is for it, and nothing leaves them.
func TestListedQueues(t *testing.T) {
	for _, at := range positions {
		mdl := newModel(1, 1)
		p := mdl.s.P(0)
		setRing(p, at)
		ts := mdl.gs(RingSize + 5)
		want := make([]uint64, len(ts))
		for i, task := range ts {
			task.G.ID = uint64(i) + 1
			want[i] = task.G.ID
		}
		mdl.putAll(p, ts[:RingSize])
		for _, task := range ts[RingSize+1:] {
			mdl.s.GlobrunqPut(mdl.s.M(0), &task.G)
		}
		for _, room := range []int{0, 1, RingSize - 1, RingSize, RingSize + 10} {
			got := make([]uint64, room)
			n, next := p.Queued(got)
			if next != 0 || !slices.Equal(got[:n], want[:min(room, RingSize)]) {
				t.Fatalf("at %d, with room for %d: %d, next %d", at, room, n, next)
			}
			if n = mdl.s.GlobalQueued(got); !slices.Equal(got[:n], want[RingSize+1:][:min(room, 4)]) {
				t.Fatalf("with room for %d: global %v", room, got[:n])
			}
		}
		mdl.s.RunqPut(mdl.s.M(0), &ts[RingSize].G, true)
		if _, next := p.Queued(nil); next != want[RingSize] {
			t.Errorf("runnext is %d", next)
		}
		if p.Len() != RingSize+1 || mdl.s.GlobrunqLen() != 4 {
			t.Errorf("%d and %d are left", p.Len(), mdl.s.GlobrunqLen())
		}
	}
}

// TestSetSlice: a slice is as long as it is told, but never so short that nothing runs in it.
func TestSetSlice(t *testing.T) {
	s := newModel(1, 1).s
	for _, c := range [][2]int64{{5e6, 5e6}, {1, 1000}, {1000, 1000}} {
		if s.SetSlice(s.M(0), c[0]); s.Slice() != c[1] || s.sliceOf(s.M(0)) != c[1] {
			t.Errorf("a slice of %d is %d", c[0], s.Slice())
		}
	}
}
