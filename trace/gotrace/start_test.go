package gotrace_test

import (
	"fmt"
	"strings"
	"testing"

	"sched9/record"
)

// TestBeginnings has recordings whose beginning is not there, or that are
// large or small in some way.
func TestBeginnings(t *testing.T) {
	for _, tc := range []struct {
		name string
		rows []row
		want string
	}{
		{"a running, a ready and a waiting one, and one that is made", []row{
			{0, 0, record.EvTick, 1, 0, nil},
			{1, 1, record.EvHalt, 0, 0, nil},
			{0, 0, record.EvUnblock, 3, 0, nil},
			{1, 1, record.EvStart, 2, 0, nil},
			{0, 0, record.EvBlock, 1, whyChan, nil},
			{0, 0, record.EvCreate, 4, 0, nil},
			{0, 0, record.EvStart, 3, 0, nil},
			{0, 0, record.EvPreempt, 3, 0, nil},
			{0, 0, record.EvStart, 4, 0, nil},
		}, `
			10 - - -: G3 Undetermined>Waiting
			11 - - -: G2 Undetermined>Runnable
			12 M2 - -: P2 Undetermined>Running
			13 M1 - -: P1 Undetermined>Running
			14 M1 P1 -: G1 Undetermined>Running
			30 M1 P1 G1: G3 Waiting>Runnable
			40 M2 P2 -: G2 Runnable>Running
			41 M2 P2 G2: /sched/gomaxprocs:threads 2
			50 M1 P1 G1: G1 Running>Waiting (chan receive)
			60 M1 P1 -: G4 NotExist>Runnable of 0x0
			70 M1 P1 -: G3 Runnable>Running
			80 M1 P1 G3: G3 Running>Runnable (preempted)
			90 M1 P1 -: G4 Runnable>Running`},
		{"one that runs all the time", []row{
			{0, 0, record.EvTick, 1, 0, nil},
			{0, 0, record.EvTick, 1, 0, nil},
		}, `
			10 M1 - -: P1 Undetermined>Running
			11 M1 P1 -: G1 Undetermined>Running`},
		{"an interrupt before the start is told", []row{
			{0, 0, record.EvTick, 1, 0, nil},
			{0, 0, record.EvStart, 1, 0, nil},
			{0, 0, record.EvExit, 1, 0, nil},
		}, `
			10 - - -: G1 Undetermined>Runnable
			11 M1 - -: P1 Undetermined>Running
			20 M1 P1 -: G1 Runnable>Running
			21 M1 P1 G1: /sched/gomaxprocs:threads 1
			30 M1 P1 G1: G1 Running>NotExist`},
		{"in a system call", []row{
			{0, 0, record.EvSyscallExit, 1, 0, nil},
			{0, 0, record.EvExit, 1, 0, nil},
		}, `
			10 M1 - -: P1 Undetermined>Running
			11 M1 P1 -: G1 Undetermined>Syscall
			12 M1 P1 G1: G1 Syscall>Running
			20 M1 P1 G1: G1 Running>NotExist`},
		{"in a system call without its P", []row{
			{0, none, record.EvSyscallExit, 1, 0, nil},
			{0, 0, record.EvAcquire, 0, 0, nil},
			{0, 0, record.EvExit, 1, 0, nil},
		}, `
			10 - - -: P1 Undetermined>Idle
			11 M1 - -: G1 Undetermined>Syscall
			20 M1 - G1: P1 Idle>Running
			21 M1 P1 G1: G1 Syscall>Runnable
			22 M1 P1 -: G1 Runnable>Running
			23 M1 P1 G1: /sched/gomaxprocs:threads 1
			30 M1 P1 G1: G1 Running>NotExist`},
		{"in one that loses its P", []row{
			{0, 0, record.EvTick, 1, record.TickCall, nil}, // it may have lost it before
			{1, none, record.EvRetake, 0, 0 | 0<<8, nil},
			{0, none, record.EvSyscallExit, 1, 0, nil},
			{0, none, record.EvYield, 1, 0, nil},
			{1, 0, record.EvAcquire, 0, 0, nil},
			{1, 0, record.EvStart, 1, 0, nil},
		}, `
			10 M1 - -: P1 Undetermined>Running
			11 M1 P1 -: G1 Undetermined>Syscall
			20 M2 - -: P1 Running>Idle
			40 M1 - G1: G1 Syscall>Runnable
			50 M2 - -: P1 Idle>Running
			60 M2 P1 -: G1 Runnable>Running
			61 M2 P1 G1: /sched/gomaxprocs:threads 1`},
		{"while the collector marks", []row{
			{0, 0, record.EvPhase, 0, 2, nil},
			{0, 0, record.EvPhase, 0, 0, nil},
			{0, 0, record.EvBlock, 1, whyChan, nil},
		}, `
			10 - - -: Active GC concurrent mark phase
			11 M1 - -: P1 Undetermined>Running
			12 M1 P1 -: G1 Undetermined>Running
			20 M1 P1 G1: End GC concurrent mark phase
			30 M1 P1 G1: G1 Running>Waiting (chan receive)`},
		{"a P goes to another M", []row{
			{0, 2, record.EvRelease, 0, 0, nil},
			{1, 2, record.EvAcquire, 0, 0, nil},
			{1, 2, record.EvStart, 1, 0, nil},
		}, `
			10 - - -: P1 Undetermined>Idle
			11 - - -: P2 Undetermined>Idle
			12 - - -: G1 Undetermined>Runnable
			13 M1 - -: P3 Undetermined>Running
			14 M1 P3 -: P3 Running>Idle
			20 M2 - -: P3 Idle>Running
			30 M2 P3 -: G1 Runnable>Running
			31 M2 P3 G1: /sched/gomaxprocs:threads 3`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			same(t, lines(accepted(t, bare(t, tc.rows))), tc.want)
		})
	}
}

// TestManyPs has eight Ps that take turns, on nine Ms, in more than one batch.
func TestManyPs(t *testing.T) {
	rows := []row{{0, none, record.EvBoot, 0, 0, nil}}
	const n, laps = 8, 3000
	for i := range n {
		rows = append(rows, row{i, i, record.EvAcquire, 0, 0, nil})
	}
	for i := range n {
		rows = append(rows, row{0, 0, record.EvCreate, uint64(i + 1), 0, nil})
	}
	for lap := range laps {
		for i := range n {
			rows = append(rows, row{i, i, record.EvStart, uint64((i+lap)%n + 1), 0, nil})
		}
		for i := range n {
			rows = append(rows, row{i, i, record.EvYield, uint64((i+lap)%n + 1), 0, []uint64{call(t, "runtime.main")}})
		}
	}
	rows = append(rows, row{3, 3, record.EvRelease, 0, 0, nil}, row{8, 3, record.EvAcquire, 0, 0, nil})
	got := lines(accepted(t, bare(t, rows)))
	for i := range n {
		if n := strings.Count(got, fmt.Sprintf("G%d Runnable>Running", i+1)); n != laps {
			t.Errorf("G%d started %d times", i+1, n)
		}
	}
	if !strings.HasSuffix(got, "M9 - -: P4 Idle>Running\n") {
		t.Error("the P did not go to the last M")
	}
}
