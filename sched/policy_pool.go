package sched

// Pool has no local queues: Ms take every G from the global queue, under its lock, as Go did before
// 1.1.
var Pool = Policy{Name: "pool", Shared: true}
