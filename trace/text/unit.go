package text

import (
	"fmt"
	"path"
	"strconv"

	"sched9/trace"
)

// Duration writes nanoseconds with three digits that matter: 999ns, 12.3us.
func Duration(ns int64) string {
	if ns < 0 {
		return "-" + Duration(-ns)
	}
	if ns < 1000 {
		if ns == 0 {
			return "0"
		}
		return fmt.Sprintf("%dns", ns)
	}
	v := float64(ns)
	for _, unit := range []string{"us", "ms"} {
		v /= 1000
		if v < 999.5 {
			return digits(v) + unit
		}
	}
	return digits(v/1000) + "s"
}

// digits writes v, which is 0.9995 or more, with three digits, or as many as it
// has before the point.
func digits(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// Percent writes how much of whole part is.
func Percent(part, whole int64) string {
	if part == 0 || whole == 0 {
		return "0%"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p < 0.1:
		return "<0.1%"
	case p < 9.95:
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

// Count writes n with commas between thousands.
func Count[N int | int64 | uint64](n N) string {
	if n < 0 {
		return "-" + Count(-n)
	}
	s := strconv.FormatUint(uint64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Where writes a place in code: its function, and the file without its folders.
// Of unknown code there is only the address.
func Where(f trace.Frame) string {
	if f.Func == "" {
		return f.String()
	}
	return fmt.Sprintf("%s %s:%d", f.Func, path.Base(f.File), f.Line)
}

// Plural writes n of something: "1 vCPU", "2,000 goroutines".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Count(n) + " " + what + "s"
}
