//go:build !explore

package sched

// RingSize is the number of Gs that a P's ring holds [R1]. A power of two.
const RingSize = 256
