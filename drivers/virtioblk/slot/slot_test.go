package slot

import "testing"

// The first in line is told, once, of everything that may let it go on, and no other is.
func TestNews(t *testing.T) {
	var tab Table
	tab.Init(2)
	told := func(ticket uint32, what string) {
		t.Helper()
		place := tab.Place(ticket)
		before := place.Load()
		if got := tab.News(); got != place || place.Load() == before {
			t.Errorf("%s: the place of ticket %d is %p, told was %p", what, ticket, place, got)
		}
		if tab.News() != nil {
			t.Errorf("%s is told twice", what)
		}
	}
	enter := func(ticket uint32, want int) {
		t.Helper()
		if i, _ := tab.Enter(ticket, false); i != want {
			t.Fatalf("ticket %d has slot %d, want %d", ticket, i, want)
		}
	}
	for i := range 2 {
		enter(tab.Join(), i)
		if tab.News() != nil {
			t.Error("somebody is told, and nobody is there")
		}
		tab.Begin(i, 0)
	}
	a, b := tab.Join(), tab.Join()
	enter(a, -1)
	enter(b, -1)
	if tab.News() != nil {
		t.Error("there is news, and nothing has changed")
	}
	tab.Answer(0, true)
	if tab.News() != nil {
		t.Error("an answer to who has a slot is told to who has none")
	}
	tab.Release(0)
	told(a, "a slot that was given back")
	enter(b, -1) // it is a's
	enter(a, 0)
	told(b, "the place of who went")
	enter(b, -1)
	tab.Release(1)
	told(b, "a slot that the device keeps") // it may be the last
	enter(b, -1)
	tab.Answer(1, true)
	told(b, "a slot that the device has given back")
	tab.GiveUp()
	told(b, "a device that does not answer")
	if n := tab.InUse(); n != 1 { // a's
		t.Errorf("%d slots are in use", n)
	}
}

// When there is no hope, the first in line leaves without a slot, and those behind do not wait for it. Hope ends when a
// request was given up, and with the last slot that the device keeps; it is back with the next answer.
func TestLineEnds(t *testing.T) {
	enter := func(tab *Table, want int, wantQuit bool) {
		t.Helper()
		if i, quit := tab.Enter(tab.Join(), false); i != want || quit != wantQuit {
			t.Fatalf("slot %d, quit %v; want %d, %v", i, quit, want, wantQuit)
		}
	}
	answer := func(tab *Table, i int) {
		t.Helper()
		if _, was := tab.Answer(i, true); !was {
			t.Fatalf("slot %d had no request", i)
		}
	}

	var tab Table // the device does not answer: a call has given up, another has not yet
	tab.Init(2)
	enter(&tab, 0, false)
	enter(&tab, 1, false)
	tab.Begin(0, 0)
	tab.Begin(1, 0)
	tab.GiveUp()
	tab.Release(0)
	enter(&tab, -1, true)
	enter(&tab, -1, true)
	answer(&tab, 0) // and now it does
	enter(&tab, 0, false)
	ticket := tab.Join()
	if i, quit := tab.Enter(ticket, false); i >= 0 || quit {
		t.Fatalf("slot %d, quit %v: the device answers, and all slots are in use", i, quit)
	}
	tab.Release(0)
	if i, _ := tab.Enter(ticket, false); i != 0 {
		t.Fatal("who stands first does not get the slot that was given back")
	}

	var kept Table // the device answers a file's requests, and keeps all others
	kept.Init(Polled + 1)
	own := kept.Take(Polled, Max)
	for i := range Polled {
		enter(&kept, i, false)
		kept.Begin(i, 0)
		kept.GiveUp()
		kept.Release(i)
	}
	kept.Begin(own, 7)
	if owner, was := kept.Answer(own, true); owner != 7 || !was {
		t.Fatalf("owner %d, %v", owner, was)
	}
	enter(&kept, -1, true)
	answer(&kept, 3)
	enter(&kept, 3, false)
	if i, quit := kept.Enter(kept.Join(), false); i >= 0 || quit {
		t.Fatalf("slot %d, quit %v: the device has given one back, and it is in use", i, quit)
	}
}

// Answers to requests that the device got before a request count for that request, and no others
// do.
func TestPassed(t *testing.T) {
	var tab Table
	tab.Init(3)
	for i := range 3 {
		tab.Take(i, i+1)
		tab.Begin(i, 0)
	}
	tab.Answer(1, true)
	if tab.Passed(0) != 0 || tab.Passed(2) != 1 {
		t.Errorf("passed %d and %d, want 0 and 1", tab.Passed(0), tab.Passed(2))
	}
	first := tab.Word(1)
	tab.Begin(1, 0)
	if tab.Word(1).Same(first) || tab.Passed(1) != 0 {
		t.Error("a slot's next request is taken for the one before")
	}
}

// An answer to nothing changes nothing.
func TestAnswerToNothing(t *testing.T) {
	var tab Table
	tab.Init(2)
	tab.Take(0, 1)
	before := tab.Word(0)
	for i := range 3 {
		if owner, was := tab.Answer(i, true); owner != 0 || was {
			t.Errorf("slot %d: owner %d, %v", i, owner, was)
		}
	}
	if tab.Word(0) != before || tab.Word(1).State() != Free {
		t.Error("a slot has changed")
	}
}
