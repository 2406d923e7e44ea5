package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"sched9/kernel/names"
)

// control does to the scheduler what calls do.
func control() error {
	was := runtime.GOMAXPROCS(0)
	for _, n := range []int{1, runtime.NumCPU()} {
		if err := os.WriteFile("/sched/ctl", []byte(fmt.Sprintf("gomaxprocs %d\n", n)), 0); err != nil || runtime.GOMAXPROCS(0) != n {
			return fmt.Errorf("gomaxprocs %d: %d, %v", n, runtime.GOMAXPROCS(0), err)
		}
	}
	runtime.GOMAXPROCS(was)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := os.WriteFile("/sched/ctl", []byte("gc"), 0); err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	if after.NumGC <= before.NumGC {
		return fmt.Errorf("%d collections before, %d after", before.NumGC, after.NumGC)
	}
	for _, word := range []string{"audit", "slice 1ms"} {
		if err := os.WriteFile("/sched/ctl", []byte(word), 0); err != nil {
			return err
		}
	}
	status, err := os.ReadFile("/sched/status")
	if err != nil || !strings.Contains(string(status), "\nslice 1000000\n") {
		return fmt.Errorf("%s, %v", status, err)
	}
	return os.WriteFile("/sched/ctl", []byte("slice 10ms"), 0)
}

// mistakes are errors that say what is right, and change nothing.
func mistakes() error {
	procs := runtime.GOMAXPROCS(0)
	for _, m := range []struct{ path, line, want string }{
		{"/sched/ctl", "faster", "no such word; /sched/ctl takes gomaxprocs N, slice D, policy NAME, trace on|off, gc, audit"},
		{"/sched/ctl", "", ""},
		{"/sched/ctl", "\n", "no such word"},
		{"/sched/ctl", "gomaxprocs", "gomaxprocs N: "},
		{"/sched/ctl", "gomaxprocs 0", "gomaxprocs N: "},
		{"/sched/ctl", "gomaxprocs -1", "gomaxprocs N: "},
		{"/sched/ctl", "gomaxprocs 1000", "the number of Ps is from 1 to the number of vCPUs"},
		{"/sched/ctl", "slice 1", "slice D: "},
		{"/sched/ctl", "slice 1ns", "slice D: "},
		{"/sched/ctl", "gc now", "gc takes no argument"},
		{"/sched/ctl", strings.Repeat("x", names.MaxCommand+1), "invalid argument"},
		{"/proc/1/ctl", "stop", "a goroutine cannot do this to itself"},
		{"/proc/1/ctl", "note", "note TEXT: "},
		{"/proc/2/ctl", "stop", "the goroutine is the runtime's own"},
	} {
		err := os.WriteFile(m.path, []byte(m.line), 0)
		if m.want == "" && err != nil || m.want != "" && (err == nil || !strings.Contains(err.Error(), m.want)) {
			return fmt.Errorf("%q to %s: %v", m.line, m.path, err)
		}
	}
	if now := runtime.GOMAXPROCS(0); now != procs {
		return fmt.Errorf("GOMAXPROCS was %d and is %d", procs, now)
	}
	return nil
}
