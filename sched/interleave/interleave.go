// Package interleave decides which thread goes on where several threads take turns, to find errors
// that occur in one order of a thousand. It knows neither the threads nor their work: their host
// asks a Strategy at every point where another thread could go on.
//
//   - DFS tries all orders that leave a thread which could go on at most a few times.
//     Most errors need one or two such preemptions (CHESS, Musuvathi and Qadeer 2007).
//   - DPOR tries all orders that differ in more than steps which commute, however many preemptions they have.
//   - PCT draws an order from a seed, so that every error that needs d changes is
//     found with a known least probability (Burckhardt et al. 2010).
//   - Replay repeats an order that a failure printed.
package interleave

import (
	"fmt"
	"strconv"
	"strings"
)

// Move is the number of the thread that goes on, or Time.
type Move int8

// Time lets the clock jump to the next moment at which something is due.
const Time Move = -1

// String is the move as a schedule spells it.
func (m Move) String() string {
	if m == Time {
		return "T"
	}
	return strconv.Itoa(int(m))
}

// Point is a place of a run where it is decided who goes on.
type Point struct {
	Step int    // its number: how many such places came before in this run
	Cur  Move   // the thread that came here
	Able []Move // who can go on; Cur comes first if it can
	Free bool   // leaving Cur is no preemption: it cannot go on, or gives way
	Time bool   // something is due later, so the clock may jump
	// Word is the number of the word that Cur accesses next, -1: none; Write says that it
	// may store something there.
	Word  int
	Write bool
	// State names all that decides about the rest of the run: two points with
	// the same State and the same Able have the same futures. 0: it is not known.
	State uint64
}

// usual is the move that is no decision: Cur goes on, or else the first that can.
func (p *Point) usual() Move {
	if len(p.Able) == 0 {
		return Time
	}
	return p.Able[0]
}

// Strategy decides. Move is asked at every point of a run in order; ok is false if the rest of the
// run is known already, and the run is to be abandoned.
type Strategy interface {
	Move(p *Point) (m Move, ok bool)
}

// Search is a strategy that tries run after run, each between Begin and End, and is told what the threads do.
type Search interface {
	Strategy
	Begin() bool                         // false: all were made
	End(abandoned bool)                  // Move has abandoned the run, or none was able to go on
	Replaying() bool                     // the run still repeats an earlier one
	Access(t Move, word int, wrote bool) // t has used a word; wrote: it has stored something
	Wake()                               // something was done that may concern any thread
	Waits(t Move, words ...int)          // t stands where it waits for a store to one of these; told anew before each Move, Rest and End
	Rest()                               // none was able to go on, and something has happened for that reason
}

// Schedule is a run's decisions that differ from the default.
type Schedule []Decision

// Decision is a move at a step.
type Decision struct {
	Step int
	Move Move
}

// String spells a schedule as Parse reads it: "-" for the usual run, else
// decisions like 17>2 (at step 17 thread 2 goes on) and 30>T (the clock jumps).
func (s Schedule) String() string {
	if len(s) == 0 {
		return "-"
	}
	var b strings.Builder
	for i, d := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d>%v", d.Step, d.Move)
	}
	return b.String()
}

// Parse reads what String has written.
func Parse(text string) (Schedule, error) {
	var s Schedule
	if text == "-" {
		return s, nil
	}
	last := -1
	for _, f := range strings.Split(text, ",") {
		at, to, ok := strings.Cut(f, ">")
		step, err := strconv.Atoi(at)
		move, err2 := int64(Time), error(nil)
		if to != "T" {
			move, err2 = strconv.ParseInt(to, 10, 8)
		}
		if !ok || err != nil || err2 != nil || step <= last || move < int64(Time) {
			return nil, fmt.Errorf("%q is not a decision of a schedule: want steps that grow, each with a thread or T, as in 17>2", f)
		}
		s = append(s, Decision{step, Move(move)})
		last = step
	}
	return s, nil
}

// Note adds the decision at p.
func (s *Schedule) Note(p *Point, m Move) {
	if m != p.usual() {
		*s = append(*s, Decision{p.Step, m})
	}
}

// Replay is the strategy that repeats a schedule.
type Replay struct {
	left Schedule
	// Bad says, after the run, which decision did not fit it; "" if all did.
	Bad string
}

// NewReplay repeats s.
func NewReplay(s Schedule) *Replay { return &Replay{left: s} }

// Move takes the next decision when its step has come.
func (r *Replay) Move(p *Point) (Move, bool) {
	if len(r.left) == 0 || r.left[0].Step > p.Step {
		return p.usual(), true
	}
	d := r.left[0]
	r.left = r.left[1:]
	if d.Step < p.Step || !p.can(d.Move) {
		if r.Bad == "" {
			r.Bad = fmt.Sprintf("%d>%v does not fit the run, which is at step %d with %v able to go on", d.Step, d.Move, p.Step, p.Able)
		}
		return p.usual(), true
	}
	return d.Move, true
}

// can reports whether m is a move at p.
func (p *Point) can(m Move) bool {
	if m == Time {
		return p.Time
	}
	for _, a := range p.Able {
		if a == m {
			return true
		}
	}
	return false
}
