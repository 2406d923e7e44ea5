package sched

import "sched9/sched/atomic"

// When an M ticks. An M that owns a P has a tick set at all times [S2, U5], but for the time in
// which it waits for the other Ps (await): a G may be about to run there, and the timers of
// its P are its own affair. An M without a P needs none [A5].
//
// WireP stores m.p and then sets the tick. A tick that strikes before the store finds no P,
// and answers that no other is wanted; WireP sets one after it. A tick that strikes behind
// the store finds the P, and answers when the next one is wanted. Set before the store,
// the tick could be lost: one that strikes between the two takes it away, and the G
// that runs next is never made to leave.
//
// From then on each tick sets the next, and TickAt only makes it earlier. Ticks end with
// one that finds that the P was taken away or given up, or when m halts without a P.

// sleep halts m, which has no P, until *word is not 0, or the clock reaches deadline (0: none),
// or for less. On m itself, scheduler stack; no lock held. No tick disturbs it [A5, T2].
func (s *Sched) sleep(m *M, word *atomic.Uint32, deadline int64) {
	s.machine.TickOff(m)
	s.machine.HaltUntil(m, word, deadline)
}
