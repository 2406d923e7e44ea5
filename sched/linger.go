package sched

// An M that spins and has found nothing goes on looking for a while before it sleeps. While it
// spins no M is woken (WakeP). On a machine that is emulated, or shared, a wake-up is the
// scheduler's most expensive operation: an interrupt, a processor that leaves its halt, and a
// search that usually fails, because the P runs its own runnext as soon as the current G blocks,
// before the thief arrives. Two Gs that wake each other would wake an idle CPU at every exchange.
//
// Spinning for as long as the alternative costs is never worse than twice the optimum (competitive
// spinning). The alternative, an M's sleep and wake-up, was measured as some 50 us where CPUs are
// emulated. With twice that, a search lasts from one exchange to the next even if the host
// interrupts it.
const (
	lingerLook  = 1000 // nanoseconds between two looks
	lingerLooks = 100
	lingerShort = 10        // looks, if m's last linger found nothing and was lingerSoon ago or longer: it was not woken in all that time
	lingerSoon  = 1_000_000 // nanoseconds
	lingerNext  = 4         // looks for which a runnext must stay to be worth another search [R5]
	lingerAnew  = -1        // of M.looks: it has slept since it last lingered
)

// linger waits for work for m, which spins with P p and has found none, and reports whether it saw
// something that a search may find. It ends where only another search can go on, and at once if no
// other P is owned: then only an interrupt makes work, and m waits for that by sleeping [A5, T2].
// All the searches until m finds a G or sleeps have lingers looks together.
//
// No argument rests on it. m is a spinner all the time, so the comments of WakeP and dropSpinning
// hold: an M that put a G and saw m spin put it before m stops spinning, and m looks at all queues
// after that. m does not sleep and so is not kicked, therefore it looks here for everything else
// that it must do itself: stops, safe points, timers that are due, devices, sysmon's work. The end
// of the search does the last.
func (s *Sched) linger(m *M, p *P) bool {
	procs := s.procs.Load()
	if s.npidle.Load() >= procs-1 {
		return false
	}
	if m.looks == lingerAnew || m.search != m.Stats[Runs] {
		m.looks, m.search = s.lingers, m.Stats[Runs]
		if s.machine.Now()-m.lingered > lingerSoon {
			m.looks = min(lingerShort, s.lingers)
		}
	}
	if m.looks == 0 {
		return false
	}
	m.Stats[Lingers]++
	var nexts [MaxProcs]uintptr
	for m.looks > 0 && s.npidle.Load() < procs-1 {
		if s.sysmonDue.Load() != 0 {
			break
		}
		if s.rt.Stopping() || s.rt.SafePointPending(p) || s.runqsize.Load() != 0 || m.nlockedq.Load() != 0 || p.hasPassed() || s.rt.PollReady() {
			return true
		}
		if t, _ := s.nextTimer(); t != 0 && t <= s.machine.Now() {
			return true
		}
		m.looks--
		stays := m.looks%lingerNext == 0
		for set := s.ownedPs(); set != 0; {
			var victim *P
			victim, set = s.next(set)
			if victim.tail.Load() != victim.head.Load() {
				return true
			}
			if stays && victim != p {
				next := victim.runnext.Load()
				if next != 0 && next == nexts[victim.ID] {
					return true
				}
				nexts[victim.ID] = next
			}
		}
		s.machine.BusyWait(lingerLook)
		s.machine.OSYield()
	}
	m.lingered = s.machine.Now()
	return false
}
