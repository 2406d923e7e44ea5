package sched

import "sched9/record"

// What devices have told makes Gs runnable. A search asks for it behind the P's own ring and before the global queue [N4]; stock
// Go asks behind that. Gs that compute stand there after each of their slices, so a G that waits for devices again and again, as one
// that serves requests does, would wait for a slice of each of them, every time, before anybody even sees that it could run.
//
// The devices do not starve the global queue [U2]. They go first for one slice, from the first time that they do so since m took from
// the queue. Then the queue has its turn, with as many Gs as ever [R9], and the devices may go first again. One poll may find more than
// a slice's work: then the turn comes after those Gs, or with the 61st dispatch [R8], as beside any other Gs in the ring.

// globalTurn reports whether the global queue goes before the devices, which have something to tell, because they have gone before it for a
// slice. Called by m, which owns a P, where it would ask the devices first. The queue may be empty when m takes the lock: then what the
// devices have told is found by the next search, or by m's last look (anyWork, sysmon), as what they tell later is.
//
// If m gets another P, its slice goes on. If the P gets another M, that may give the devices a new one; the 61st dispatch is the P's own.
func (s *Sched) globalTurn(m *M) bool {
	if s.runqsize.Load() == 0 {
		return false
	}
	now := s.machine.Now()
	if got := m.Stats[Globals]; m.ahead == 0 || m.aheadOf != got {
		m.ahead, m.aheadOf = now, got
	}
	return now-m.ahead >= s.slice
}

// poll asks the runtime to make runnable, on m's P, the Gs whose devices have events, if there are
// any [N1], and reports whether it did. due is 1 if the search begins with the poll because it was
// overdue [S3], otherwise 0.
func (s *Sched) poll(m *M, due uint64) bool {
	if !s.rt.PollReady() {
		return false
	}
	if due == 0 {
		m.Rec.Record(record.EvLook, 0, uint64(record.LookDevices), 0)
	}
	n := s.rt.Poll(m)
	m.Stats[Polls]++
	m.Rec.Record(record.EvPoll, 0, uint64(n), due)
	return n > 0
}
