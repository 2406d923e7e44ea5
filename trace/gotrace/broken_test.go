package gotrace_test

import (
	"io"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/gotrace"
)

// refused fails if both Write and the strict reader take tr. It returns what is said
// against it.
func refused(t *testing.T, tr *trace.Trace) string {
	t.Helper()
	data, err := write(tr)
	if err != nil {
		return err.Error()
	}
	_, err = strict(data)
	if err == nil {
		t.Fatal("the strict reader takes it")
	}
	return err.Error()
}

// TestBroken has recordings of illegal schedules, with nothing lost. Each is refused.
func TestBroken(t *testing.T) {
	// G1 runs on M0, G2 waits, G3 and G4 are ready; M1 has a P too.
	begin := []row{
		{0, none, record.EvBoot, 0, 0, nil},
		{0, 0, record.EvAcquire, 0, 0, nil},
		{1, 1, record.EvAcquire, 0, 0, nil},
		{0, 0, record.EvCreate, 1, 0, nil},
		{0, 0, record.EvCreate, 2, 0, nil},
		{0, 0, record.EvCreate, 3, 0, nil},
		{0, 0, record.EvCreate, 4, 0, nil},
		{0, 0, record.EvStart, 2, 0, nil},
		{0, 0, record.EvBlock, 2, whyChan, nil},
		{0, 0, record.EvStart, 1, 0, nil},
	}
	const stuck = "failed to advance" // the reader's word for what never becomes possible
	for _, tc := range []struct {
		name string
		rows []row
		want string
	}{
		{"started twice", []row{{1, 1, record.EvStart, 1, 0, nil}}, stuck},
		{"started on an M that runs another", []row{{0, 0, record.EvStart, 3, 0, nil}}, "expected no goroutine but had one"},
		{"started though it waits: a wake-up is not told", []row{{1, 1, record.EvStart, 2, 0, nil}}, stuck},
		{"woken twice", []row{{0, 0, record.EvUnblock, 2, 0, nil}, {1, 1, record.EvUnblock, 2, 0, nil}}, stuck},
		{"woken twice, and run", []row{
			{0, 0, record.EvUnblock, 2, 0, nil}, {0, 0, record.EvUnblock, 2, 0, nil},
			{1, 1, record.EvStart, 2, 0, nil}, {1, 1, record.EvBlock, 2, whyChan, nil}}, stuck},
		{"woken while it runs", []row{{1, 1, record.EvUnblock, 1, 0, nil}}, stuck},
		{"woken while it is ready", []row{{0, 0, record.EvUnblock, 3, 0, nil}}, stuck},
		{"woken after its end", []row{{0, 0, record.EvExit, 1, 0, nil}, {0, 0, record.EvUnblock, 1, 0, nil}}, stuck},
		{"made twice", []row{{0, 0, record.EvCreate, 3, 0, nil}}, "already exists"},
		{"made by an M without a P", []row{{2, none, record.EvCreate, 9, 0, nil}}, "expected a proc"},
		{"started without a P", []row{{1, 1, record.EvRelease, 0, 0, nil}, {1, none, record.EvStart, 3, 0, nil}}, "expected a proc"},
		{"leaves twice", []row{{0, 0, record.EvYield, 1, 0, nil}, {0, 0, record.EvYield, 1, 0, nil}}, "but the M runs G0"},
		{"leaves an M that runs another", []row{{0, 0, record.EvBlock, 3, whyChan, nil}}, "Block of G3 on M0 at 110 ns: but the M runs G1"},
		{"ends without having started", []row{{1, 1, record.EvExit, 3, 0, nil}}, "but the M runs G0"},
		{"a P taken twice", []row{{2, 1, record.EvAcquire, 0, 0, nil}}, stuck},
		{"an M takes two Ps", []row{{1, 2, record.EvAcquire, 0, 0, nil}}, stuck},
		{"a P given up twice", []row{{1, 1, record.EvRelease, 0, 0, nil}, {1, none, record.EvRelease, 0, 0, nil}}, "doesn't exist"},
		{"another P than the M's given up", []row{{1, 2, record.EvRelease, 0, 0, nil}}, "it bears P2, but the M has taken P1"},
		{"two system calls at once", []row{{0, 0, record.EvSyscallEnter, 1, 0, nil}, {0, 0, record.EvSyscallEnter, 1, 0, nil}}, "that's not Running"},
		{"comes back from no system call", []row{{0, 0, record.EvSyscallExit, 1, 0, nil}}, "that's not Running"},
		{"preempted in a system call", []row{{0, 0, record.EvSyscallEnter, 1, 0, nil}, {0, 0, record.EvPreempt, 1, 0, nil}}, "that's not Running"},
		{"a P taken from a goroutine that is in no system call", []row{{1, 1, record.EvRetake, 0, 0 | 0<<8, nil}}, stuck},
		{"a P taken from an M that has another", []row{{0, 0, record.EvSyscallEnter, 1, 0, nil}, {1, 1, record.EvRetake, 0, 1 | 0<<8, nil}}, "but P1 is not M0's"},
		{"a P taken that there cannot be", []row{{1, 1, record.EvRetake, 0, 0xff | 0<<8, nil}}, "but P-1 is not M0's"},
		{"a P taken from an M that there is not", []row{{1, 1, record.EvRetake, 0, 0 | 9<<8, nil}}, "but P0 is not M9's"},
		{"a P taken twice", []row{
			{0, 0, record.EvSyscallEnter, 1, 0, nil}, {1, 1, record.EvRetake, 0, 0 | 0<<8, nil}, {1, 1, record.EvRetake, 0, 0 | 0<<8, nil}}, "but P0 is not M0's"},
		{"back with the P that was taken", []row{
			{0, 0, record.EvSyscallEnter, 1, 0, nil}, {1, 1, record.EvRetake, 0, 0 | 0<<8, nil}, {0, 0, record.EvSyscallExit, 1, 0, nil}}, "it bears P0, but the M has taken P-1"},
		{"back twice", []row{
			{0, 0, record.EvSyscallEnter, 1, 0, nil}, {1, 1, record.EvRetake, 0, 0 | 0<<8, nil},
			{0, none, record.EvSyscallExit, 1, 0, nil}, {0, none, record.EvSyscallExit, 1, 0, nil}}, "it is back already"},
		{"runs on without its P", []row{
			{0, 0, record.EvSyscallEnter, 1, 0, nil}, {1, 1, record.EvRetake, 0, 0 | 0<<8, nil},
			{0, none, record.EvSyscallExit, 1, 0, nil}, {0, none, record.EvBlock, 1, whyChan, nil}}, "expected a proc"},
		{"started elsewhere before it is back", []row{
			{0, 0, record.EvSyscallEnter, 1, 0, nil}, {1, 1, record.EvRetake, 0, 0 | 0<<8, nil}, {1, 1, record.EvStart, 1, 0, nil}}, stuck},
		{"two stops at once", []row{{0, 0, record.EvStop, 0, 1, nil}, {0, 0, record.EvStop, 0, 1, nil}}, "already in-flight"},
		{"the world goes on twice", []row{{0, 0, record.EvGo, 0, 0, nil}}, "not in-flight"},
		{"two cycles of the collector at once", []row{{0, 0, record.EvPhase, 0, 1, nil}, {0, 0, record.EvPhase, 0, 1, nil}}, "already in progress"},
		{"no goroutine", []row{{1, 1, record.EvStart, 0, 0, nil}}, "it is of no goroutine"},
		{"no P", []row{{2, none, record.EvAcquire, 0, 0, nil}}, "it is of no P"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rows := append(begin[:len(begin):len(begin)], tc.rows...)
			if got := refused(t, bare(t, rows)); !strings.Contains(got, tc.want) {
				t.Errorf("it says %q, not %q", got, tc.want)
			}
		})
	}
	accepted(t, bare(t, begin)) // so it is the rows that are refused
}

