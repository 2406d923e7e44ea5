package check

import (
	"slices"
	"strings"
	"testing"

	"sched9/record"
	"sched9/sched"
)

// A rule that the policy waives is not judged, and what the others are judged by is as it was: here the Gs of the global queue
// that are left.
func TestWaived(t *testing.T) {
	for _, c := range []struct{ waives, want string }{{"", "R7"}, {"S2", "R7"}, {"S2 R7", ""}} {
		s := newScript()
		s.t.Waives = c.waives
		for g := uint64(2); g < 5; g++ {
			s.create(g).do(record.EvPutGlobal, g, 0, 0)
		}
		s.block(1)
		for _, g := range []uint64{4, 2, 3} {
			s.look(record.LookGlobal).do(record.EvGetGlobal, g, 0|1<<record.CountShift, 0).start(g, record.FromGlobal).block(g)
		}
		s.expect(t, c.want)
	}
}

// A policy that comes while the program runs is judged by what it waives, and a slice by its new length.
func TestChanged(t *testing.T) {
	for _, c := range []struct {
		policy *sched.Policy
		want   string
	}{{&sched.MToN, "R7"}, {&sched.Pool, "R7"}, {&sched.MLFQ, ""}} {
		s := newScript()
		s.do(record.EvPolicy, 0, c.policy.Packed(), 0)
		for g := uint64(2); g < 4; g++ {
			s.create(g).do(record.EvPutGlobal, g, 0, 0)
		}
		s.block(1).look(record.LookGlobal).do(record.EvGetGlobal, 3, 0|1<<record.CountShift, 0).start(3, record.FromGlobal)
		s.expect(t, c.want)
	}
	for _, c := range []struct {
		slice, ran int64
		want       string
	}{{0, 11_000_000, ""}, {20_000_000, 11_000_000, "S2"}, {20_000_000, 21_000_000, ""}, {1_000_000, 1_100_000, ""}, {0, 1_100_000, "S2"}} {
		s := newScript()
		if c.slice != 0 {
			s.do(record.EvSlice, 0, uint64(c.slice), 0)
		}
		s.create(2).do(record.EvPutRing, 2, 0, 0).after(c.ran).do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0)
		s.expect(t, c.want)
	}
}

// What policies waive are rules that there are.
func TestPoliciesWaiveRules(t *testing.T) {
	for _, p := range sched.Policies {
		for _, id := range strings.Fields(p.Waives) {
			if !slices.ContainsFunc(Rules, func(r Rule) bool { return r.ID == id }) {
				t.Errorf("%s waives %s, which is no rule", p.Name, id)
			}
		}
	}
}
