package rate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// machine is a processor of hz counts a second with another counter, on a host that holds it now
// and then. Time is in nanoseconds.
type machine struct {
	hz, other float64
	mask      uint64
	now       float64
	cost      float64                   // of reading the other counter
	hold      func(now float64) float64 // how long the processor is held now
}

// pass lets time pass, in steps of which each may be held.
func (m *machine) pass(ns float64) { m.now += ns + m.hold(m.now) }

func (m *machine) own() uint64 {
	m.pass(20)
	return uint64(m.now * m.hz / 1e9)
}

func (m *machine) read() Reading {
	before := m.own()
	m.pass(m.cost / 2)
	other := uint64(m.now*m.other/1e9) & m.mask
	m.pass(m.cost / 2)
	return Read(before, other, m.own())
}

// measure measures the machine's other counter and returns how wrong the result is, and how long
// it took.
func (m *machine) measure(t *testing.T) (wrong, took float64) {
	t.Helper()
	meter := Meter{Mask: m.mask, Gap: uint64(float64(m.mask) / m.other * 400e6), Least: uint64(m.other / 1000)}
	begin := m.now
	for n := 0; !meter.Add(m.read()); n++ {
		if n == 5_000_000 {
			t.Fatal("it does not end")
		}
	}
	own, other := meter.Result()
	return math.Abs(float64(own)/float64(other)*m.other/m.hz - 1), m.now - begin
}

// Counters of PCs: the interval timer, and ACPI's with 24 and with 32 bits.
var counters = []struct {
	hz   float64
	mask uint64
}{{1193182, 1<<16 - 1}, {3579545, 1<<24 - 1}, {3579545, 1<<32 - 1}}

// TestQuiet: the host never holds the processor.
func TestQuiet(t *testing.T) {
	for _, c := range counters {
		for _, hz := range []float64{400e6, 1e9, 2.5e9, 5e9} {
			for _, cost := range []float64{2, 300, 3000, 30_000} {
				m := machine{hz: hz, other: c.hz, mask: c.mask, now: 1e9, cost: cost, hold: func(float64) float64 { return 0 }}
				wrong, took := m.measure(t)
				if limit := max(1.1e6, precision*1.2*(cost+1e9/c.hz+100)); wrong > 1.0/precision || took > limit {
					t.Errorf("%.0f counts a second, by one of %.0f read in %.0f ns: wrong by %.5f after %.1f ms", hz, c.hz, cost, wrong, took/1e6)
				}
			}
		}
	}
}

// TestHeld: hosts that hold the processor at random, or most of the time.
func TestHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		c := counters[r.IntN(len(counters))]
		m := machine{hz: 400e6 + r.Float64()*4.6e9, other: c.hz, mask: c.mask, now: r.Float64() * 1e12, cost: 100 + r.Float64()*10_000}
		often, long := math.Pow(10, -2-3*r.Float64()), math.Pow(10, 3+r.Float64()*5.5)
		m.hold = func(float64) float64 {
			if r.Float64() < often {
				return long * r.Float64()
			}
			return 0
		}
		name := "at random"
		if r.IntN(4) == 0 {
			name = "8 ms of 70"
			m.hold = func(now float64) float64 {
				if in := math.Mod(now, 70e6); in > 8e6 {
					return 70e6 - in
				}
				return 0
			}
			m.cost = 100 + r.Float64()*2000
		}
		if wrong, took := m.measure(t); wrong > 1.0/precision {
			t.Errorf("held %s, %.2g by step for up to %.0f us; read in %.0f ns, mask %#x: wrong by %.5f after %.1f ms", name, often, long/1e3, m.cost, c.mask, wrong, took/1e6)
		}
	}
}

// TestStill: a counter that does not count is no measure.
func TestStill(t *testing.T) {
	m := Meter{Mask: 1<<16 - 1, Gap: 1 << 20, Least: 1}
	for i := range uint64(1000) {
		if m.Add(Read(i*100, 0xffff, i*100+50)) || m.Moving() {
			t.Fatal("it has counted")
		}
	}
}
