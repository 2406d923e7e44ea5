package sched

// Policy is how Gs find Ms: the lineage that led to this scheduler, for comparison.
// All of them are this code with something left out.
type Policy int32

const (
	// MToN is the scheduler itself: queues of Ps, and stealing.
	MToN Policy = iota

	// NToOne has one M, and Gs leave it only by themselves: coroutines in one thread. A G
	// that computes keeps all others waiting, and so does one in a system call.
	NToOne

	// OneToOne ties every G to the M that first runs it, and ends the M with the G: a
	// thread for each. There are as many as CPUs; when all have Gs that wait, the
	// last M is lent (locked.go), else Gs that have none wait for one.
	OneToOne

	// Pool has no local queues: Ms take every G from the global one, under its lock,
	// as Go did before 1.1.
	Pool
)

// Policy returns the policy in force.
func (s *Sched) Policy() Policy { return s.policy }

// MaxMs returns how many Ms of its own the scheduler can start, and so how many Ps
// make sense. Scheduler lock held, or before there is a second M.
func (s *Sched) MaxMs() int32 {
	if s.policy == NToOne {
		return 1
	}
	return int32(s.machine.CPUs()) - s.nforeign
}
