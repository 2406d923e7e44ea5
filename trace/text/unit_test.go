package text

import (
	"testing"

	"sched9/trace"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0", 1: "1ns", 999: "999ns", 1000: "1.00us", 1234: "1.23us", 12_345: "12.3us", 123_456: "123us",
		9_994: "9.99us", 9_996: "10.0us", 99_960: "100us", 999_499: "999us", 999_501: "1.00ms", 1_500_000: "1.50ms",
		999_600_000: "1.00s", 61_000_000_000: "61.0s", 86_400_000_000_000: "86400s", -1500: "-1.50us",
	} {
		if got := Duration(ns); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        string
	}{
		{0, 10, "0%"}, {1, 0, "0%"}, {1, 2000, "<0.1%"}, {1, 1000, "0.1%"}, {994, 10000, "9.9%"}, {995, 10000, "10%"}, {10, 10, "100%"},
	} {
		if got := Percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.part, c.whole, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := Plural(1, "reason") + Plural(2000, "reason"); got != "1 reason2,000 reasons" {
		t.Error(got)
	}
}

func TestWhere(t *testing.T) {
	for _, c := range []struct {
		f    trace.Frame
		want string
	}{
		{trace.Frame{PC: 1, Func: "main.f", File: "/src/a/b.go", Line: 12}, "main.f b.go:12"},
		{trace.Frame{PC: 0x1f}, "0x1f"},
	} {
		if got := Where(c.f); got != c.want {
			t.Errorf("%+v: %s, want %s", c.f, got, c.want)
		}
	}
}

func TestKin(t *testing.T) {
	for _, c := range []struct{ entry, site, want string }{
		{"main.worker", "main.main", "main.worker"},
		{"sync.(*WaitGroup).Go.func1", "main.main", "WaitGroup.Go of main.main"},
		{"sync.(*WaitGroup).Go.func1", "", "sync.(*WaitGroup).Go.func1"},
	} {
		if got := trace.Kind(c.entry, c.site); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.entry, c.site, got, c.want)
		}
	}
}

// TestHistogram draws pictures: what there is shows, whatever its share.
func TestHistogram(t *testing.T) {
	for _, c := range []struct {
		of        []int64
		low, high int
		want      string
	}{
		{[]int64{10}, 5, 5, "█"},
		{[]int64{10, 100, 100, 100, 100}, 5, 14, "▂    █"},
		{append([]int64{1000}, make([]int64, 1000)...), 0, 15, "█              ▁"},
	} {
		if got := histogram(c.of, c.low, c.high); got != c.want {
			t.Errorf("%v: %q, want %q", c.of, got, c.want)
		}
	}
	for ns, want := range map[int64]int{-5: 0, 0: 0, 1: 0, 9: 4, 10: 5, 999: 14, 1000: 15, 1_000_000_000: 45, 1 << 62: 54} {
		if got := column(ns); got != want {
			t.Errorf("%d: column %d, want %d", ns, got, want)
		}
	}
	if got := scale(10, 27); got != "|.1us|1us |10us|.1ms" {
		t.Errorf("scale %q", got)
	}
	if got := scale(0, 54); len(got) != len("|0   |10ns|.1us|1us |10us|.1ms|1ms |10ms|.1s |1s  |10s") {
		t.Errorf("scale %q", got)
	}
}
