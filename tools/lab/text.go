package lab

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// place is where in a recording something was.
type place struct {
	from, to int64 // guest time; the same for a moment, -1 for nowhere
	m, p     int   // -1 if it was on none
}

// nowhere is the place of what is not at one place.
var nowhere = place{-1, -1, -1, -1}

// String is the place as the end of a clause.
func (p place) String() string {
	var b strings.Builder
	switch {
	case p.from < 0:
		return ""
	case p.from == p.to:
		fmt.Fprintf(&b, " at %s", moment(p.from))
	default:
		fmt.Fprintf(&b, " between %s and %s", moment(p.from), moment(p.to))
	}
	switch {
	case p.m >= 0 && p.p >= 0:
		fmt.Fprintf(&b, " on M%d P%d", p.m, p.p)
	case p.m >= 0:
		fmt.Fprintf(&b, " on M%d", p.m)
	case p.p >= 0:
		fmt.Fprintf(&b, " on P%d", p.p)
	}
	return b.String()
}

// moment writes a time of the guest's as milliseconds, so that those of one
// recording can be compared at a glance.
func moment(ns int64) string {
	return strconv.FormatFloat(float64(ns)/1e6, 'f', 3, 64) + "ms"
}

// show writes a value; unit, if there is one, is what it counts.
func show[T Number](v T, unit string) string {
	if d, ok := any(v).(time.Duration); ok {
		return duration(d)
	}
	if unit == "" {
		return strconv.FormatInt(int64(v), 10)
	}
	return plural(int(v), unit)
}

// duration writes d with about four digits.
func duration(d time.Duration) string {
	for unit := time.Nanosecond; unit < time.Hour; unit *= 10 {
		if d.Abs() < unit*10000 {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}

// plural writes n things.
func plural(n int, noun string) string {
	if n != 1 {
		noun = plurals(noun)
	}
	return strconv.Itoa(n) + " " + noun
}

// plurals is the plural of a noun, whose first word gets the s.
func plurals(noun string) string {
	word, rest, more := strings.Cut(noun, " ")
	if !more {
		return word + "s"
	}
	return word + "s " + rest
}
