package date

import (
	"testing"
	"time"
)

func TestDays(t *testing.T) {
	for d := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 2130; d = d.AddDate(0, 0, 1) {
		if got, want := days(int64(d.Year()), int64(d.Month()), int64(d.Day())), d.Unix()/86400; got != want {
			t.Fatalf("%v: %d days, want %d", d, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	if s, ok := Seconds(2026, 11, 23, 0, 50, 1); s != 1795395001 || !ok {
		t.Errorf("%d, %v", s, ok)
	}
	for _, d := range [][6]int64{{2026, 0, 1}, {2026, 13, 1}, {2026, 1, 0}, {2026, 1, 32}, {2026, 1, 1, 24}, {2026, 1, 1, -1}, {2026, 1, 1, 0, 60}, {2026, 1, 1, 0, 0, 61}} {
		if s, ok := Seconds(d[0], d[1], d[2], d[3], d[4], d[5]); ok {
			t.Errorf("%v: %d", d, s)
		}
	}
}
