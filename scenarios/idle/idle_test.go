package main_test

import (
	"testing"
	"time"

	"sched9/record"
	"sched9/tools/lab"
	"sched9/trace"
)

// TestIdleCostsNothing: while the program sleeps for two seconds, with one timer pending, all vCPUs
// together execute some thousand instructions. An instruction takes a nanosecond here, and an M
// executes only what it does before it halts again [M1, T2]. A tick of 100 Hz would take more.
func TestIdleCostsNothing(t *testing.T) {
	for _, machine := range []string{"q35", "pc", "microvm"} {
		t.Run(machine, func(t *testing.T) { sleeps(t, machine) })
	}
}

// sleeps is TestIdleCostsNothing on one kind of machine.
func sleeps(t *testing.T, machine string) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.Machine(machine), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^idle: done$`)

	v := run.View
	var from, to int64 // main's sleep
	last := int64(-1)
	for _, i := range run.Main().List()[0].Runs {
		r := v.Runs[i]
		if last >= 0 && r.Start-last > to-from {
			from, to = last, r.Start
		}
		last = r.End
	}
	if to-from < int64(2*time.Second) {
		t.Fatalf("main slept for %v", time.Duration(to-from))
	}
	// Others block after main, and an M looks for work before it halts. A CPU that an M was starting for them may arrive
	// when main sleeps already.
	for _, e := range v.Trace.Events {
		if e.Kind == record.EvBoot {
			from = max(from, e.Time)
		}
	}
	from += int64(time.Millisecond)
	to -= int64(time.Millisecond)
	awake := time.Duration(0)
	halts := map[int]bool{}
	for _, s := range v.MSpans {
		d := time.Duration(min(s.End, to) - max(s.Start, from))
		if d <= 0 {
			continue
		}
		if s.Doing == trace.Halted {
			halts[s.Of] = true
		} else {
			awake += d
		}
	}
	if len(halts) < 2 {
		t.Fatalf("%d vCPUs were there to sleep", len(halts))
	}
	if awake > 100*time.Microsecond {
		t.Errorf("the vCPUs were awake for %v of %v", awake, time.Duration(to-from))
	}
	t.Logf("%d vCPUs were awake for %v of %v", len(halts), awake, time.Duration(to-from))
}
