package main

import (
	"slices"
	"testing"

	"sched9/kernel/goruntime"
)

// TestTaken: a call that is left is refused where it is in line, at any depth, whatever else is refused with it; what is called elsewhere stays.
func TestTaken(t *testing.T) {
	a, b, c, other := goruntime.Call{From: "top", To: "a"}, goruntime.Call{From: "a", To: "b"}, goruntime.Call{From: "b", To: "c"}, goruntime.Call{From: "else", To: "b"}
	calls := []goruntime.Call{a, b, c, other}
	for _, k := range []struct{ left, want []goruntime.Call }{
		{nil, calls},
		{[]goruntime.Call{{From: "top", To: "a"}}, []goruntime.Call{b, c, other}},
		{[]goruntime.Call{{From: "top", To: "b"}}, []goruntime.Call{a, c, other}},
		{[]goruntime.Call{{From: "top", To: "a"}, {From: "top", To: "b"}, {From: "top", To: "c"}}, []goruntime.Call{other}},
		{[]goruntime.Call{{From: "a", To: "b"}}, calls},
	} {
		if got := taken(calls, k.left); !slices.Equal(got, k.want) {
			t.Errorf("left %v: %v, want %v", k.left, got, k.want)
		}
	}
}
