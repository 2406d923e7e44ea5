package space

import (
	"math/rand"
	"testing"
)

// The model is one byte per unit of address space: unused, reserved, writable.
const units = 64

func check(t *testing.T, s *Space, model []byte) {
	t.Helper()
	for i := 1; i < s.n; i++ {
		a, b := s.areas[i-1], s.areas[i]
		if a.End > b.Start {
			t.Fatalf("areas %v and %v overlap or are out of order", a, b)
		}
		if a.End == b.Start && a.Writable == b.Writable {
			t.Fatalf("areas %v and %v were not merged", a, b)
		}
	}
	for u := uintptr(0); u < units; u++ {
		a := s.Lookup(u)
		got := byte(0)
		if a != nil {
			got = 1
			if a.Writable {
				got = 2
			}
		}
		if got != model[u] {
			t.Fatalf("unit %d is %d, want %d; areas %v", u, got, model[u], s.areas[:s.n])
		}
	}
}

func TestAgainstModel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s Space
	model := make([]byte, units)
	for step := 0; step < 20000; step++ {
		start := uintptr(r.Intn(units))
		end := start + 1 + uintptr(r.Intn(units-int(start)))
		state := byte(r.Intn(3))
		if !s.Set(start, end, state != 0, state == 2) {
			t.Fatal("no room")
		}
		for u := start; u < end; u++ {
			model[u] = state
		}
		check(t, &s, model)

		from, n := uintptr(1+r.Intn(units-1)), uintptr(1+r.Intn(8))
		want := uintptr(0)
		for p := from; p+n <= units && want == 0; p++ {
			free := true
			for u := p; u < p+n; u++ {
				free = free && model[u] == 0
			}
			if free != s.Free(p, p+n) {
				t.Fatalf("Free(%d, %d) is %v", p, p+n, !free)
			}
			if free {
				want = p
			}
		}
		if got := s.Find(from, units, n); got != want {
			t.Fatalf("Find(%d, %d) = %d, want %d", from, n, got, want)
		}
	}
}

func TestFull(t *testing.T) {
	var s Space
	for i := uintptr(0); ; i++ {
		if !s.Set(i*2, i*2+1, true, true) {
			if i < MaxAreas-2 {
				t.Fatalf("full after %d areas", i)
			}
			break
		}
	}
	if s.Set(0, 1<<40, true, true) {
		t.Error("a full table took another area")
	}
}
