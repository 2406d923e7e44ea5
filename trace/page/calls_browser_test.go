package page

import (
	"fmt"
	"strings"
	"testing"

	"sched9/record"
)

// calls is a run in which system calls lose their Ps, goroutines are tied to Ms and
// passed to them, an M ends, and foreign code borrows one. G1 to G4 are goroutines 0 to 3
// of the page.
func calls() []step {
	return []step{
		{10, 0, no, record.EvBoot, 0, 0, 0},
		{20, 0, 0, record.EvAcquire, 0, 0, 0},
		{25, 0, 0, record.EvCreate, 1, pc(storyMain), 0},
		{26, 0, 0, record.EvCreate, 2, pc(storyWorker), back(storyMain)},
		{27, 0, 0, record.EvCreate, 3, pc(storyWorker) | record.CreateParked, back(storyMain)},
		{28, 0, 0, record.EvCreate, 4, pc(storyWorker) | record.CreateParked, back(storyMain)},
		{30, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0}, // run 0
		{100, 0, 0, record.EvSyscallEnter, 1, 0, back(storyMain)},
		{150, 0, 0, record.EvTick, 1, record.TickCall, back(storyMain)},
		{200, 1, no, record.EvSysmon, 0, 0, 0},
		{210, 1, no, record.EvRetake, 0, 0 | 0<<8, 0},
		{220, 1, no, record.EvHandoff, 0, 0, 0},
		{230, 1, 0, record.EvAcquire, 0, 0, 0},
		{300, 0, no, record.EvSyscallExit, 1, 0, back(storyMain)},
		{310, 0, 1, record.EvAcquire, 0, 0, 0}, // run 1
		{400, 0, 1, record.EvLock, 1, 1, 0},
		{410, 0, 1, record.EvLock, 1, 2, 0},
		{420, 0, 1, record.EvUnlock, 1, 1, 0},
		{500, 0, 1, record.EvBlock, 1, 1 << record.ReasonShift, back(storyMain)},
		{510, 0, 1, record.EvUnblock, 3, 0, 0},
		{520, 0, 1, record.EvStart, 3, uint64(record.FromNowhere), 0}, // run 2: a coroutine
		{600, 0, 1, record.EvBlock, 3, 1 << record.ReasonShift, back(storyWorker)},
		{610, 0, 1, record.EvUnblock, 1, 0, 0},
		{620, 0, 1, record.EvStart, 1, uint64(record.FromNowhere), 0}, // run 3: and back
		{700, 0, 1, record.EvBlock, 1, 1 << record.ReasonShift, back(storyMain)},
		{710, 0, 1, record.EvRelease, 0, 0, 0},
		{720, 0, no, record.EvHandoff, 0, 1, 0},
		{730, 0, no, record.EvPark, 0, record.ParkLocked, 0},
		{740, 0, no, record.EvHalt, 0, 0, 0},
		{800, 1, 0, record.EvStart, 2, uint64(record.FromRing), 0}, // run 4
		{810, 1, 0, record.EvUnblock, 1, 0, back(storyWorker)},
		{820, 1, 0, record.EvSyscallEnter, 2, 0, back(storyWorker)},
		{830, 1, 0, record.EvRelease, 0, 0, 0}, // its M gives the P away
		{840, 1, no, record.EvSyscallExit, 2, 0, back(storyWorker)},
		{850, 1, no, record.EvYield, 2, 0, back(storyWorker)},
		{855, 1, 0, record.EvAcquire, 0, 0, 0},
		{860, 1, 0, record.EvStart, 2, uint64(record.FromNowhere), 0}, // run 5
		{870, 1, 0, record.EvExit, 2, 0, 0},
		{880, 1, 0, record.EvPass, 1, 0, uint64(record.FromRing)},
		{890, 1, 0, record.EvWakeM, 0, 0, 1},
		{895, 1, 0, record.EvPoll, 0, 3, 0},
		{900, 0, no, record.EvHaltEnd, 0, 0, 0},
		{905, 0, 1, record.EvAcquire, 0, 0, 0},
		{910, 0, 1, record.EvStart, 1, uint64(record.FromPass), 0}, // run 6
		{920, 0, 1, record.EvBlock, 1, 1 << record.ReasonShift, back(storyMain)},
		{921, 0, 1, record.EvUnblock, 1, 0, 0},
		{922, 0, 1, record.EvStart, 1, uint64(record.FromNowhere), 0}, // run 7: its wait was called off
		{940, 0, 1, record.EvStop, 0, 0, 0},
		{945, 0, 1, record.EvGo, 0, 0, 0},
		{950, 0, 1, record.EvExit, 1, 0, 0},
		{960, 0, 1, record.EvExitM, 0, 0, 0},
		{970, 1, 0, record.EvNeedM, 4, 0, 0},
		{980, 1, 0, record.EvDropM, 0, 0, 0},
		{990, 1, 0, record.EvEnd, 0, 0, 0},
	}
}

