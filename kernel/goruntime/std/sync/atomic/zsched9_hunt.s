//go:build sched9hunt

// With this file the package may have functions without bodies: zsched9_atomic.go of package runtime has them.