// TestBounds has Traces that no recording makes.
func TestBounds(t *testing.T) {
	for _, tc := range []struct {
		name string
		evs  []trace.Event
		want string
	}{
		{"time runs backwards", []trace.Event{{Time: 5}, {Time: 4}}, "event 1 is at 4 ns"},
		{"before the boot", []trace.Event{{Time: -1}}, "event 0 is at -1 ns"},
		{"no such M", []trace.Event{{M: record.MaxProcs}}, "is of M64"},
		{"no M", []trace.Event{{M: -1}}, "is of M-1"},
		{"no such P", []trace.Event{{P: 300}}, "bears P300"},
		{"less than no P", []trace.Event{{P: -2}}, "bears P-2"},
	} {
		err := gotrace.Write(io.Discard, &trace.Trace{Events: tc.evs})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	// A stack that there is not, an event that there is not: nothing is told.
	tr := &trace.Trace{Events: []trace.Event{
		{Kind: record.EvStart, G: 1, Stack: -1}, {Kind: record.EvBlock, G: 1, Stack: 7, Arg: 99 << record.ReasonShift}, {Kind: 250},
	}}
	same(t, lines(accepted(t, tr)), `
		2 - - -: G1 Undetermined>Runnable
		3 M1 - -: P1 Undetermined>Running
		4 M1 P1 -: G1 Runnable>Running
		5 M1 P1 G1: /sched/gomaxprocs:threads 1
		6 M1 P1 G1: G1 Running>Waiting (unspecified)`)
}
