//go:build !explore

package ramfs

import (
	"testing"

	"sched9/sched/interleave/threads"
)

// TestExploration runs beside_test.go: with the tag explore each access that is atomic can be stopped at.
func TestExploration(t *testing.T) { threads.Explored(t) }
