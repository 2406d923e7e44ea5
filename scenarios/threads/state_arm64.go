package main

const (
	usualControl = uint64(0)
	otherControl = uint64(1<<24 | 3<<22) // flush to zero, round to zero
)

// control is the control register (FPCR).
func control() uint64

// setControl sets it.
func setControl(c uint64)
