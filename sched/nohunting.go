//go:build !sched9hunt

package sched

// Hunting says that a hunter can decide the schedule (package hunt). Build with the tag sched9hunt for that; without it
// there is nothing of it in the program.
const Hunting = false
