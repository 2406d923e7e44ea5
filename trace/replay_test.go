package trace

import (
	"testing"

	"sched9/record"
)

// TestReplay: what a call and a tie come to by their events, also where the event that took the P is missing.
func TestReplay(t *testing.T) {
	at := func(kind record.Event, m, p int16, g, arg uint64) Event {
		return Event{Kind: kind, M: m, P: p, G: g, Arg: arg}
	}
	start := func(g uint64) Event { return at(record.EvStart, 1, 1, g, 0) } // found nowhere: a coroutine
	enter, back := at(record.EvSyscallEnter, 1, 1, 7, 0), at(record.EvSyscallExit, 1, -1, 7, 0)
	retake, acquire := at(record.EvRetake, 2, 2, 0, 1|1<<8), at(record.EvAcquire, 1, 3, 0, 0)
	lost, again, on := Turn{What: Loses, M: 1, G: 7}, Turn{What: Returns, M: 1, G: 7}, Turn{What: Resumes, M: 1, G: 7}
	for _, c := range []struct {
		name   string
		events []Event
		want   []Turn // of the last events
	}{
		{"taken", []Event{start(7), enter, retake, back, acquire}, []Turn{lost, again, on}},
		{"given", []Event{start(7), enter, at(record.EvRelease, 1, 1, 0, 0), back, acquire}, []Turn{lost, again, on}},
		{"taken unseen", []Event{start(7), enter, back, acquire}, []Turn{again, on}},
		{"kept", []Event{start(7), enter, at(record.EvSyscallExit, 1, 1, 7, 0), acquire}, []Turn{{M: 1, G: 7}}},
		{"not in a call", []Event{start(7), retake, acquire}, []Turn{{M: 1, G: 7}, {M: 1, G: 7}}},
		{"left", []Event{start(7), enter, retake, back, at(record.EvYield, 1, -1, 7, 0), acquire}, []Turn{{M: 1}, {M: 1}}},
		{"no such M", []Event{start(7), at(record.EvRetake, 2, 2, 0, 1|200<<8)}, []Turn{{}}},
		{"tied twice", []Event{start(7), at(record.EvLock, 1, 1, 7, 1), at(record.EvLock, 1, 1, 7, 2)}, []Turn{{M: 1, G: 7, Tied: 7}, {M: 1, G: 7}}},
		{"untied", []Event{start(7), at(record.EvLock, 1, 1, 7, 1), at(record.EvUnlock, 1, 1, 7, 0)}, []Turn{{M: 1, G: 7, Untied: 7}}},
		{"switched", []Event{start(7), at(record.EvLock, 1, 1, 7, 1), at(record.EvBlock, 1, 1, 7, 0), start(8)}, []Turn{{M: 1, G: 8, Untied: 7, Tied: 8}}},
		{"another in between", []Event{start(7), at(record.EvLock, 1, 1, 7, 1), at(record.EvBlock, 1, 1, 7, 0), at(record.EvLook, 1, 1, 0, 1), start(8)}, []Turn{{M: 1, G: 8}}},
		{"ended", []Event{start(7), at(record.EvLock, 1, 1, 7, 1), at(record.EvExit, 1, 1, 7, 0)}, []Turn{{M: 1, Untied: 7}}},
	} {
		var r Replay
		var got []Turn
		for _, e := range c.events {
			got = append(got, r.Event(e))
		}
		for i, want := range c.want {
			if g := got[len(got)-len(c.want)+i]; g != want {
				t.Errorf("%s: turn %d from the end is %+v, want %+v", c.name, len(c.want)-i, g, want)
			}
		}
	}
}
