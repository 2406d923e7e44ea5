package events

import (
	"testing"

	"sched9/record"
)

// TestComplete: each event has a row, and each place, step and interrupt of the recorder's, and there is no other.
func TestComplete(t *testing.T) {
	for i, e := range Table {
		if e.Text == "" {
			t.Errorf("%v has no row", record.Event(i))
		}
	}
	for i, p := range Places {
		if p.Text == "" || p.List == "" || p.Line == "" || p.Queue == "" || p.Track == "" {
			t.Errorf("place %d: %+v", i, p)
		}
	}
	if n := int(record.FromPass) + 1; len(Places) != n {
		t.Errorf("%d places, want %d", len(Places), n)
	}
	if n := int(record.LookDevices) + 1; len(Looks) != n {
		t.Errorf("%d looks, want %d", len(Looks), n)
	}
	if n := int(record.IPINMI) + 1; len(IPIs) != n {
		t.Errorf("%d IPIs, want %d", len(IPIs), n)
	}
	if record.FromPass.At(3).Kind() != record.FromPass || At(record.FromPass.At(3)).Track != Places[record.FromPass].Track || At(record.FromPass+1).Line != "unknown" {
		t.Errorf("a place is not found by its kind")
	}
}
