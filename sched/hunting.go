//go:build sched9hunt

package sched

// Hunting: see nohunting.go.
const Hunting = true
