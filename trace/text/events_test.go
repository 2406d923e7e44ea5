package text

import (
	"errors"
	"math"
	"strings"
	"testing"

	"sched9/record"
	"sched9/sched"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// TestEvents asks for the line of every event.
func TestEvents(t *testing.T) {
	const g = 17
	pc := entry()
	call := pc + 1 // as a return address
	tests := []struct {
		m, p          int
		e             record.Event
		g, arg, aux   uint64
		stack         []uint64
		mp, who, want string
	}{
		{0, noP, record.EvBoot, 0, 0, 0, nil, "M0", "", "the CPU arrives"},
		{0, 1, record.EvAcquire, 0, 0, 0, nil, "M0 P1", "", ""},
		{0, 1, record.EvCreate, 5, 0, 0, nil, "M0 P1", "G5", ""},
		{0, 1, record.EvStart, 5, uint64(record.FromNext) | record.StartInherit, 0, nil, "M0 P1", "G5", "runnext, goes on in the slice"},
		{0, 1, record.EvCreate, g, pc, call, nil, "M0 P1", "W", "by G5, at HERE"},
		{0, 1, record.EvCreate, 18, pc | record.CreateParked, 0, nil, "M0 P1", "sched9/trace/text.worker G18", "waits at first, by G5"},
		{1, 1, record.EvStart, g, uint64(record.FromSteal) | 517<<record.IndexShift, 0, nil, "M1 P1", "W", "stolen, ring index 517"},
		{1, 1, record.EvWithhold, g, uint64(record.FromRing) | 3<<record.IndexShift, 0, nil, "M1 P1", "W", "ring index 3, may not run now"},
		{1, 1, record.EvYield, g, 0, call, nil, "M1 P1", "W", "at HERE"},
		{1, 1, record.EvUnblock, 5, 0, 0, nil, "M1 P1", "G5", ""},
		{1, 1, record.EvStart, g, uint64(record.FromGlobal), 0, nil, "M1 P1", "W", "the global queue"},
		{1, 1, record.EvUnblock, 5, 0, 1, []uint64{2, call}, "M1 P1", "G5", "by W, at HERE"},
		{1, 1, record.EvPreempt, g, 0, 0, nil, "M1 P1", "W", ""},
		{1, 1, record.EvBlock, g, 2<<record.ReasonShift | 0xc000, call, nil, "M1 P1", "W", "chan receive, object 1, at HERE"},
		{1, 1, record.EvBlock, 5, 1<<record.ReasonShift | 0xc008, 0, nil, "M1 P1", "G5", "sleep, object 2"},
		{1, 1, record.EvBlock, g, 9<<record.ReasonShift | 0xc000, 0, nil, "M1 P1", "W", "unknown, object 1"},
		{1, 1, record.EvHold, g, 1 << record.ReasonShift, 0, nil, "M1 P1", "W", "sleep"},
		{1, 1, record.EvStatus, g, 4 | 0x1004<<record.StatusShift, 0, nil, "M1 P1", "W", "from waiting to waiting and scanned"},
		{1, 1, record.EvSyscallEnter, g, 0, call, nil, "M1 P1", "W", "at HERE"},
		{1, 1, record.EvSyscallExit, g, 0, call, nil, "M1 P1", "W", "at HERE"},
		{1, noP, record.EvSyscallExit, g, 0, call, nil, "M1", "W", "its P was taken, at HERE"},
		{1, 1, record.EvLock, g, 1, 0, nil, "M1 P1", "W", "tied to this M once"},
		{1, 1, record.EvLock, g, 2, 0, nil, "M1 P1", "W", "tied to this M 2 times"},
		{1, 1, record.EvUnlock, g, 1, 0, nil, "M1 P1", "W", "still tied once"},
		{1, 1, record.EvUnlock, g, 0, 0, nil, "M1 P1", "W", "tied no more"},
		{1, 1, record.EvPass, g, 3, uint64(record.FromRing) | 3<<record.IndexShift, nil, "M1 P1", "W", "ring index 3, is tied to M3"},
		{1, 1, record.EvStart, g, uint64(record.FromPass), 0, nil, "M1 P1", "W", "passed to its M or P"},
		{1, 1, record.EvStart, g, uint64(record.FromNowhere), 0, nil, "M1 P1", "W", "at hand"},
		{1, noP, record.EvPark, 0, 0, 0, nil, "M1", "", ""},
		{1, noP, record.EvPark, 0, record.ParkLocked, 0, nil, "M1", "", "until a goroutine of its own is found"},
		{1, noP, record.EvRetake, 0, 2 | 3<<8, 0, nil, "M1", "", "P2 from M3, which is in a system call"},
		{1, noP, record.EvHandoff, 0, 2, 0, nil, "M1", "", "P2"},
		{1, noP, record.EvSysmon, 0, 0, 0, nil, "M1", "", "sysmon's: looks at the Ps of Ms in system calls"},
		{1, 1, record.EvPoll, 0, 0, 0, nil, "M1 P1", "", "devices have nothing to tell"},
		{1, 1, record.EvPoll, 0, 2, 0, nil, "M1 P1", "", "2 goroutines waited for devices"},
		{1, 1, record.EvExitM, 0, 0, 0, nil, "M1 P1", "", "its goroutine has ended"},
		{1, noP, record.EvNeedM, g, 0, 0, nil, "M1", "W", "foreign code calls"},
		{1, noP, record.EvDropM, 0, 0, 0, nil, "M1", "", "foreign code goes on"},
		{1, 1, record.EvPutNext, g, 0, 0, nil, "M1 P1", "W", ""},
		{1, 1, record.EvPutRing, g, 12, 0, nil, "M1 P1", "W", "index 12"},
		{1, 1, record.EvOverflow, g, 5 | 128<<record.CountShift, 0, nil, "M1 P1", "W", "128 from ring index 5 on, and then this one, to the global queue"},
		{1, 1, record.EvGetGlobal, g, 6 | 1<<record.CountShift, 0, nil, "M1 P1", "W", "alone"},
		{1, 1, record.EvGetGlobal, g, 6 | 4<<record.CountShift, 0, nil, "M1 P1", "W", "and 3 more, to ring index 6 on"},
		{1, 1, record.EvTake, g, uint64(record.FromNext), 2, nil, "M1 P1", "W", "from P2, runnext"},
		{1, 1, record.EvSteal, 0, 7 | 9<<record.CountShift, 2 | 3<<8, nil, "M1 P1", "", "3 of P2, its ring index 7 on, to ring index 9 on"},
		{1, 1, record.EvSteal, g, 9 << record.CountShift, 2 | 1<<8, nil, "M1 P1", "W", "runnext of P2, to ring index 9"},
		{1, noP, record.EvIdleP, 0, 3, 0, nil, "M1", "", "P3"},
		{1, 1, record.EvProcs, 0, 4, 0, nil, "M1 P1", "", "4 Ps"},
		{1, 1, record.EvSpin, 0, 2, 0, nil, "M1 P1", "", "2 spinning now"},
		{1, 1, record.EvWakeM, 0, 3, 2 | record.WakeSpinning, nil, "M1 P1", "", "M3 gets P2, to spin"},
		{1, 1, record.EvWakeM, 0, 3, 2, nil, "M1 P1", "", "M3 gets P2"},
		{1, 1, record.EvStartM, 0, 3, 2 | record.WakeSpinning, nil, "M1 P1", "", "M3 gets P2, to spin"},
		{1, noP, record.EvTimerSleep, 0, 12_345_678, 0, nil, "M1", "", "until 12.345678ms"},
		{1, noP, record.EvTimerSleep, 0, 0, 0, nil, "M1", "", "until it is interrupted"},
		{1, noP, record.EvKick, 0, 2, 0, nil, "M1", "", "M2"},
		{1, 1, record.EvLook, 0, uint64(record.LookSteal) | 3<<record.TryShift, 0, nil, "M1 P1", "", "in the other Ps' queues, pass 4"},
		{1, noP, record.EvHalt, 0, 0, 0, nil, "M1", "", "until it is interrupted"},
		{1, noP, record.EvHalt, 0, 1_000_001, 0, nil, "M1", "", "until 1.000001ms"},
		{1, 1, record.EvTick, g, record.TickLeave | record.TickSlice, pc, nil, "M1 P1", "W", "the slice is used up, at HERE"},
		{1, 1, record.EvTick, g, record.TickLeave, 0, nil, "M1 P1", "W", "a timer or a device is due"},
		{1, 1, record.EvTick, g, record.TickCall, 0, nil, "M1 P1", "W", "in a system call"},
		{1, 1, record.EvTick, 0, 0, 1, nil, "M1 P1", "", "at 0x1"},
		{1, 1, record.EvSendIPI, 0, 2, uint64(record.IPIPreempt), nil, "M1 P1", "", "preempt M2"},
		{2, noP, record.EvTakeIPI, 0, 0, uint64(record.IPIKick), nil, "M2", "", "kick"},
		{1, 1, record.EvInject, g, 0, pc, nil, "M1 P1", "W", "at HERE"},
		{1, 1, record.EvStop, 0, 0, 0, nil, "M1 P1", "", "audit"},
		{1, 1, record.EvStop, 0, 1, 0, nil, "M1 P1", "", "GC mark termination"},
		{1, 1, record.EvStop, 0, record.StopForGood, 0, nil, "M1 P1", "", "the program dies"},
		{1, 1, record.EvPhase, 0, 1, 0, nil, "M1 P1", "", "mark"},
		{1, 1, record.EvTimer, 0, 1500, 0, nil, "M1 P1", "", "late by 1.50us"},
		{1, 1, record.EvSlice, 0, 1500, 0, nil, "M1 P1", "", "1.50us"},
		{1, 1, record.EvPolicy, 0, sched.MLFQ.Packed(), 0, nil, "M1 P1", "", "mlfq"},
		{1, 1, record.EvDrop, 0, 64, uint64(record.DropSocket), nil, "M1 P1", "", "64 at socket"},
		{1, 1, record.EvDrop, 0, 1, uint64(record.NumDrops), nil, "M1 P1", "", "1 at unknown"},
		{1, 1, record.EvExit, g, 0, 0, nil, "M1 P1", "W", ""},
		{0, noP, record.EvEnd, 0, 3, 0, nil, "M0", "", "status 3"},
		{0, noP, record.NumEvents + 3, 0, 3, 0, nil, "M0", "", ""},
	}
	r := tracetest.New(t, trace.Meta{})
	r.Add(50, 0, noP, record.EvBoot, 0, 0, 0)
	r.Add(9000, 0, noP, record.EvEnd, 0, 0, 0)
	for i, c := range tests {
		r.Add(1000+int64(i), c.m, c.p, c.e, c.g, c.arg, c.aux, c.stack...)
	}
	var b strings.Builder
	if err := Events(&b, r.Trace(legend(t), nil), 1000, 9000); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(tests) {
		t.Fatalf("%d lines for %d events", len(lines), len(tests))
	}
	words := strings.NewReplacer("W", "sched9/trace/text.worker G17", "HERE", where())
	for i, c := range tests {
		want := stamp(1000+int64(i)) + " " + strings.Join(strings.Fields(c.mp+" "+words.Replace(c.who)+" "+c.e.String()+" "+words.Replace(c.want)), " ")
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("event %d:\ngot  %s\nwant %s", i, got, want)
		}
	}
}

