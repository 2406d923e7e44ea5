package slot

import "testing"

// newOwn returns a table with one slot, a file's.
func newOwn() (*Table, *Own) {
	var t Table
	t.Init(1)
	t.Take(0, 1)
	return &t, new(Own)
}

// A failed request is reported once: a write to the next call, a read to the next reader. A call
// that settles leaves a read's error to the reader.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		failed, next Kind
		lost         bool // Lost says so
		want         Look // of the next call, where Lost is not asked
	}{
		{Writing, Writing, true, Broken},
		{Writing, Reading, true, Broken},
		{Reading, Reading, false, Broken},
		{Reading, Writing, false, Ready},
	} {
		fail := func() (*Table, *Own) {
			tab, o := newOwn()
			o.Begins(c.failed, 0, 1)
			tab.Begin(0, 1)
			if o.Lost(tab, 0) || tab.Word(0).State() != Busy {
				t.Fatal("lost, and the device has not answered")
			}
			tab.Answer(0, false)
			return tab, o
		}
		tab, o := fail()
		if got := o.Look(tab, 0, c.next); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		if got := o.Look(tab, 0, c.next); got != Ready || o.Held != 0 {
			t.Errorf("%+v: then %d, %d bytes held", c, got, o.Held)
		}
		tab, o = fail()
		if o.Lost(tab, 0) != c.lost || o.Lost(tab, 0) {
			t.Errorf("%+v: Lost does not say so once", c)
		}
		if got := o.Look(tab, 0, Reading); (got == Broken) == c.lost {
			t.Errorf("%+v: after Lost a read finds %d", c, got)
		}
	}
}

// Of a reader and a writer that both wait each lets the other go first once.
func TestTurns(t *testing.T) {
	tab, o := newOwn()
	begin := func(k Kind, held uintptr) {
		o.Begins(k, 0, held)
		tab.Begin(0, 1)
	}
	begin(Writing, 0)
	if o.Look(tab, 0, Reading) != Wait || o.Look(tab, 0, Writing) != Wait {
		t.Fatal("a call goes on though the device has the slot")
	}
	tab.Answer(0, true)
	if o.Look(tab, 0, Writing) != Ready || o.Turn(Writing) {
		t.Fatal("a second write does not let the read go first")
	}
	if !o.Turn(Reading) {
		t.Fatal("nobody goes first")
	}
	begin(Reading, 1)
	tab.Answer(0, true)
	if o.Turn(Writing) {
		t.Fatal("a write takes away what a read has not found yet")
	}
	if !o.Turn(Writing) {
		t.Fatal("a write waits for a reader that has gone away")
	}
}

// What a slot holds is found once, where it is, until something is written there that it does not have.
func TestHeld(t *testing.T) {
	const span = 6
	for at := range int64(span) {
		for n := range uintptr(span) {
			o := &Own{At: 2, Held: 3}
			from, to, size := o.Overlap(at, n)
			var common uintptr
			for b := at; b < at+int64(n); b++ {
				if b < o.At || b >= o.At+int64(o.Held) {
					continue
				}
				if common++; common == 1 && (at+int64(from) != b || o.At+int64(to) != b) {
					t.Fatalf("%d bytes from %d: from %d, to %d", n, at, from, to)
				}
			}
			if size != common {
				t.Fatalf("%d bytes from %d: %d held, want %d", n, at, size, common)
			}
		}
	}
	held := func(o *Own) bool { _, _, size := o.Overlap(0, 512); return size > 0 }
	for _, f := range []func(o *Own){(*Own).Found, (*Own).Stale, func(o *Own) { o.Begins(Writing, 0, 0) }} {
		var o Own
		o.Begins(Reading, 0, 512)
		if !held(&o) {
			t.Fatal("a read does not find what it began")
		}
		if f(&o); held(&o) {
			t.Fatal("found again")
		}
	}
}
