package sched

// Counter is something that Ms count. The words behind each are its explanation in scenarios/README.md.
type Counter int

const (
	Runs      Counter = iota // Gs dispatched
	Steals                   // successful steals [R10]
	Stolen                   // Gs moved by them
	Globals                  // Gs taken from the global queue
	Overflows                // times half a ring went to the global queue [R6]
	Spins                    // times an M began to spin
	Lingers                  // times it looked on, having found nothing
	Parks                    // times it parked
	Wakes                    // times it woke another M
	Workers                  // dispatches of the runtime's own workers
	Ticks                    // timer interrupts while it owned a P
	Slices                   // slices that a tick found used up
	Retakes                  // Ps taken from Ms in system calls [S1]
	Handoffs                 // Ps handed on
	Passes                   // Gs passed to the Ms that they are tied to [M13], or the Ps that they are wired to [P7]
	Exits                    // times an M ended with its G [M11]
	Polls                    // times it asked the devices [N1]

	NumCounters
)

// CounterNames are what the host calls the counters.
var CounterNames = [NumCounters]string{
	Runs: "runs", Steals: "steals", Stolen: "stolen", Globals: "globals", Overflows: "overflows", Spins: "spins", Lingers: "lingers",
	Parks: "parks", Wakes: "wakes", Workers: "gcworkers", Ticks: "ticks", Slices: "slices", Retakes: "retakes", Handoffs: "handoffs",
	Passes: "passes", Exits: "mexits", Polls: "polls",
}

// Stats are the counters of one M, or sums of several Ms'.
type Stats [NumCounters]uint64

// Add adds s to sum. No lock: the numbers may be a moment old.
func (sum *Stats) Add(s *Stats) {
	for i, n := range s {
		sum[i] += n
	}
}