// TestCalls has the page explain them.
func TestCalls(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	v := view(t, calls())
	b.open(v)
	if c := js[counts](b, "sched9.counts()"); c.Runs != 8 {
		t.Fatalf("there are %+v", c)
	}
	// event is the number of the nth event of a kind.
	event := func(kind record.Event, nth int) int {
		for i, e := range v.Trace.Events {
			if e.Kind == kind {
				if nth--; nth == 0 {
					return i
				}
			}
		}
		t.Fatalf("there is no such %v", kind)
		return -1
	}
	for _, tc := range []struct {
		kind string
		id   int
		want []string
	}{
		{"run", 0, []string{"It is in a system call that lasts, and M1 took P0 away", "S1", "M4"}},
		{"run", 1, []string{"It came back from its system call 10.0 µs before", "It came back from a system call, in which its P was taken", "Tied to M0 from 0.400000 ms, for 120 µs", "M6"}},
		{"run", 2, []string{"The coroutine that ran before switched to it"}},
		{"run", 3, []string{"switched to it"}},
		{"run", 4, []string{"its M gave P0 away", "M5"}},
		{"run", 5, []string{"It came back from a system call"}},
		{"run", 6, []string{"Another M found it and passed it on", "M13"}},
		{"run", 7, []string{"the wait was called off", "G4"}},
		{"event", event(record.EvSyscallExit, 1), []string{"comes back from its system call. The P was taken away during the call", "without its P"}},
		{"event", event(record.EvLock, 1), []string{"is tied to M0, once: only this M runs it", "M12"}},
		{"event", event(record.EvLock, 2), []string{"is tied to M0, 2 times"}},
		{"event", event(record.EvUnlock, 1), []string{"It is still tied to it, once."}},
		{"event", event(record.EvTick, 1), []string{"is in a system call. If that lasts", "S1"}},
		{"event", event(record.EvSysmon, 1), []string{"M1, which sleeps otherwise, does what sysmon would do"}},
		{"event", event(record.EvRetake, 1), []string{"M1 takes P0 from M0", "P0 from M0"}},
		{"event", event(record.EvHandoff, 1), []string{"P0 has no owner and is handed on"}},
		{"event", event(record.EvPark, 1), []string{"M0 has no P and waits for a goroutine that is tied to it", "M13"}},
		{"event", event(record.EvPass, 1), []string{"was found by M1 and is tied to M0", "It was found at the head of the P's own ring", "to M0"}},
		{"event", event(record.EvPoll, 1), []string{"M1 asks the devices", "may run now: 3", "N1"}},
		{"event", event(record.EvExitM, 1), []string{"M0 ends with the goroutine that was tied to it", "M11"}},
		{"event", event(record.EvNeedM, 1), []string{"it is M1 while", "M15"}},
		{"event", event(record.EvDropM, 1), []string{"M1 is none any more"}},
		{"event", event(record.EvStop, 1), []string{"wants the world stopped: audit"}},
		{"stop", 0, []string{"stop: audit"}},
		{"g", 0, []string{"in calls 90.0 µs", "It was in a system call once. For 90.0 µs in all", "Tied to M0 from 0.620000 ms, for 330 µs"}},
	} {
		js[bool](b, fmt.Sprintf("(sched9.choose({kind: %q, id: %d}, false), true)", tc.kind, tc.id))
		got := b.text("explain")
		for _, want := range tc.want {
			if !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s %d is explained without %q: %q", tc.kind, tc.id, want, got)
			}
		}
	}
	// What an M does with a call and no P has its own name and pattern.
	if got := js[[]string](b, `(() => {
		const names = [];
		for (let i = 0; i < sched9.counts().spans; i++) { sched9.choose({kind: "span", id: i}, false); names.push(document.querySelector("#explain h2").textContent); }
		return names.filter((s) => s.includes("in a call"));
	})()`); len(got) != 2 {
		t.Errorf("the Ms in calls are %q", got)
	}
	type times struct{ Running, Ready, Waiting, Calling []float64 }
	made, recorded := js[times](b, "sched9.statistics()"), js[times](b, "sched9.recorded()")
	for i, g := range v.Gs {
		want := fmt.Sprint(float64(g.Running), float64(g.Ready), float64(g.Waiting), float64(g.Calling))
		for _, got := range []times{made, recorded} {
			if have := fmt.Sprint(got.Running[i], got.Ready[i], got.Waiting[i], got.Calling[i]); have != want {
				t.Errorf("%s has the times %v, want %v", g.Name(), have, want)
			}
		}
	}
	b.quiet()
}
