package sched

// MToN is the scheduler itself: queues of Ps, and stealing. The others are steps on the way to it, for comparison, or
// what somebody else would do.
var MToN = Policy{Name: "M:N"}
