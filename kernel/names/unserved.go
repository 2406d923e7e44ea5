//go:build !sched9names

package names

// Served: see served.go.
const Served = false
