//go:build !explore

package ready

import (
	"testing"

	"sched9/sched/interleave/threads"
)

// TestExploration tries all interleavings of the programs of model_test.go: with the tag explore every access to shared
// words is a place where another thread may go on.
func TestExploration(t *testing.T) { threads.Explored(t) }
