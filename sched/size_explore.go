//go:build explore

package sched

// RingSize is small where all interleavings are tried: a ring of four overflows, wraps
// and is stolen from like one of 256, within a few steps.
const RingSize = 4
