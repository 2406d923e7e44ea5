//go:build sched9norecord

package record

// Recording: see recording.go.
const Recording = false
