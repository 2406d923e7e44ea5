package hunt

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	schedhunt "sched9/sched/hunt"
	"sched9/tools/internal/report"
)

// Cause is the least that makes a program fail: the moves of a schedule that is the plain one but for them.
type Cause struct {
	Moves    []schedhunt.Move
	Switches []report.Switch // of that schedule
	Boots    int             // so many schedules were tried for it
	Least    bool            // without any one of the moves it does not fail; else the number of boots was the bound
}

// Shrink looks for the cause of a failure, with at most so many boots. nil: there is none, because the moves of its schedule are too many, or do not
// make it fail by themselves. The error is Boot's.
func (h Hunt) Shrink(ctx context.Context, v Verdict, boots int) (*Cause, error) {
	c := &Cause{}
	if boots < 2 {
		return nil, nil
	}
	try := func(moves string, log bool) (Verdict, bool, error) {
		c.Boots++
		set := *h.Guest.Hunt
		set.Moves, set.Log = moves, log
		other := h
		other.Guest.Hunt = &set
		got, err := other.Boot(ctx, v.Seed)
		return got, err == nil && got.Failed && alike(got.Title, v.Title), err
	}
	logged, same, err := try("", true)
	// The first ones, if they are too many: then goroutines wait in a loop, perhaps, for what they have missed long before.
	c.Moves = fitting(moves(logged.Switches))
	if err != nil || !same {
		return nil, err
	}
	if _, same, err := try(text(c.Moves), false); err != nil || !same {
		return nil, err
	}
	c.Moves, c.Least, err = least(c.Moves, func(m []schedhunt.Move) (bool, bool, error) {
		if c.Boots+1 >= boots {
			return false, true, nil
		}
		_, same, err := try(text(m), false)
		return same, false, err
	})
	if err != nil {
		return nil, err
	}
	last, same, err := try(text(c.Moves), true)
	if err != nil || !same {
		return nil, err
	}
	c.Switches = last.Switches
	return c, nil
}

// plain is the text of a schedule without moves, a move that never is, since the text without any stands for the strategy.
const plain = "p0.0.0"

// least returns as few of all as it can find for which fails holds, as it does for all: delta debugging (Zeller, Hildebrandt, 2002). The
// last ones are left out first. least: all must stay; it is false if fails said that it is over.
func least(all []schedhunt.Move, fails func([]schedhunt.Move) (fails, over bool, err error)) (few []schedhunt.Move, least bool, err error) {
	for parts := 1; len(all) > 0; {
		size := (len(all) + parts - 1) / parts
		smaller := false
		for end := len(all); end > 0; end -= size {
			rest := slices.Concat(all[:max(end-size, 0)], all[end:])
			ok, over, err := fails(rest)
			if err != nil || over {
				return all, false, err
			}
			if ok {
				all, smaller = rest, true
				break
			}
		}
		switch {
		case smaller:
			parts = max(parts-1, 1)
		case size == 1:
			return all, true, nil
		default:
			parts = min(parts*2, len(all))
		}
	}
	return []schedhunt.Move{}, true, nil
}

// moves are those that make a schedule of its switches.
func moves(switches []report.Switch) (all []schedhunt.Move) {
	all = []schedhunt.Move{}
	for _, s := range switches {
		if s.Why != 0 && s.From == s.To {
			continue // it has not left
		}
		if s.Why != 0 {
			all = append(all, schedhunt.Move{Kind: schedhunt.Kind(s.Why), G: uint32(s.From), N: uint32(s.At)})
		}
		if s.Other {
			all = append(all, schedhunt.Move{Kind: schedhunt.Choose, G: uint32(s.From), N: uint32(s.Times), To: uint32(s.To)})
		}
	}
	return all
}

// fitting returns the first ones of all, as many as a guest can follow.
func fitting(all []schedhunt.Move) []schedhunt.Move {
	all = all[:min(len(all), schedhunt.MaxMoves)]
	for len(text(all)) > schedhunt.MaxMovesText {
		all = all[:len(all)-1]
	}
	return all
}

// Text is what -moves takes.
func (c *Cause) Text() string { return text(c.Moves) }

// text is what a guest is told.
func text(all []schedhunt.Move) string {
	if len(all) == 0 {
		return plain
	}
	var words []string
	for _, m := range all {
		w := fmt.Sprintf("%c%d.%d", m.Kind, m.G, m.N)
		if m.Kind == schedhunt.Choose {
			w += fmt.Sprintf(".%d", m.To)
		}
		words = append(words, w)
	}
	return strings.Join(words, ",")
}

// digits differ between failures of one kind, as in a sum that is wrong.
var digits = regexp.MustCompile(`\d+`)

// alike reports whether two titles are of one kind of failure.
func alike(a, b string) bool {
	return digits.ReplaceAllString(a, "?") == digits.ReplaceAllString(b, "?")
}
