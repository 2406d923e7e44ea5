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
