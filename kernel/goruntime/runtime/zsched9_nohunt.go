//go:build sched9 && !sched9hunt

package runtime

// What a hunter does has no effect where no schedules are hunted.

func sched9WatchDue()       {}
func sched9HuntSwitched(*g) {}
func sched9HuntTellReport() {}
