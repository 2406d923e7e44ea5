package hunt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestCutMove: the text of moves, and what is none.
func TestCutMove(t *testing.T) {
	text := "s7.4,c8.12345,p1.2.3"
	want := []Move{{AtPoint, 7, 4, 0}, {AtClock, 8, 12345, 0}, {Choose, 1, 2, 3}}
	for _, w := range want {
		m, rest, ok := CutMove(text)
		if !ok || m != w {
			t.Errorf("%q: %v, %v; want %v", text, m, ok, w)
		}
		text = rest
	}
	if text != "" {
		t.Errorf("%q is left", text)
	}
	for _, bad := range []string{"", "s", "s7", "s7.", "s.4", "x1.2", "p1.2", "s1.2.3", "s1.2,", "s1.2 s3.4", "s-1.2", "s4294967296.1", "p1.2.x"} {
		if m, _, ok := CutMove(bad); ok {
			t.Errorf("%q is %v", bad, m)
		}
	}
	var h Hunter
	h.Begin(1, 0, 0, 0)
	if h.Follow(strings.Repeat("s1.1,", MaxMoves) + "s1.1") {
		t.Error("more moves are followed than fit")
	}
	h.Begin(1, 0, 0, 0)
	if !h.Follow(strings.Repeat("s1.1,", MaxMoves-1) + "s1.1") {
		t.Error("as many moves as fit are not followed")
	}
}

// TestFollow: a schedule's moves make the same schedule, whatever the strategy was, and none make the plain one.
func TestFollow(t *testing.T) {
	p := program{left: []int{4, 4, 4, 4}}
	each(t, func(t *testing.T, strategy int) {
		differ := 0
		for seed := range uint64(50) {
			var text []string
			p.told = func(s Switch) {
				if s.Why != 0 && s.From != s.To {
					text = append(text, fmt.Sprintf("%c%d.%d", s.Why, s.From, s.At))
				}
				if s.Other && !(s.Why != 0 && s.From == s.To) {
					text = append(text, fmt.Sprintf("p%d.%d.%d", s.From, s.N, s.To))
				}
			}
			var h, again, plain Hunter
			h.Begin(seed, strategy, 0, 0)
			want := p.run(&h, 0)
			p.told = nil
			again.Begin(seed+1, 0, 0, 0)
			if !again.Follow(strings.Join(text, ",")) {
				t.Fatalf("%d moves cannot be followed", len(text))
			}
			if got := p.run(&again, 0); !slices.Equal(got, want) {
				t.Errorf("seed %d: %v\nwith moves %v, want %v", seed, text, got, want)
			}
			plain.Begin(seed, strategy, 0, 0)
			if !plain.Follow("p0.0.0") {
				t.Fatal("the move that never is cannot be followed")
			}
			if got := p.run(&plain, 0); !slices.IsSorted(got) {
				t.Errorf("without moves: %v", got)
			}
			if !slices.IsSorted(want) {
				differ++
			}
		}
		if differ == 0 {
			t.Error("all schedules are the plain one")
		}
	})
}

// TestFollowClock: a move at a clock moment comes when its G has run so long, whatever runs in between.
func TestFollowClock(t *testing.T) {
	var h Hunter
	h.Begin(1, 0, 0, 1000)
	h.Follow("c1.300,c2.50")
	for _, step := range []struct {
		at   int64
		come bool
		due  int64
	}{{1100, false, 1300}, {1299, false, 1300}} {
		if come, due := h.Clock(step.at); come != step.come || due != step.due {
			t.Errorf("at %d: %v, %d", step.at, come, due)
		}
	}
	h.Pick([]uint64{2}, 1250) // G 1 has run 250
	if h.Due() != 1300 {
		t.Errorf("G 2's is due at %d", h.Due())
	}
	if come, _ := h.Clock(1305); !come || !h.Moment(2, []uint64{1}) {
		t.Error("G 2 does not leave")
	}
	h.Pick([]uint64{1, 2}, 1310)
	if h.Made.Why != AtClock || h.Made.At != 50 || h.Due() != 1360 {
		t.Errorf("%+v, and G 1's is due at %d", h.Made, h.Due())
	}
	if h.Moment(1, []uint64{2}) {
		t.Error("G 1 leaves before its moment")
	}
}
