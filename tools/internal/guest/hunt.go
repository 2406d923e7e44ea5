package guest

import (
	"errors"
	"fmt"
	"time"

	"sched9/sched/hunt"
)

// MaxSeed is the largest seed of a schedule: the kernel's options are no larger.
const MaxSeed = 9_999_999

// Hunt says which schedule a guest has (package sched/hunt).
type Hunt struct {
	Seed     int           // 0 to MaxSeed
	Strategy int           // its number, 0: the seed's
	Depth    int           // the strategy's bound, 0: the seed's
	Runs     int           // so many seeds, one after the other, as long as they end with status 0; 0 is 1. The guest's output is lost then
	Step     int           // from one to the next
	Moves    string        // decide instead of a strategy (hunt.Move), with commas between them
	Log      bool          // the guest's report has all switches
	Leaks    bool          // a goroutine that can never run again when the program ends is a failure
	Limit    time.Duration // how long goroutines may run, in whole milliseconds of the guest; 0: for ever
	Hang     time.Duration // how long the program may take, sleep included, in whole seconds of the guest; 0: for ever
}

// movesFit reports whether the text is of moves that a guest can follow.
func movesFit(text string) bool {
	var h hunt.Hunter
	return len(text) <= hunt.MaxMovesText && h.Follow(text)
}

// maxHang bounds Hunt.Hang.
const maxHang = 1000 * time.Hour

// checkHunt says what is wrong with g.Hunt, or with the machine for it.
func (g Guest) checkHunt() error {
	h := g.Hunt
	switch {
	case h.Seed < 0 || h.Seed > MaxSeed:
		return fmt.Errorf("seed %d asked for, 0 to %d are possible", h.Seed, MaxSeed)
	case h.Strategy < 0 || h.Strategy >= hunt.Strategies():
		return fmt.Errorf("there is no strategy number %d", h.Strategy)
	case h.Depth < 0 || h.Depth > hunt.MaxDepth:
		return fmt.Errorf("depth %d asked for, 1 to %d are possible", h.Depth, hunt.MaxDepth)
	case h.Limit < 0 || h.Limit > time.Hour:
		return fmt.Errorf("a limit of %v asked for, up to an hour is possible", h.Limit)
	case h.Hang != 0 && (h.Hang < time.Second || h.Hang > maxHang):
		return fmt.Errorf("%v until the program hangs asked for, a second to %v are possible", h.Hang, maxHang)
	case !movesFit(h.Moves):
		return fmt.Errorf("%q are no moves, or too many", h.Moves)
	case g.SMP != 1 || !g.ICount:
		return errors.New("a schedule is hunted on one vCPU that counts instructions")
	}
	return nil
}
