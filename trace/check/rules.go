package check

// Rule is something that a trace can break.
type Rule struct {
	ID   string // of SPEC.md, or a word for a rule that SPEC.md states without an id
	What string // what a trace shows of it
}

// Rules are all rules that Check knows.
var Rules = []Rule{
	{"U3", "never more Gs run than there are Ps"},
	{"G1", "a G changes state along a legal edge"},
	{"G2", "a running G is its M's current one, and the M has a P"},
	{"G3", "a runnable G is in exactly one queue, or in the hands of one M, which does not lose it"},
	{"G4", "a G that waits has a reason"},
	{"M1", "an M that is parked, until the next timer or for ever, has no P and no G"},
	{"M2", "an M that spins has a P, and only one that spins steals"},
	{"M3", "the P of an M that spins has no G"},
	{"M4", "an M whose G is in a system call does nothing else; once its P was taken it has none, and runs no code, until it has taken another"},
	{"M6", "a G that is tied to an M runs on it alone; a coroutine that is switched to takes the tie over"},
	{"M7", "an M enters the spin only while fewer than half of the busy Ps' Ms spin; the count of spinning Ms is right"},
	{"M8", "an M is started once, and only if none is parked; an M that was not started does nothing"},
	{"M9", "a parked M wakes up if and only if it was given a P, and with that P; no wake-up is lost"},
	{"M11", "an M ends with a G that ends tied to it, if it is the last such, and not otherwise; it begins anew without a P"},
	{"M12", "ties nest: each adds one to the count, and undoing it subtracts one"},
	{"M13", "an M that waits for a G of its own runs no other, unless all other Ms are held up; a P that is handed on has no owner, and gets one; a G is passed to the M that it is tied to, which wakes up"},
	{"M15", "the processor of foreign code is an M from when it borrows one until it returns it"},
	{"N1", "an M that asks the devices makes as many Gs runnable as it reports"},
	{"N2", "one M at most sleeps until the next timer is due"},
	{"N4", "an M asks the devices before it looks at the global queue, but for no longer than a slice while Gs wait there"},
	{"P1", "a P has one owner and an M one P"},
	{"P2", "a P on the idle list has no owner and no G"},
	{"P4", "while the world stands still only the M that stopped it runs; Ps are stopped only for a stop of the world"},
	{"P5", "a P beyond the number of Ps is not used"},
	{"P7", "a G that is wired to a P runs on it alone, unless it is tied to an M; one that was found elsewhere is passed to that P, which does not go idle before it has run"},
	{"R1", "a ring holds 256 at most"},
	{"R2", "a ring is filled slot by slot, by its owner"},
	{"R3", "a ring is emptied slot by slot, each slot once, and the G taken is the one that was put there"},
	{"R5", "runnext belongs to a P, and a thief takes the G that is there"},
	{"R6", "half of a full ring and the new G overflow in one step"},
	{"R7", "the global queue is first in, first out"},
	{"R8", "every 61st dispatch of a P takes from the global queue, unless that is empty"},
	{"R9", "an M takes no more than a fair share from the global queue, and at most half a ring"},
	{"R10", "a thief takes at most half, and a runnext only in the fourth pass"},
	{"R11", "only a G from runnext inherits a time slice, and not a used-up one; no slice lasts for several while others wait, whatever Gs run in it"},
	{"S1", "a P is taken from a system call after 20 us if others wait for it, otherwise after 10 ms, not before; and it is taken then if an M sleeps, or if others run and Gs are queued there"},
	{"S2", "a slice lasts 10 ms: then the G is asked to leave if others wait, not before"},
	{"S3", "an M looks at timers and devices when ticks ask for it"},
	{"A2", "a G that is asked to leave leaves; only a running G is preempted"},
	{"A4", "no processor takes an interrupt that was not sent"},
	{"A5", "a G that runs alone is disturbed only once in a slice, and no timer wakes an M that waits for no time"},
	{"T1", "no timer fires early"},
	{"V3", "no record is lost"},
	{"find", "findRunnable's order: local, devices, global, four passes of stealing, idle work, global again, everything again, sleep"},
	{"wake", "an M is woken to look for work only if there is a reason"},
	{"work", "work conservation: no G waits while a P is idle, an M is free and none is on its way"},
}
