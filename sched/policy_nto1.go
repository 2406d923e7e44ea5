package sched

// NToOne has one M, and no G is preempted: coroutines in one thread. A G that computes keeps all
// others waiting, and so does one in a system call.
var NToOne = Policy{Name: "N:1", Ms: 1, Endless: true}
