//go:build sched9 && !sched9names

package sched

// Wiring says that Gs can be wired to Ps (wired.go). In an image only a ctl file asks for that, so images without
// names have neither the code nor the word in each G.
const Wiring = false

// home is empty: no G is wired.
type home struct{}

// HomeOfG: see wiring.go.
const HomeOfG = 0

func (*home) get() int32 { return 0 }
func (*home) set(int32)  {}