// TestEventsColumns asks for whole lines, with their columns, and for the
// bounds: from is in, to is not.
func TestEventsColumns(t *testing.T) {
	r := tracetest.New(t, trace.Meta{})
	r.Add(1, 0, 0, record.EvCreate, 17, entry(), 0)
	r.Add(12_345_678, 1, 1, record.EvStart, 17, uint64(record.FromSteal)|517<<record.IndexShift, 0)
	r.Add(12_345_679, 10, noP, record.EvPark, 0, 0, 0)
	r.Add(12_345_680, 1, 1, record.EvExit, 17, 0, 0)
	tr := r.Trace(legend(t), nil)
	for _, c := range []struct {
		from, to int64
		want     string
	}{
		{12_345_678, 12_345_680, "" +
			"    12.345678ms  M1   P1   sched9/trace/text.worker G17  Start         stolen, ring index 517\n" +
			"    12.345679ms  M10                                     Park\n"},
		{12_345_679, 12_345_680, "    12.345679ms  M10         Park\n"},
		{12_345_681, math.MaxInt64, ""},
	} {
		var b strings.Builder
		if err := Events(&b, tr, c.from, c.to); err != nil || b.String() != c.want {
			t.Errorf("from %d to %d: %v\n%s\nwant\n%s", c.from, c.to, err, b.String(), c.want)
		}
	}
}

// failing is a writer that fails.
type failing struct{}

// Write fails.
func (failing) Write([]byte) (int, error) { return 0, errFull }

// errFull is the failure.
var errFull = errors.New("no room")

// TestWriteError: an error of the writer comes back.
func TestWriteError(t *testing.T) {
	r := tracetest.New(t, trace.Meta{})
	r.Add(1, 0, 0, record.EvBoot, 0, 0, 0)
	tr := r.Trace(trace.Legend{}, nil)
	if err := Events(failing{}, tr, 0, 10); err != errFull {
		t.Errorf("Events: %v", err)
	}
	if err := Summary(failing{}, tr.View()); err != errFull {
		t.Errorf("Summary: %v", err)
	}
}
