package lab

import (
	"sched9/trace"
	rules "sched9/trace/check"
)

// unjudged says why nothing can be said of t, or "".
func unjudged(t *trace.Trace) string { return rules.Unjudged(t) }

// checkRules returns the violations of the scheduler's rules in t, a sentence each. Boot reports
// all of them.
func checkRules(t *trace.Trace) []string {
	var wrong []string
	for _, v := range rules.Check(t) {
		wrong = append(wrong, v.String())
	}
	return wrong
}
