//go:build !sched9norecord

package record

// Recording says that the recorder is part of the program. Build with the tag
// sched9norecord for one without.
const Recording = true
