package lab

import (
	"testing"
	"time"
)

// five is a measure of two goroutines with the values 1, 2, 3 and 4, 5.
func five(f *fake) Times {
	m := Times{run: &Run{t: f}, of: "all", noun: "wait", form: "%s waited %s"}
	at := int64(0)
	add := func(who string, vs ...time.Duration) {
		g := group[time.Duration]{who: who}
		for _, v := range vs {
			at++
			g.all = append(g.all, value[time.Duration]{v: v, who: who, at: place{at * ms, at * ms, -1, -1}})
		}
		m.groups = append(m.groups, g)
	}
	add("G1", 3, 1, 2)
	add("G2", 5, 4)
	return m
}

func TestReductions(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(Times)
		want string
	}{
		{"max", func(m Times) { m.Max().Are(3, 5) }, ""},
		{"max of max", func(m Times) { m.Max().Max().Are(5) }, ""},
		{"min", func(m Times) { m.Min().Are(1, 4) }, ""},
		{"min of max", func(m Times) { m.Max().Min().Are(3) }, ""},
		{"median", func(m Times) { m.Median().Are(2, 4) }, ""},
		{"percentiles", func(m Times) {
			m.Percentile(1).Are(1, 4)
			m.Percentile(34).Are(2, 4)
			m.Percentile(67).Are(3, 5)
			m.Percentile(100).Are(3, 5)
		}, ""},
		{"percentile 0", func(m Times) { m.Percentile(0) }, "there is no percentile 0"},
		{"percentile 101", func(m Times) { m.Percentile(100.5) }, "there is no percentile 100.5"},
		{"sum", func(m Times) { m.Sum().Are(6, 9); m.Sum().Sum().Are(15) }, ""},
		{"mean", func(m Times) { m.Mean().Are(2, 4) }, ""},
		{"count", func(m Times) { m.Count().Are(3, 2); m.Count().Sum().Are(5) }, ""},
		{"spread", func(m Times) { m.Spread().Are(2, 1); m.Sum().Spread().Are(3) }, ""},
		{"balance", func(m Times) { m.Balance().Are(33, 80); m.Sum().Balance().Are(66) }, ""},
		{"values", func(m Times) { m.Are(3, 1, 2, 5, 4) }, ""},
		{"not the values", func(m Times) { m.Are(3, 1, 2) }, "all, waits: [3ns 1ns 2ns 5ns 4ns]; exactly [3ns 1ns 2ns] is wanted"},
		{"said max", func(m Times) { m.Max().Below(4) }, "G2 waited 5ns at 4.000ms (the greatest of 2); less than 4ns is allowed"},
		{"said max of max", func(m Times) { m.Max().Max().Below(4) }, "G2 waited 5ns at 4.000ms (the greatest of 2) (the greatest of 2); less than 4ns is allowed"},
		{"said min", func(m Times) { m.Min().Above(1) }, "G1 waited 1ns at 2.000ms (the least of 3); more than 1ns is wanted"},
		{"said median", func(m Times) { m.Median().AtLeast(3) }, "G1 waited 2ns at 3.000ms (the median of 3); at least 3ns is wanted"},
		{"said percentile", func(m Times) { m.Percentile(99.5).AtMost(3) }, "G2 waited 5ns at 4.000ms (percentile 99.5 of 2); at most 3ns is allowed"},
		{"said sum", func(m Times) { m.Sum().Is(9) }, "G1: 6ns, the sum of 3 waits; exactly 9ns is wanted"},
		{"said mean", func(m Times) { m.Mean().Is(2) }, "G2: 4ns, the mean of 2 waits; exactly 2ns is wanted"},
		{"said count", func(m Times) { m.Count().Is(3) }, "G2: 2 waits, the first at 4.000ms; exactly 3 is wanted"},
		{"said spread", func(m Times) { m.Sum().Spread().Is(2) }, "all: a spread of 3ns, from G1: 6ns, the sum of 3 waits to G2: 9ns, the sum of 2 waits; exactly 2ns is wanted"},
		{"said balance", func(m Times) { m.Sum().Balance().AtLeast(67) }, "all: a balance of 66%, from G1: 6ns, the sum of 3 waits to G2: 9ns, the sum of 2 waits; at least 67 is wanted"},
		{"said in full", func(m Times) {
			m.groups[0].all[0].v, m.groups[0].all[1].v = 31*time.Millisecond+1, 31*time.Millisecond+10_001
			m.AtMost(31 * time.Millisecond)
		}, "G1 waited 31.01ms at 2.000ms; at most 31ms is allowed\nalso: G1 waited 31.000001ms at 1.000ms"},
		{"said all", func(m Times) { m.Between(7, 9) }, "G1 waited 1ns at 2.000ms; 7ns to 9ns is wanted\n" +
			"also: G1 waited 2ns at 3.000ms\nalso: G1 waited 3ns at 1.000ms\nalso: G2 waited 4ns at 5.000ms\nand so 1 more, of 5"},
	} {
		f := &fake{TB: t}
		if said := f.try(func() { c.test(five(f)) }); c.want == "" && said != "" || c.want != "" && said != c.want && said != "lab: "+c.want {
			t.Errorf("%s: it says %q, not %q", c.name, said, c.want)
		}
	}
}

