//go:build !explore

package slot

import (
	"testing"

	"sched9/sched/interleave/threads"
)

// TestExploration tries all interleavings of the programs of model_test.go: with the tag explore every access to shared
// words is a place where another thread may go on.
func TestExploration(t *testing.T) { threads.Explored(t) }

// A device has its time for each request that it was given before, and only what the processor saw pass counts.
func TestPatience(t *testing.T) {
	var p Patience
	now, looks := int64(1), 0
	over := func(d int64, passed uint32) bool { now += d; looks++; return p.Over(now, passed) }
	if over(0, 0) || over(100*Limit, 0) {
		t.Fatal("time in which nobody looked counts")
	}
	for range 3 * Limit / Gap {
		if over(Gap, uint32(looks/1000)) {
			t.Fatal("the time runs though the device answers what came before")
		}
	}
	for looks = 0; !over(Gap, 77); {
	}
	if looks != Limit/Gap+1 {
		t.Errorf("over after %d looks, want %d", looks, Limit/Gap+1)
	}
}
