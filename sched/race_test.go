//go:build race

package sched

// raceEnabled makes the long tests shorter under the race detector.
const raceEnabled = true
