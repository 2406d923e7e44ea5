package sched

// OneToOne ties every G to the M that first runs it, and ends the M with the G: a
// thread for each. There are as many as CPUs; when all have Gs that wait, the
// last M is lent (locked.go), else Gs that have none wait for one.
var OneToOne = Policy{Name: "1:1", Threads: true}
