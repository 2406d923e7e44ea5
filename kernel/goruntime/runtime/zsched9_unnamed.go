//go:build sched9 && !sched9names

package runtime

import narch "sched9/arch"

// What zsched9_halt.go has, in an image that serves no names: nothing.

const sched9NamesOfG = 0

func sched9HaltAsked(gp *g) uint32 { return 0 }

func sched9HaltHere(gp *g) {}

func sched9Noted(gp *g) bool { return false }

func sched9Note(f *narch.Frame, gp *g, pc uintptr) {}
