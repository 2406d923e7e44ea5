package sched

// A Policy is what may be decided about who runs where. The rest of package sched is the mechanism: what it takes to start,
// wake and stop Ms, to put a G in a queue or to steal it without losing one. The zero value decides as M:N does, and
// each field is one decision that a policy makes in another way. A policy is one file, policy_NAME.go, and a line in Policies.
//
// Functions run as scheduler code does: on the scheduler's stack, without allocation, and perhaps without a P.
type Policy struct {
	// Name is what GODEBUG's schedpolicy and sched9 run -policy call it.
	Name string

	// Waives are the rules of docs/SPEC.md that it does not keep, with spaces between. The checker holds a
	// recording against the others.
	Waives string

	// Ms is how many Ms there are at most; 0: as many as CPUs.
	Ms int32

	// Threads ties each G to the M that first runs it, and ends the M with the G.
	Threads bool

	// Shared: which queue. Ps have none of their own. Every G is put on the global queue, and taken from there one
	// by one, and there is nothing to steal. Otherwise a G goes to the P at hand: to runnext or the ring [R11].
	Shared bool

	// Before: which G. It reports whether g goes before other, which is on the global queue already; nil: first in,
	// first out [R7]. Scheduler lock held.
	Before func(g, other *G) bool

	// Ranked, if not nil, is told that g goes to the global queue, before Before is asked: it may change g.Rank. left: by ran g
	// until now, and g was made to leave or gave way; else g has waited, is new, or comes from another queue. Scheduler lock held.
	Ranked func(s *Sched, by *M, g *G, left bool)

	// Steal: how many of the n Gs in another P's ring a thief takes, 1 at least; nil: half, rounded up [R10].
	Steal func(n uint32) uint32

	// Endless: how long. Nobody is made to leave a CPU. Slices: how many of Config's slices g runs on m before it is asked to
	// leave, 1 at least; nil: one [S2].
	Endless bool
	Slices  func(m *M, g *G) int64

	// Wake: who is woken. It is told that by has made g ready, and put it on a queue, when by is not about to run
	// it; nil: an idle M begins to look for work, unless one does [M7].
	Wake func(s *Sched, by *M, g *G)
}

// Policies are all there are; the first is in force if none is asked for.
var Policies = [...]*Policy{&MToN, &NToOne, &OneToOne, &Pool, &MLFQ}

// PolicyNamed returns the policy called name, or nil.
func PolicyNamed(name string) *Policy {
	for _, p := range Policies {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Policy returns the policy in force.
func (s *Sched) Policy() *Policy { return s.policy }

// MaxMs returns how many Ms of its own the scheduler can start, and so how many Ps
// make sense. Scheduler lock held, or before there is a second M.
func (s *Sched) MaxMs() int32 {
	n := int32(s.machine.CPUs()) - s.nforeign
	if s.policy.Ms != 0 {
		n = min(n, s.policy.Ms)
	}
	return n
}
