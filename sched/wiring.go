//go:build !sched9 || sched9names

package sched

// Wiring: see nowiring.go.
const Wiring = true

// home is the number of the P that a G is wired to, plus one; 0: it is wired to none.
type home struct{ p int32 }

// HomeOfG is how many bytes that adds to a G.
const HomeOfG = 8

func (h *home) get() int32  { return h.p }
func (h *home) set(p int32) { h.p = p }
