//go:build sched9 && !sched9hunt

package runtime

// sched9WatchDue is nothing where no schedules are hunted.
func sched9WatchDue() {}
