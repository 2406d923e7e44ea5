//go:build sched9norecord

package sched

// Recording: see recording.go.
const Recording = false
