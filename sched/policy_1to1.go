package sched

// OneToOne ties every G to the M that first runs it, and ends the M with the G: one thread for each
// G. There are as many as CPUs; when all have Gs that wait, the last M is lent (locked.go), and
// until then Gs that have no M wait for one.
var OneToOne = Policy{Name: "1:1", Threads: true}
