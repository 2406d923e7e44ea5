package sched

import "unsafe"

// A Policy is a set of decisions about which G runs where. The rest of package sched is the
// mechanism: how to start, wake and stop Ms, and how to queue and steal Gs without losing one. The
// zero value decides as M:N does; each field replaces one decision. A policy is one file,
// policy_NAME.go, and a line in Policies.
//
// The functions run as scheduler code does: on the scheduler's stack, without allocation, and
// perhaps without a P.
type Policy struct {
	// Name is the policy's name in GODEBUG's schedpolicy and in sched9 run -policy.
	Name string

	// Waives are the rules of docs/SPEC.md that the policy does not keep, separated by spaces. The
	// checker judges a recording by the others.
	Waives string

	// Ms is the largest number of Ms; 0: as many as CPUs.
	Ms int32

	// Threads ties each G to the M that first runs it, and ends the M with the G.
	Threads bool

	// Shared: which queue. Ps have no queues of their own. Every G is put on the global queue and
	// taken from there one at a time, and there is nothing to steal. Otherwise a G goes to the
	// caller's P: to runnext or the ring [R11].
	Shared bool

	// Before: which G. It reports whether g goes before other, which is on the global queue
	// already; nil: first in, first out [R7]. Scheduler lock held.
	Before func(g, other *G) bool

	// Ranked, if not nil, is called when g goes to the global queue, before Before: it may change
	// g.Rank. left: by ran g until now, and g was asked to leave or yielded; otherwise g has
	// waited, is new, or comes from another queue. Scheduler lock held.
	Ranked func(s *Sched, by *M, g *G, left bool)

	// Steal: how many of the n Gs in another P's ring a thief takes, 1 at least; nil: half, rounded up [R10].
	Steal func(n uint32) uint32

	// Endless: how long. No G is preempted. Slices: how many of Config's slices g runs on m before
	// it is asked to leave, at least 1; nil: one [S2].
	Endless bool
	Slices  func(m *M, g *G) int64

	// Wake: which M is woken. It is called when by has made g ready and put it on a queue, and by
	// will not run it next; nil: an idle M begins to look for work, unless one is looking already
	// [M7].
	Wake func(s *Sched, by *M, g *G)

	// Pris is how many priorities the policy knows, 0: none. A lower number goes first. SetPri gives g one of them, and Pri
	// tells g's of now, which need not be the one that it was given. Scheduler lock held, and g is on no queue in SetPri.
	Pris   int64
	SetPri func(g *G, n uint32)
	Pri    func(g *G) uint32
}

// MaxPolicyName is how many bytes a policy's name has at most: the recorder puts it into an argument.
const MaxPolicyName = 6

// Policies are all policies; the first is the default.
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

// setPolicy puts p in force. A second M has not run yet, or the world is stopped. The short ways decide as M:N does, and a
// hunter decides for itself. Policies are static data, so the store needs no write barrier.
func (s *Sched) setPolicy(p *Policy) {
	*(*uintptr)(unsafe.Pointer(&s.policy)) = uintptr(unsafe.Pointer(p))
	s.setLong()
}

// setLong says whether the short ways are open. As setPolicy.
func (s *Sched) setLong() {
	p := s.policy
	s.long = 0
	if Wiring && s.wired != 0 || Hunting || p.Threads || p.Shared || p.Endless || p.Before != nil || p.Ranked != nil || p.Slices != nil || p.Wake != nil {
		s.long = 1
	}
}

// Packed is p's name as the recorder has it: its first letter in the lowest byte.
func (p *Policy) Packed() (name uint64) {
	for i := range len(p.Name) {
		name |= uint64(p.Name[i]) << (8 * i)
	}
	return name
}

// Changeable reports whether p can come into force, or go, while the program runs. One that ties Gs to Ms, or has few
// of these, finds them otherwise than it would have left them.
func (p *Policy) Changeable() bool { return p.Ms == 0 && !p.Threads }

// Wires reports whether Gs can be wired to Ps under p: Ps have queues of their own, and Gs leave them in time [P7].
func (p *Policy) Wires() bool { return !p.Shared && !p.Endless && !p.Threads }

// SetPolicy puts p in force, which like the one before is Changeable. The world is stopped, and the scheduler lock held, by the calling M.
//
// What is queued is put where p looks for it, and in its order: Gs of Ps that have no queues any more go to the
// global one, whose Gs were ranked by another policy, or by this one long ago.
func (s *Sched) SetPolicy(by *M, p *Policy) {
	if p.Shared {
		for i := range s.procs.Load() {
			s.runqDrain(by, &s.ps[i])
		}
	}
	s.setPolicy(p)
	old := s.runq
	s.runq = gList{}
	for g := old.pop(); g != nil; g = old.pop() {
		s.rank(by, g, false)
	}
}

// SetPri gives g the priority n, one of its policy's Pris. Scheduler lock held, by the calling M.
func (s *Sched) SetPri(by *M, g *G, n uint32) {
	at := s.runq.index(handleG(g))
	if at >= 0 {
		s.runq.remove(at)
	}
	if s.policy.SetPri(g, n); at >= 0 {
		s.rank(by, g, false)
	}
}

// Pri returns g's priority of now, and false where there are none. A hint.
func (s *Sched) Pri(g *G) (n uint32, ok bool) {
	if s.policy.Pris == 0 {
		return 0, false
	}
	return s.policy.Pri(g), true
}

// MaxMs returns how many Ms the scheduler can start, and so the largest useful number of Ps.
// Scheduler lock held, or before there is a second M.
func (s *Sched) MaxMs() int32 {
	n := int32(s.machine.CPUs()) - s.nforeign
	if s.policy.Ms != 0 {
		n = min(n, s.policy.Ms)
	}
	return n
}
