package sched

import "sched9/sched/atomic"

// When an M ticks. An M that owns a P always has a tick set [S2, U5], except while it waits for the
// other Ps (await), and, if it is the only P, from the end of a slice to the next (Left): a G may be about to run there,
// and only it looks at its P's timers. An M without a P needs no tick [A5].
//
// WireP stores m.p and then sets the tick. A tick that strikes before the store finds no P, and
// reports that no further tick is needed; WireP then sets one. A tick that strikes after the store
// finds the P, and reports when the next one is needed. If WireP set the tick before the store, the
// tick could be lost: one that strikes between the two would end the ticks, and the G that runs
// next would never be preempted.
//
// From then on each tick sets the next, and TickAt only makes it earlier. Ticks end with one that
// finds that the P was taken away or given up, or when m halts without a P. They pause after one that
// ends a slice whose G leaves at once, if there is one P: until the next slice, m looks for work and has no tick (Left).

// sleep halts m, which has no P, until *word is not 0, or the clock reaches deadline (0: none),
// or for less. On m itself, scheduler stack; no lock held. No tick disturbs it [A5, T2].
func (s *Sched) sleep(m *M, word *atomic.Uint32, deadline int64) {
	s.machine.TickOff(m)
	s.machine.HaltUntil(m, word, deadline)
}
