package page

import (
	"reflect"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// step is an event of a hand-made recording, at a microsecond.
type step tracetest.Event

const no = tracetest.NoP

// The functions that the story's goroutines are made of. They are not called:
// their addresses stand in the recording, with the test's own table of
// functions.
func storyMain()    {}
func storyWorker()  {}
func storySleeper() {}

// pc is the address of a function.
func pc(f func()) uint64 { return uint64(reflect.ValueOf(f).Pointer()) }

// back is an address as a call returns to, in f.
func back(f func()) uint64 { return pc(f) + 1 }

// story is a run on two vCPUs: work is stolen, a slice is used up, a goroutine
// yields and comes from the global queue, the world is stopped, a timer wakes.
func story() []step {
	const (
		recv  = 1 << record.ReasonShift
		sleep = 2 << record.ReasonShift
	)
	return []step{
		{10, 0, no, record.EvBoot, 0, 0, 0},
		{20, 0, 0, record.EvAcquire, 0, 0, 0},
		{25, 0, 0, record.EvCreate, 1, pc(storyMain), 0},
		{26, 0, 0, record.EvPutNext, 1, 0, 0},
		{30, 0, 0, record.EvStart, 1, uint64(record.FromNext) | record.StartInherit, 0},
		{100, 0, 0, record.EvCreate, 2, pc(storyWorker), back(storyMain)},
		{101, 0, 0, record.EvPutNext, 2, 0, 0},
		{110, 0, 0, record.EvCreate, 3, pc(storyWorker), back(storyMain)},
		{111, 0, 0, record.EvPutNext, 3, 0, 0},
		{112, 0, 0, record.EvPutRing, 2, 0, 0},
		{115, 0, 0, record.EvCreate, 4, pc(storySleeper), back(storyMain)},
		{116, 0, 0, record.EvPutNext, 4, 0, 0},
		{117, 0, 0, record.EvPutRing, 3, 1, 0},
		{120, 0, 0, record.EvSummon, 0, 1, 0},
		{121, 0, 0, record.EvBusyP, 0, 1, 0},
		{125, 0, 0, record.EvStartM, 0, 1, 1},
		{200, 1, no, record.EvBoot, 0, 0, 0},
		{205, 1, 1, record.EvAcquire, 0, 0, 0},
		{210, 1, 1, record.EvSpin, 0, 1, 0},
		{215, 1, 1, record.EvLook, 0, uint64(record.LookSteal), 0},
		{220, 1, 1, record.EvSteal, 0, 0, 0 | 1<<8},
		{225, 1, 1, record.EvUnspin, 0, 0, 0},
		{230, 1, 1, record.EvStart, 2, uint64(record.FromSteal), 0}, // run 1
		{300, 0, 0, record.EvBlock, 1, recv, back(storyMain)},
		{305, 0, 0, record.EvStart, 4, uint64(record.FromNext) | record.StartInherit, 0}, // run 2
		{350, 0, 0, record.EvBlock, 4, sleep, back(storySleeper)},
		{360, 0, 0, record.EvStart, 3, uint64(record.FromRing) | 1<<record.IndexShift, 0}, // run 3
		{5300, 0, 0, record.EvTick, 3, 0, back(storyWorker)},
		{6000, 1, 1, record.EvUnblock, 1, 0, back(storyWorker)},
		{6001, 1, 1, record.EvPutNext, 1, 0, 0},
		{6100, 1, 1, record.EvExit, 2, 0, 0},
		{6110, 1, 1, record.EvStart, 1, uint64(record.FromNext) | record.StartInherit, 0}, // run 4
		{10400, 0, 0, record.EvTick, 3, record.TickLeave | record.TickSlice, back(storyWorker)},
		{10401, 0, 0, record.EvInject, 3, 0, back(storyWorker)},
		{10410, 0, 0, record.EvPreempt, 3, 0, back(storyWorker)},
		{10412, 0, 0, record.EvPutGlobal, 3, 0, 0},
		{10415, 0, 0, record.EvLook, 0, uint64(record.LookGlobal), 0},
		{10420, 0, 0, record.EvGetGlobal, 3, 1 << record.CountShift, 0},
		{10430, 0, 0, record.EvStart, 3, uint64(record.FromGlobal), 0}, // run 5
		{12000, 1, 1, record.EvYield, 1, 0, back(storyMain)},
		{12001, 1, 1, record.EvPutGlobal, 1, 0, 0},
		{12005, 1, 1, record.EvGetGlobal, 1, 1 << record.CountShift, 0},
		{12010, 1, 1, record.EvStart, 1, uint64(record.FromGlobal), 0}, // run 6
		{13000, 1, 1, record.EvStop, 0, 1, 0},
		{13005, 1, 1, record.EvSendIPI, 0, 0, uint64(record.IPIPreempt)},
		{13010, 0, 0, record.EvTakeIPI, 0, 0, uint64(record.IPIPreempt)},
		{13020, 0, 0, record.EvPreempt, 3, 0, back(storyWorker)},
		{13021, 0, 0, record.EvPutGlobal, 3, 0, 0},
		{13030, 1, 1, record.EvStopped, 0, 0, 0},
		{13040, 1, 1, record.EvPhase, 0, 1, 0},
		{13050, 1, 1, record.EvGo, 0, 0, 0},
		{13055, 0, 0, record.EvGetGlobal, 3, 1 << record.CountShift, 0},
		{13060, 0, 0, record.EvStart, 3, uint64(record.FromGlobal), 0}, // run 7
		{14000, 0, 0, record.EvBlock, 3, recv, back(storyWorker)},
		{14010, 0, 0, record.EvRelease, 0, 0, 0},
		{14011, 0, no, record.EvIdleP, 0, 0, 0},
		{14012, 0, no, record.EvTimerSleep, 0, 18910 * 1000, 0},
		{14100, 0, no, record.EvHalt, 0, 18910 * 1000, 0},
		{15000, 1, 1, record.EvPhase, 0, 2, 0},
		{15100, 1, 1, record.EvPhase, 0, 0, 0},
		{18950, 0, no, record.EvHaltEnd, 0, 0, 0},
		{18951, 0, no, record.EvTimerWake, 0, 0, 0},
		{18960, 0, 0, record.EvAcquire, 0, 0, 0},
		{19000, 0, 0, record.EvTimer, 0, 90_000, 0},
		{19001, 0, 0, record.EvUnblock, 4, 0, 0},
		{19002, 0, 0, record.EvPutNext, 4, 0, 0},
		{19050, 0, 0, record.EvStart, 4, uint64(record.FromNext), 0}, // run 8
		{20000, 0, 0, record.EvExit, 4, 0, 0},
		{21000, 1, 1, record.EvExit, 1, 0, 0},
		{21500, 1, 1, record.EvEnd, 0, 0, 0},
	}
}

// view records steps and reads them back.
func view(t *testing.T, steps []step) *trace.View {
	t.Helper()
	r := tracetest.Of(t, trace.Meta{Program: "story", Arch: "amd64", Machine: "q35", SMP: 2}, 1000, steps)
	l := trace.Legend{Version: "go1.26", Reasons: []string{"", "chan receive", "sleep"}, Stops: []string{"", "GC mark termination"}}
	return r.Trace(tracetest.Named(t, l), &trace.End{}).View()
}
