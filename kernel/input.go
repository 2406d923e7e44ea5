package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers"
	"sched9/kernel/typed"
	"sched9/sched/atomic"
)

// input is what comes in at the console: standard input. The host says by the
// option sched9.input=1 that there is such a thing; without it, standard input
// is at its end.
//
// The lock guards buffer, full and asked, and the device. Nothing is taken under
// it but what a page fault takes.
var input struct {
	state    atomic.Uint32 // see inputConnected
	blocking atomic.Uint32 // 1: whoever reads waits, holding the processor

	lock   Spin
	buffer typed.Buffer
	full   bool // the device keeps the rest, and does not interrupt
	asked  bool // the host knows that somebody reads

	news atomic.Uint32 // counts interrupts
}

// States of input.
const (
	inputUnknown = iota
	inputNone
	inputHere
)

// inputConnected reports whether there is console input, and connects its
// interrupt when it is first asked. Scheduler stack.
func inputConnected() bool {
	if s := input.state.Load(); s != inputUnknown {
		return s == inputHere
	}
	on := mem.lock.Lock()
	if input.state.Load() == inputUnknown {
		state := uint32(inputNone)
		if Option("input") == 1 {
			state = inputHere
			if d := drivers.Find(drivers.Input); d == nil || !d.Connect(lineInput) {
				Fatal("there is to be console input, but this machine has no serial port that interrupts")
			}
		}
		input.state.Store(state)
	}
	mem.lock.Unlock(on)
	return input.state.Load() == inputHere
}

// trapInput handles the console's interrupt.
func trapInput() {
	on := input.lock.Lock()
	fillInput()
	input.lock.Unlock(on)
	input.news.Add(1)
	pollMark(0)
}

// fillInput takes what has come in, as far as there is room for it. What there is
// no room for stays with the device, which has its own ways to make a sender
// wait; it interrupts again when a reader has made room. input.lock is held.
func fillInput() {
	d := drivers.Get(drivers.Input)
	for !input.buffer.Full() {
		c, ok := d.Receive()
		if !ok {
			if input.full {
				input.full = false
				d.Listen(true)
			}
			return
		}
		input.buffer.Put(c)
	}
	if !input.full {
		input.full = true
		d.Listen(false)
	}
}

// readInput reads standard input into n bytes at p. If there is nothing to be had
// it answers EAGAIN, or, on a blocking descriptor, spins until there is (M4).
// Scheduler stack, interrupts on.
func readInput(p, n uintptr) uintptr {
	if !inputConnected() || n == 0 {
		return 0
	}
	for {
		news := input.news.Load()
		got, ended := takeInput(p, n)
		switch {
		case got > 0:
			return got
		case ended:
			return 0
		case input.blocking.Load() == 0:
			return fail(eAGAIN)
		}
		upHold()
		// What comes after takeInput looked counts news up.
		for input.news.Load() == news {
			arch.Pause()
		}
	}
}

// takeInput stores up to n bytes of what was typed at p, and tells whether that
// was the end.
func takeInput(p, n uintptr) (got uintptr, ended bool) {
	on := input.lock.Lock()
	first := !input.asked
	input.asked = true
	for got < n {
		c, ok := input.buffer.Get()
		if !ok {
			break
		}
		*(*byte)(unsafe.Pointer(p + got)) = c
		got++
	}
	if input.full && got > 0 {
		fillInput()
	}
	ended = input.buffer.Ended()
	input.lock.Unlock(on)
	if first {
		askInput()
	}
	return got, ended
}

// askInput tells the host that somebody reads standard input now, and so that it
// is lost on nobody. The console's lock keeps the line whole, and is what the end of
// the run waits for.
func askInput() {
	if reportDev == nil {
		return
	}
	on := con.lock.Lock()
	tell("input\n")
	con.lock.Unlock(on)
}
