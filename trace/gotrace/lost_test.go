package gotrace_test

import (
	"testing"

	"sched9/record"
)

// TestLost has recordings with gaps: what must have happened in one is told, on
// behalf of the M that lost records, and nothing more.
func TestLost(t *testing.T) {
	// M0 runs G1, M1 runs G2.
	begin := func(rows ...row) []row {
		return append([]row{
			{0, none, record.EvBoot, 0, 0, nil},
			{0, 0, record.EvAcquire, 0, 0, nil},
			{1, 1, record.EvAcquire, 0, 0, nil},
			{0, 0, record.EvCreate, 1, 0, nil},
			{0, 0, record.EvCreate, 2, 0, nil},
			{0, 0, record.EvStart, 1, 0, nil},
			{1, 1, record.EvStart, 2, 0, nil},
		}, rows...)
	}
	const begins = `
		10 - - -: P1 Undetermined>Idle
		11 - - -: P2 Undetermined>Idle
		20 M1 - -: P1 Idle>Running
		30 M2 - -: P2 Idle>Running
		40 M1 P1 -: G1 NotExist>Runnable of 0x0
		50 M1 P1 -: G2 NotExist>Runnable of 0x0
		60 M1 P1 -: G1 Runnable>Running
		61 M1 P1 G1: /sched/gomaxprocs:threads 2
		70 M2 P2 -: G2 Runnable>Running
		`
	gap := row{1, none, record.EvNone, 0, 5, nil} // at 80
	for _, tc := range []struct {
		name string
		rows []row
		want string
	}{
		{"what it ran left", begin(gap,
			row{1, 1, record.EvStart, 3, 0, nil},
			row{0, 0, record.EvUnblock, 2, 0, nil},
		), begins + `
			90 M2 P2 G2: G2 Running>Waiting (unspecified)
			91 M2 P2 -: G3 NotExist>Runnable
			92 M2 P2 -: G3 Runnable>Running
			100 M1 P1 G1: G2 Waiting>Runnable`},
		{"what it ran runs elsewhere", begin(gap,
			row{0, 0, record.EvYield, 1, 0, nil},
			row{0, 0, record.EvStart, 2, 0, nil},
		), begins + `
			90 M1 P1 G1: G1 Running>Runnable (runtime.Gosched)
			100 M2 P2 G2: G2 Running>Waiting (unspecified)
			101 M1 P1 -: G2 Waiting>Runnable
			102 M1 P1 -: G2 Runnable>Running`},
		{"what it ran is woken", begin(gap,
			row{0, 0, record.EvUnblock, 2, 0, nil},
		), begins + `
			90 M2 P2 G2: G2 Running>Waiting (unspecified)
			91 M1 P1 G1: G2 Waiting>Runnable`},
		{"it runs another", begin(gap,
			row{0, 0, record.EvYield, 1, 0, nil},
			row{1, 1, record.EvBlock, 1, whyChan, nil},
		), begins + `
			90 M1 P1 G1: G1 Running>Runnable (runtime.Gosched)
			100 M2 P2 G2: G2 Running>Waiting (unspecified)
			101 M2 P2 -: G1 Runnable>Running
			102 M2 P2 G1: G1 Running>Waiting (chan receive)`},
		{"a wake-up", begin(gap,
			row{0, 0, record.EvBlock, 1, whyChan, nil},
			row{0, 0, record.EvStart, 1, 0, nil},
		), begins + `
			90 M1 P1 G1: G1 Running>Waiting (chan receive)
			100 M1 P1 -: G1 Waiting>Runnable
			101 M1 P1 -: G1 Runnable>Running`},
		{"a run of one that is woken", begin(gap,
			row{0, 0, record.EvYield, 1, 0, nil},
			row{0, 0, record.EvUnblock, 1, 0, nil},
			row{0, 0, record.EvUnblock, 3, 0, nil},
		), begins + `
			90 M1 P1 G1: G1 Running>Runnable (runtime.Gosched)
			110 M1 P1 -: G3 NotExist>Waiting
			111 M1 P1 -: G3 Waiting>Runnable`},
		{"another P", begin(gap,
			row{1, 3, record.EvStart, 3, 0, nil},
		), `
			10 - - -: P1 Undetermined>Idle
			11 - - -: P2 Undetermined>Idle
			12 - - -: P3 Undetermined>Idle
			13 - - -: P4 Undetermined>Idle
			20 M1 - -: P1 Idle>Running
			30 M2 - -: P2 Idle>Running
			40 M1 P1 -: G1 NotExist>Runnable of 0x0
			50 M1 P1 -: G2 NotExist>Runnable of 0x0
			60 M1 P1 -: G1 Runnable>Running
			61 M1 P1 G1: /sched/gomaxprocs:threads 4
			70 M2 P2 -: G2 Runnable>Running
			90 M2 P2 G2: G2 Running>Waiting (unspecified)
			91 M2 P2 -: P2 Running>Idle
			92 M2 - -: P4 Idle>Running
			93 M2 P4 -: G3 NotExist>Runnable
			94 M2 P4 -: G3 Runnable>Running`},
		{"its P is another's", begin(gap,
			row{2, 1, record.EvAcquire, 0, 0, nil},
		), begins + `
			90 M2 P2 G2: G2 Running>Waiting (unspecified)
			91 M2 P2 -: P2 Running>Idle
			92 M3 - -: P2 Idle>Running`},
		{"it gives up its P, though it still ran something", begin(gap,
			row{1, 1, record.EvRelease, 0, 0, nil},
			row{0, 0, record.EvYield, 1, 0, nil},
			row{0, 0, record.EvStart, 2, 0, nil},
		), begins + `
			90 M2 P2 G2: G2 Running>Waiting (unspecified)
			91 M2 P2 -: P2 Running>Idle
			100 M1 P1 G1: G1 Running>Runnable (runtime.Gosched)
			110 M1 P1 -: G2 Waiting>Runnable
			111 M1 P1 -: G2 Runnable>Running`},
		{"the end of a system call", begin(
			row{1, 1, record.EvSyscallEnter, 2, 0, nil}, gap,
			row{1, 1, record.EvCreate, 3, 0, nil},
			row{1, 1, record.EvSyscallExit, 2, 0, nil},
			row{1, 1, record.EvSyscallEnter, 2, 0, nil},
			row{1, 1, record.EvSyscallEnter, 2, 0, nil},
		), begins + `
			80 M2 P2 G2: G2 Running>Syscall
			100 M2 P2 G2: G2 Syscall>Running
			101 M2 P2 G2: G3 NotExist>Runnable of 0x0
			120 M2 P2 G2: G2 Running>Syscall
			130 M2 P2 G2: G2 Syscall>Running
			131 M2 P2 G2: G2 Running>Syscall`},
		{"the taking of a P from a system call", begin(
			row{0, 0, record.EvSyscallEnter, 1, 0, nil}, gap,
			row{0, none, record.EvSyscallExit, 1, 0, nil},
			row{0, 0, record.EvAcquire, 0, 0, nil},
		), begins + `
			80 M1 P1 G1: G1 Running>Syscall
			100 M2 P2 G2: P1 Running>Idle
			110 M1 - G1: P1 Idle>Running
			111 M1 P1 G1: G1 Syscall>Runnable
			112 M1 P1 -: G1 Runnable>Running`},
		{"the same, and another has it", begin(
			row{0, 0, record.EvSyscallEnter, 1, 0, nil}, gap,
			row{2, 0, record.EvAcquire, 0, 0, nil},
			row{0, none, record.EvSyscallExit, 1, 0, nil},
			row{0, none, record.EvYield, 1, 0, nil},
		), begins + `
			80 M1 P1 G1: G1 Running>Syscall
			100 M2 P2 G2: P1 Running>Idle
			101 M3 - -: P1 Idle>Running
			120 M1 - G1: G1 Syscall>Runnable`},
		{"a system call that lost its P", begin(gap,
			row{0, 0, record.EvRetake, 0, 1 | 1<<8, nil},
			row{1, none, record.EvSyscallExit, 2, 0, nil},
			row{1, none, record.EvYield, 2, 0, nil},
			row{0, 0, record.EvYield, 1, 0, nil},
			row{0, 0, record.EvStart, 2, 0, nil},
		), begins + `
			90 M2 P2 G2: G2 Running>Waiting (unspecified)
			91 M2 P2 -: P2 Running>Idle
			100 M2 - -: G2 Waiting>Runnable
			120 M1 P1 G1: G1 Running>Runnable (runtime.Gosched)
			130 M1 P1 -: G2 Runnable>Running`},
		{"the way back from one, which left the M at once", begin(
			row{1, 1, record.EvSyscallEnter, 2, 0, nil},
			row{0, 0, record.EvRetake, 0, 1 | 1<<8, nil}, row{1, none, record.EvNone, 0, 5, nil},
			row{0, 0, record.EvYield, 1, 0, nil},
			row{0, 0, record.EvStart, 2, 0, nil},
			row{1, 1, record.EvAcquire, 0, 0, nil},
		), begins + `
			80 M2 P2 G2: G2 Running>Syscall
			90 M1 P1 G1: P2 Running>Idle
			110 M1 P1 G1: G1 Running>Runnable (runtime.Gosched)
			120 M2 - G2: G2 Syscall>Runnable
			121 M1 P1 -: G2 Runnable>Running
			130 M2 - -: P2 Idle>Running`},
		{"halves of ranges", begin(gap,
			row{1, 1, record.EvGo, 0, 0, nil},
			row{1, 1, record.EvPhase, 0, 0, nil},
			row{1, 1, record.EvPhase, 0, 1, nil},
			row{1, 1, record.EvStop, 0, stopSweep, nil},
			row{1, 1, record.EvPhase, 0, 1, nil},
			row{1, 1, record.EvStop, 0, stopSweep, nil},
			row{1, 1, record.EvGo, 0, 0, nil},
			row{1, 1, record.EvPhase, 0, 2, nil},
			row{1, 1, record.EvPhase, 0, 0, nil},
		), begins + `
			110 M2 P2 G2: Begin GC concurrent mark phase
			120 M2 P2 G2: Begin stop-the-world (GC sweep termination)
			150 M2 P2 G2: End stop-the-world (GC sweep termination)
			170 M2 P2 G2: End GC concurrent mark phase`},
		{"the beginning", []row{
			{0, none, record.EvNone, 0, 100, nil},
			{0, 0, record.EvBlock, 1, whyChan, nil},
			{0, 0, record.EvStart, 2, 0, nil},
		}, `
			20 - - -: G2 Undetermined>Runnable
			21 M1 - -: P1 Undetermined>Running
			22 M1 P1 -: G1 Undetermined>Running
			23 M1 P1 G1: G1 Running>Waiting (chan receive)
			30 M1 P1 -: G2 Runnable>Running
			31 M1 P1 G2: /sched/gomaxprocs:threads 1`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			same(t, lines(accepted(t, bare(t, tc.rows))), tc.want)
		})
	}

	// M1 lost records, M0 did not: what M0 tells wrongly is no gap's doing.
	for name, r := range map[string]row{
		"a start": {0, 0, record.EvStart, 3, 0, nil},
		"an end":  {0, 0, record.EvExit, 2, 0, nil},
		"a P":     {0, 2, record.EvYield, 1, 0, nil},
		"a run":   {1, 1, record.EvStart, 1, 0, nil},
	} {
		t.Run(name+" that cannot be", func(t *testing.T) { refused(t, bare(t, begin(gap, r))) })
	}
}
