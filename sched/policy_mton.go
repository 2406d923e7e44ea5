package sched

// MToN is the scheduler itself: a queue for each P, and stealing. The other policies are for
// comparison: steps on the way to it, or other designs.
var MToN = Policy{Name: "M:N"}
