package gotrace_test

import (
	"testing"

	"sched9/record"
)

// TestKinds has a small recording for every kind of event, and what the tools
// make of it.
func TestKinds(t *testing.T) {
	entry, site := fn(t, "runtime.forcegchelper"), call(t, "runtime.main")
	// begin is how a recording begins: M0 takes P0 and runs G1.
	begin := func(rows ...row) []row {
		return append([]row{
			{0, none, record.EvBoot, 0, 0, nil},
			{0, 0, record.EvAcquire, 0, 0, nil},
			{0, 0, record.EvCreate, 1, entry, []uint64{site}},
			{0, 0, record.EvStart, 1, uint64(record.FromNext) | record.StartInherit, nil},
		}, rows...)
	}
	const begins = `
		10 - - -: P1 Undetermined>Idle
		20 M1 - -: P1 Idle>Running
		30 M1 P1 -: G1 NotExist>Runnable of runtime.forcegchelper by runtime.main
		40 M1 P1 -: G1 Runnable>Running
		41 M1 P1 G1: /sched/gomaxprocs:threads 1
		`
	for _, tc := range []struct {
		name string
		rows []row
		want string
	}{
		{"nothing", nil, ``},
		{"it leaves", begin(
			row{0, 0, record.EvYield, 1, 0, []uint64{call(t, "runtime.goschedImpl"), site}},
			row{0, 0, record.EvStart, 1, uint64(record.FromGlobal), nil},
			row{0, 0, record.EvPreempt, 1, 0, []uint64{site}},
			row{0, 0, record.EvStart, 1, uint64(record.FromRing), nil},
			row{0, 0, record.EvBlock, 1, whyMutex, []uint64{site}},
			row{0, 0, record.EvUnblock, 1, 0, nil},
			row{0, 0, record.EvStart, 1, uint64(record.FromNowhere), nil},
			row{0, 0, record.EvExit, 1, 0, nil},
			row{0, 0, record.EvRelease, 0, 0, nil},
			row{0, none, record.EvEnd, 0, 0, nil},
		), begins + `
			50 M1 P1 G1: G1 Running>Runnable (runtime.Gosched) of runtime.goschedImpl
			60 M1 P1 -: G1 Runnable>Running
			70 M1 P1 G1: G1 Running>Runnable (preempted) of runtime.main
			80 M1 P1 -: G1 Runnable>Running
			90 M1 P1 G1: G1 Running>Waiting (sync) of runtime.main
			100 M1 P1 -: G1 Waiting>Runnable
			110 M1 P1 -: G1 Runnable>Running
			120 M1 P1 G1: G1 Running>NotExist
			130 M1 P1 -: P1 Running>Idle`},
		{"one makes and wakes another, which runs elsewhere", begin(
			row{0, 0, record.EvCreate, 2, entry, []uint64{site}},
			row{0, 0, record.EvIdleP, 0, 1, nil},
			row{1, none, record.EvBoot, 0, 0, nil},
			row{1, 1, record.EvAcquire, 0, 0, nil},
			row{1, 1, record.EvStart, 2, uint64(record.FromSteal), nil},
			row{1, 1, record.EvBlock, 2, whyChan, []uint64{call(t, "runtime.chanrecv1")}},
			row{0, 0, record.EvUnblock, 2, 0, []uint64{call(t, "runtime.chansend1")}},
			row{0, 0, record.EvPutNext, 2, 0, nil},
			row{1, 1, record.EvTick, 0, 0, nil},
			row{1, 1, record.EvStart, 2, uint64(record.FromSteal), nil},
		), `
			10 - - -: P1 Undetermined>Idle
			11 - - -: P2 Undetermined>Idle
			20 M1 - -: P1 Idle>Running
			30 M1 P1 -: G1 NotExist>Runnable of runtime.forcegchelper by runtime.main
			40 M1 P1 -: G1 Runnable>Running
			41 M1 P1 G1: /sched/gomaxprocs:threads 2
			50 M1 P1 G1: G2 NotExist>Runnable of runtime.forcegchelper by runtime.main
			80 M2 - -: P2 Idle>Running
			90 M2 P2 -: G2 Runnable>Running
			100 M2 P2 G2: G2 Running>Waiting (chan receive) of runtime.chanrecv1
			110 M1 P1 G1: G2 Waiting>Runnable by runtime.chansend1
			140 M2 P2 -: G2 Runnable>Running`},
		{"one is made to wait", begin(
			row{0, 0, record.EvCreate, 2, entry | record.CreateParked, []uint64{site}},
			row{0, 0, record.EvUnblock, 2, 0, nil},
		), begins + `
			50 M1 P1 G1: G2 NotExist>Waiting of runtime.forcegchelper by runtime.main
			60 M1 P1 G1: G2 Waiting>Runnable`},
		{"it waits and keeps its M", begin(
			row{0, 0, record.EvHold, 1, whyOwn, nil},
			row{0, 0, record.EvUnhold, 1, 0, nil},
			row{0, 0, record.EvBlock, 1, whyOwn, nil},
		), begins + `
			70 M1 P1 G1: G1 Running>Waiting (a reason of its own)`},
		{"a preempted one is taken out", begin(
			row{0, 0, record.EvBlock, 1, whyPreempted, nil},
			row{0, 0, record.EvUnblock, 1, 0, nil},
		), begins + `
			50 M1 P1 G1: G1 Running>Waiting (preempted)
			60 M1 P1 -: G1 Waiting>Runnable`},
		{"system calls", begin(
			row{0, 0, record.EvSyscallEnter, 1, 0, []uint64{call(t, "runtime.write")}},
			row{0, 0, record.EvSyscallExit, 1, 0, []uint64{call(t, "runtime.write")}},
			row{0, 0, record.EvSyscallEnter, 1, 0, nil},
		), begins + `
			50 M1 P1 G1: G1 Running>Syscall of runtime.write
			60 M1 P1 G1: G1 Syscall>Running
			70 M1 P1 G1: G1 Running>Syscall`},
		{"a system call that loses its P, and gets it again", begin(
			row{1, none, record.EvBoot, 0, 0, nil},
			row{0, 0, record.EvSyscallEnter, 1, 0, []uint64{call(t, "runtime.write")}},
			row{1, none, record.EvSysmon, 0, 0, nil},
			row{1, none, record.EvRetake, 0, 0 | 0<<8, nil},
			row{1, none, record.EvHandoff, 0, 0, nil},
			row{1, none, record.EvIdleP, 0, 0, nil},
			row{0, 0, record.EvTick, 1, record.TickCall, nil}, // bears the P that it had
			row{0, none, record.EvSyscallExit, 1, 0, []uint64{call(t, "runtime.write")}},
			row{0, none, record.EvBusyP, 0, 0, nil},
			row{0, 0, record.EvAcquire, 0, 0, nil},
			row{0, 0, record.EvSyscallEnter, 1, 0, nil},
			row{0, 0, record.EvSyscallExit, 1, 0, nil},
		), begins + `
			60 M1 P1 G1: G1 Running>Syscall of runtime.write
			80 M2 - -: P1 Running>Idle
			140 M1 - G1: P1 Idle>Running
			141 M1 P1 G1: G1 Syscall>Runnable
			142 M1 P1 -: G1 Runnable>Running
			150 M1 P1 G1: G1 Running>Syscall
			160 M1 P1 G1: G1 Syscall>Running`},
		{"a system call that loses its P to another, which runs the G then", begin(
			row{1, none, record.EvBoot, 0, 0, nil},
			row{0, 0, record.EvCreate, 2, entry, nil},
			row{0, 0, record.EvSyscallEnter, 1, 0, nil},
			row{1, none, record.EvRetake, 0, 0 | 0<<8, nil},
			row{1, 0, record.EvAcquire, 0, 0, nil},
			row{1, 0, record.EvStart, 2, uint64(record.FromRing), nil},
			row{0, none, record.EvSyscallExit, 1, 0, nil},
			row{0, none, record.EvYield, 1, 0, nil},
			row{0, none, record.EvPutGlobal, 1, 0, nil},
			row{0, none, record.EvPark, 0, 0, nil},
			row{1, 0, record.EvExit, 2, 0, nil},
			row{1, 0, record.EvStart, 1, uint64(record.FromGlobal), nil},
			row{1, 0, record.EvRelease, 0, 0, nil}, // a stop takes its P
			row{0, 0, record.EvAcquire, 0, 0, nil},
		), begins + `
			60 M1 P1 G1: G2 NotExist>Runnable of runtime.forcegchelper
			70 M1 P1 G1: G1 Running>Syscall
			80 M2 - -: P1 Running>Idle
			90 M2 - -: P1 Idle>Running
			100 M2 P1 -: G2 Runnable>Running
			120 M1 - G1: G1 Syscall>Runnable
			150 M2 P1 G2: G2 Running>NotExist
			160 M2 P1 -: G1 Runnable>Running
			170 M2 P1 G1: P1 Running>Idle
			180 M1 - -: P1 Idle>Running`},
		{"the M that takes the P has one, or the one that has it gives it away", begin(
			row{1, 1, record.EvAcquire, 0, 0, nil},
			row{1, 1, record.EvCreate, 2, entry, nil},
			row{1, 1, record.EvStart, 2, uint64(record.FromNext), nil},
			row{0, 0, record.EvSyscallEnter, 1, 0, nil},
			row{1, 1, record.EvStop, 0, stopSweep, nil},
			row{1, 1, record.EvRetake, 0, 0 | 0<<8, nil},
			row{1, 1, record.EvStopP, 0, 0, nil},
			row{1, 1, record.EvGo, 0, 0, nil},
			row{0, none, record.EvSyscallExit, 1, 0, nil},
			row{0, 0, record.EvAcquire, 0, 0, nil},
			row{0, 0, record.EvSyscallEnter, 1, 0, nil},
			row{0, 0, record.EvRelease, 0, 0, nil}, // by itself, and
			row{0, none, record.EvStartM, 0, 2, nil},
			row{0, 0, record.EvAcquire, 0, 0, nil}, // for a moment
			row{0, 0, record.EvRelease, 0, 0, nil},
			row{2, 0, record.EvAcquire, 0, 0, nil},
			row{0, none, record.EvSyscallExit, 1, 0, nil},
			row{0, none, record.EvYield, 1, 0, nil},
		), `
			10 - - -: P1 Undetermined>Idle
			11 - - -: P2 Undetermined>Idle
			20 M1 - -: P1 Idle>Running
			30 M1 P1 -: G1 NotExist>Runnable of runtime.forcegchelper by runtime.main
			40 M1 P1 -: G1 Runnable>Running
			41 M1 P1 G1: /sched/gomaxprocs:threads 2
			50 M2 - -: P2 Idle>Running
			60 M2 P2 -: G2 NotExist>Runnable of runtime.forcegchelper
			70 M2 P2 -: G2 Runnable>Running
			80 M1 P1 G1: G1 Running>Syscall
			90 M2 P2 G2: Begin stop-the-world (GC sweep termination)
			100 M2 P2 G2: P1 Running>Idle
			120 M2 P2 G2: End stop-the-world (GC sweep termination)
			140 M1 - G1: P1 Idle>Running
			141 M1 P1 G1: G1 Syscall>Runnable
			142 M1 P1 -: G1 Runnable>Running
			150 M1 P1 G1: G1 Running>Syscall
			160 M1 P1 G1: P1 Running>Idle
			180 M1 - G1: P1 Idle>Running
			190 M1 P1 G1: P1 Running>Idle
			200 M3 - -: P1 Idle>Running
			220 M1 - G1: G1 Syscall>Runnable`},
		{"an M ends with its goroutine, and begins again", begin(
			row{0, 0, record.EvLock, 1, 1, nil},
			row{0, 0, record.EvExit, 1, 0, nil},
			row{0, 0, record.EvExitM, 0, 0, nil},
			row{0, 0, record.EvRelease, 0, 0, nil},
			row{0, none, record.EvHandoff, 0, 0, nil},
			row{0, none, record.EvIdleP, 0, 0, nil},
			row{0, none, record.EvBoot, 0, 0, nil},
			row{0, none, record.EvPark, 0, 0, nil},
			row{0, 0, record.EvAcquire, 0, 0, nil},
			row{0, 0, record.EvCreate, 2, entry, nil},
		), begins + `
			60 M1 P1 G1: G1 Running>NotExist
			80 M1 P1 -: P1 Running>Idle
			130 M1 - -: P1 Idle>Running
			140 M1 P1 -: G2 NotExist>Runnable of runtime.forcegchelper`},
		{"a stop and a cycle of the collector's", begin(
			row{0, 0, record.EvStop, 0, stopSweep, nil},
			row{0, 0, record.EvStopped, 0, 0, nil},
			row{0, 0, record.EvPhase, 0, 1, nil},
			row{0, 0, record.EvGo, 0, 0, nil},
			row{0, 0, record.EvYield, 1, 0, nil},
			row{0, 0, record.EvCreate, 2, entry, nil},
			row{0, 0, record.EvStart, 2, uint64(record.FromWorker), nil},
			row{0, 0, record.EvPhase, 0, 2, nil},
			row{0, 0, record.EvPhase, 0, 0, nil},
			row{0, 0, record.EvPhase, 0, 1, nil},
			row{0, 0, record.EvYield, 2, 0, nil},
			row{0, 0, record.EvStart, 2, uint64(record.FromIdleWorker), nil},
			row{0, 0, record.EvStop, 0, stopSweep, nil},
		), begins + `
			50 M1 P1 G1: Begin stop-the-world (GC sweep termination)
			70 M1 P1 G1: Begin GC concurrent mark phase
			80 M1 P1 G1: End stop-the-world (GC sweep termination)
			90 M1 P1 G1: G1 Running>Runnable (runtime.Gosched)
			100 M1 P1 -: G2 NotExist>Runnable of runtime.forcegchelper
			110 M1 P1 -: G2 Runnable>Running
			111 M1 P1 G2: label GC (worker)
			130 M1 P1 G2: End GC concurrent mark phase
			140 M1 P1 G2: Begin GC concurrent mark phase
			150 M1 P1 G2: G2 Running>Runnable (runtime.Gosched)
			160 M1 P1 -: G2 Runnable>Running
			161 M1 P1 G2: label GC (idle)
			170 M1 P1 G2: Begin stop-the-world (GC sweep termination)`},
		{"the stop that a boot ends", []row{
			{0, none, record.EvBoot, 0, 0, nil},
			{0, none, record.EvStopped, 0, 0, nil},
			{0, 0, record.EvAcquire, 0, 0, nil},
			{0, 0, record.EvGo, 0, 0, nil},
		}, `
			10 - - -: P1 Undetermined>Idle
			30 M1 - -: P1 Idle>Running`},
		{"the number of Ps changes, and the P under a goroutine", begin(
			row{0, 0, record.EvStop, 0, stopProcs, nil},
			row{0, 0, record.EvStopped, 0, 0, nil},
			row{0, 0, record.EvRelease, 0, 0, nil},
			row{0, none, record.EvProcs, 0, 3, nil},
			row{0, 2, record.EvAcquire, 0, 0, nil},
			row{0, 2, record.EvGo, 0, 0, nil},
			row{0, 2, record.EvProcs, 0, 4, nil},
			row{0, 2, record.EvYield, 1, 0, nil},
		), `
			10 - - -: P1 Undetermined>Idle
			11 - - -: P2 Undetermined>Idle
			12 - - -: P3 Undetermined>Idle
			20 M1 - -: P1 Idle>Running
			30 M1 P1 -: G1 NotExist>Runnable of runtime.forcegchelper by runtime.main
			40 M1 P1 -: G1 Runnable>Running
			41 M1 P1 G1: /sched/gomaxprocs:threads 3
			50 M1 P1 G1: Begin stop-the-world (GOMAXPROCS)
			70 M1 P1 G1: P1 Running>Idle
			90 M1 - G1: P3 Idle>Running
			91 M1 P3 G1: /sched/gomaxprocs:threads 3
			100 M1 P3 G1: End stop-the-world (GOMAXPROCS)
			110 M1 P3 G1: /sched/gomaxprocs:threads 4
			120 M1 P3 G1: G1 Running>Runnable (runtime.Gosched)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			same(t, lines(accepted(t, read(t, tc.rows))), tc.want)
		})
	}
}