// TestBounds has each bound on both sides of its edge.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(Times)
		fail bool
	}{
		{"AtLeast 1", func(m Times) { m.AtLeast(1) }, false},
		{"AtLeast 2", func(m Times) { m.AtLeast(2) }, true},
		{"Above 0", func(m Times) { m.Above(0) }, false},
		{"Above 1", func(m Times) { m.Above(1) }, true},
		{"AtMost 5", func(m Times) { m.AtMost(5) }, false},
		{"AtMost 4", func(m Times) { m.AtMost(4) }, true},
		{"Below 6", func(m Times) { m.Below(6) }, false},
		{"Below 5", func(m Times) { m.Below(5) }, true},
		{"Between 1 and 5", func(m Times) { m.Between(1, 5) }, false},
		{"Between 2 and 5", func(m Times) { m.Between(2, 5) }, true},
		{"Between 1 and 4", func(m Times) { m.Between(1, 4) }, true},
		{"Is 5", func(m Times) { m.Max().Max().Is(5) }, false},
		{"Is 4", func(m Times) { m.Max().Max().Is(4) }, true},
		{"Ascend", func(m Times) { m.Max().Ascend() }, false},
		{"Ascend, not", func(m Times) { m.Ascend() }, true},
	} {
		f := &fake{TB: t}
		if said := f.try(func() { c.test(five(f)) }); c.fail != (said != "") {
			t.Errorf("%s: it says %q", c.name, said)
		}
	}
}

// TestOpen: what the end of the recording cut off breaks no lower bound.
func TestOpen(t *testing.T) {
	open := func(f *fake) Times {
		m := five(f)
		m.groups[0].all[1].open = true // 1
		m.groups[1].all[0].open = true // 5
		return m
	}
	for _, c := range []struct {
		name string
		test func(Times)
		fail bool
	}{
		{"AtLeast 2", func(m Times) { m.AtLeast(2) }, false},
		{"Above 1", func(m Times) { m.Above(1) }, false},
		{"Between 2 and 5", func(m Times) { m.Between(2, 5) }, false},
		{"Between 2 and 4", func(m Times) { m.Between(2, 4) }, true},
		{"AtMost 4", func(m Times) { m.AtMost(4) }, true},
		{"Min", func(m Times) { m.Min().Are(2, 4) }, false},
		{"Max", func(m Times) { m.Max().AtLeast(4) }, true}, // 3 has ended
		{"Max of the second", func(m Times) { m.Max().Max().AtLeast(9) }, false},
	} {
		f := &fake{TB: t}
		if said := f.try(func() { c.test(open(f)) }); c.fail != (said != "") {
			t.Errorf("%s: it says %q", c.name, said)
		}
	}
}

// TestGap: a group without values has no maximum, and nothing that is made of
// the others may hide it.
func TestGap(t *testing.T) {
	gap := func(f *fake) Times {
		m := five(f)
		m.groups[0].all = nil
		return m
	}
	const want = "G1: no wait, so there is nothing to measure"
	for _, c := range []struct {
		name string
		test func(Times)
		want string
	}{
		{"values", func(m Times) { m.AtLeast(0) }, want},
		{"max", func(m Times) { m.Max().AtLeast(0) }, want},
		{"max of max", func(m Times) { m.Max().Max().AtLeast(0) }, want},
		{"mean", func(m Times) { m.Mean().AtLeast(0) }, want},
		{"spread", func(m Times) { m.Spread().AtLeast(0) }, want},
		{"balance", func(m Times) { m.Balance().AtLeast(0) }, want},
		{"ascend", func(m Times) { m.Ascend() }, want},
		{"sum", func(m Times) { m.Sum().Are(0, 9) }, ""},
		{"count", func(m Times) { m.Count().Are(0, 2) }, ""},
	} {
		f := &fake{TB: t}
		if said := f.try(func() { c.test(gap(f)) }); said != c.want {
			t.Errorf("%s: it says %q, not %q", c.name, said, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 9999: "9.999µs", 10004: "10µs", 12345678: "12.35ms", 31 * time.Millisecond: "31ms",
		-12345678: "-12.35ms", 83 * time.Second: "1m23s", 200 * time.Hour: "200h0m0s",
	} {
		if got := duration(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}
