package sched

// An M that spins and has found nothing looks on for a while before it sleeps. While it
// spins nobody is woken (WakeP), and on a machine that is emulated, or shared, a wake is
// the most expensive thing that a scheduler does: an interrupt, a processor that leaves its
// halt, and a search that comes too late, because what a G has readied as the next one
// it runs itself as soon as it blocks. Two Gs that wake each other would have an idle
// CPU woken at every exchange.
//
// Whoever waits for something of unknown length does at most twice what would have been
// best if he waits as long as the alternative costs: that, an M's sleep and wake, was seen
// to be some 50 us where CPUs are emulated. With twice that a search goes on from one
// exchange to the next also while the host has them do something else.
const (
	lingerLook  = 1000 // nanoseconds between two looks
	lingerLooks = 100
	lingerShort = 10        // looks, of an M that lingered in vain lingerSoon ago or longer: nobody woke it for so long
	lingerSoon  = 1_000_000 // nanoseconds
	lingerNext  = 4         // looks for which a runnext must stay to be worth another search [R5]
	lingerAnew  = -1        // of M.looks: it has slept since it last lingered
)

// linger waits for work for m, which spins with P p and has found none, and reports
// whether it saw something that a search may find. It ends where only another search can
// go on, and at once if no other P is owned: then nothing but an interrupt makes work, and
// m waits for that by sleeping [A5, T2]. All the searches until m finds a G or sleeps
// have lingers looks together.
//
// No argument rests on it. m is a spinner all the while, so what WakeP's and dropSpinning's
// comments say holds: who put a G and saw m spin put it before m stops to, and m looks
// at all queues after that. What else m is to see to by itself, because it does not sleep
// and so is not kicked, it looks for here: stops, safe points, timers that are due, devices,
// sysmon's work. The last is done by the search's end.
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
		if s.sysmonDue.Load() != 0 || s.rescue.Load() != 0 {
			break
		}
		if s.rt.Stopping() || s.rt.SafePointPending(p) || s.runqsize.Load() != 0 || m.nlockedq.Load() != 0 || s.rt.PollReady() {
			return true
		}
		if t := s.nextTimer(); t != 0 && t <= s.machine.Now() {
			return true
		}
		m.looks--
		stays := m.looks%lingerNext == 0
		for i := int32(0); i < procs; i++ {
			victim := &s.ps[i]
			if victim.tail.Load() != victim.head.Load() {
				return true
			}
			if stays && victim != p {
				next := victim.runnext.Load()
				if next != 0 && next == nexts[i] {
					return true
				}
				nexts[i] = next
			}
		}
		s.machine.BusyWait(lingerLook)
		s.machine.OSYield()
	}
	m.lingered = s.machine.Now()
	return false
}
