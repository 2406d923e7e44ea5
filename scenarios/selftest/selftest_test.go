package main

import (
	"strings"
	"testing"
	"time"
)

// TestCompare: a clock that is wrong by more than a hundredth is found out, unless the readings were held up for as long.
func TestCompare(t *testing.T) {
	const ms = 1e6
	for _, c := range []struct {
		what        string
		first, last change
		ok          bool
	}{
		{"right", change{7, 1000 * ms, 1001 * ms}, change{9, 3000 * ms, 3001 * ms}, true},
		{"a thousandth", change{7, 1000 * ms, 1001 * ms}, change{9, 3002 * ms, 3003 * ms}, true},
		{"slow", change{7, 1000 * ms, 1001 * ms}, change{9, 2900 * ms, 2901 * ms}, false},
		{"fast", change{7, 1000 * ms, 1001 * ms}, change{9, 3100 * ms, 3101 * ms}, false},
		{"eight times too slow", change{7, 1000 * ms, 1001 * ms}, change{9, 1250 * ms, 1251 * ms}, false},
		{"held up", change{7, 1000 * ms, 1200 * ms}, change{9, 3100 * ms, 3101 * ms}, true},
	} {
		if seen, err := compare(c.first, c.last); (err == nil) != c.ok {
			t.Errorf("%s: %q, %v", c.what, seen, err)
		}
	}
}

// TestNextChange: the two readings are on both sides of the change, however long the sleep between them lasts.
func TestNextChange(t *testing.T) {
	for _, slept := range []int64{1e6, 7e6, 130e6, 999e6, 1700e6} {
		at := int64(300e6)
		now := func() int64 { at += 1000; return at }
		c, ok := nextChange(now, func() (int64, bool) { at += 2000; return at / 1e9, true }, func(time.Duration) { at += slept })
		if when := c.s * 1e9; !ok || when < c.after || when > c.before {
			t.Errorf("sleeps of %d ms: %+v, %v", slept/1e6, c, ok)
		}
	}
	at := int64(0)
	if c, ok := nextChange(func() int64 { return at }, func() (int64, bool) { return 7, true }, func(d time.Duration) { at += int64(d) }); ok {
		t.Errorf("a clock that stands still changed: %+v", c)
	}
}

func TestTogether(t *testing.T) {
	for _, c := range []struct {
		there, back int64
		says        string
	}{{10, 12, ""}, {0, 0, ""}, {-5, 40, "by 5 ns"}, {300, -120, "by 120 ns"}} {
		err := together(c.there, c.back)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d and %d: %v", c.there, c.back, err)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	for _, ns := range []int64{-1, 0, 999, 1000, 1999, 2000, 1_500_000, int64(time.Hour)} {
		h.add(ns)
	}
	if got, want := h.String(), "<1us:3 <2us:2 <4us:1 <2ms:1 <8192ms:1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPanics: what a processor panics with comes to who has asked, and the others have done their parts.
func TestPanics(t *testing.T) {
	m := &machine{work: make([]chan func(), 3), done: make(chan any, 3), ids: make([]int, 3)}
	m.tie()
	defer m.untie()
	did := [3]bool{}
	why := try(func() {
		m.all(func(i int) {
			did[i] = true
			if i == 1 {
				panic("one")
			}
		})
	})
	if why != "one" || did != [3]bool{true, true, true} {
		t.Errorf("%v, did %v", why, did)
	}
}
