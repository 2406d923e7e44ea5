//go:build sched9 && race && !sched9hunt

package runtime

// sched9Point is nothing where no schedules are hunted.
//
//go:nosplit
func sched9Point() {}

// sched9Passed is nothing there, too.
//
//go:nosplit
func sched9Passed() {}
