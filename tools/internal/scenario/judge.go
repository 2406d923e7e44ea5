package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/report"
)

// clockPPM is by how many millionths a guest's clock may be wrong, whatever the host does. Only some machines
// can measure it. With several vCPUs it is more: the time-stamp counter that QEMU makes gains on the timer
// that it is compared with when several vCPUs read it at once.
const (
	clockPPM      = 10_000
	clockPPMLoose = 50_000
)

// Check compares a run with its expectations: how it ended, its two outputs, and that its clock was
// right. It returns a sentence for each that fails.
func (r Run) Check(o guest.Outcome, stdout, stderr string) []string {
	var wrong []string
	switch {
	case o.Why != "" && o.Status != r.Exit:
		wrong = append(wrong, o.Why)
	case o.Status != r.Exit:
		wrong = append(wrong, fmt.Sprintf("exit status %d, not %d", o.Status, r.Exit))
	}
	lines := slices.Concat(splitLines(stdout), splitLines(stderr))
	for _, p := range r.Require {
		if !slices.ContainsFunc(lines, p.MatchString) {
			wrong = append(wrong, fmt.Sprintf("no line matches %s", p))
		}
	}
	for _, p := range r.Forbid {
		if i := slices.IndexFunc(lines, p.MatchString); i >= 0 {
			wrong = append(wrong, fmt.Sprintf("a line matches %s: %s", p, lines[i]))
		}
	}
	most := uint64(clockPPM)
	if r.SMP > 1 {
		most = clockPPMLoose
	}
	if ppm := o.Report.Counters["clock_wrong_ppm"]; ppm > most {
		wrong = append(wrong, fmt.Sprintf("the guest's clock is wrong by %d millionths, %d may be", ppm, most))
	}
	return wrong
}

// CheckCounters compares the guest's counters with the run's bounds. It returns a sentence for each
// that fails. Check handles a guest that did not get to report.
func (r Run) CheckCounters(rep report.Report) []string {
	if !rep.Ended {
		return nil
	}
	var wrong []string
	for _, b := range r.Counter {
		if s := b.check(rep); s != "" {
			wrong = append(wrong, s)
		}
	}
	return wrong
}

// check says what is wrong with the counter, or "".
func (b Bound) check(rep report.Report) string {
	n, ok := rep.Counters[b.Name]
	if !ok {
		return fmt.Sprintf("counter %s was not reported", b.Name)
	}
	v, what := float64(n), b.Name
	if b.Per != "" {
		per, ok := rep.Counters[b.Per]
		if !ok {
			return fmt.Sprintf("counter %s was not reported", b.Per)
		}
		if per == 0 {
			return fmt.Sprintf("counter %s is 0: nothing to divide %s by", b.Per, b.Name)
		}
		v = v * b.Scale / float64(per)
		what = fmt.Sprintf("%s*%s/%s", b.Name, number(b.Scale), b.Per)
	}
	switch {
	case b.Min != nil && v < *b.Min:
		return fmt.Sprintf("counter %s is %s, at least %s is expected", what, number(v), number(*b.Min))
	case b.Max != nil && v > *b.Max:
		return fmt.Sprintf("counter %s is %s, at most %s is expected", what, number(v), number(*b.Max))
	}
	return ""
}

// number writes v with at most two decimals.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// splitLines returns the lines of text without their ends.
func splitLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines
}
