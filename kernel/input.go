package kernel

import (
	"sched9/arch"
	"sched9/drivers"
	"sched9/kernel/typed"
	"sched9/sched/atomic"
)

// input is the console's input: standard input. The option sched9.input=1 says that the host has
// input; without it, standard input is at its end.
//
// The lock guards buffer, full and asked, and the device. Under it only the locks of a page fault
// are taken.
var input struct {
	state    atomic.Uint32 // see inputConnected
	blocking atomic.Uint32 // 1: a reader waits, holding the processor

	lock   Spin
	buffer typed.Buffer
	full   bool // the device keeps the rest, and does not interrupt
	asked  bool // the host has been told that the program reads

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
			if con.out.port == nil {
				if d := drivers.Find(drivers.Input); d == nil || !d.Connect(lineInput) {
					Fatal("there is to be console input, but this machine has no serial port that interrupts")
				}
			}
		}
		input.state.Store(state)
	}
	mem.lock.Unlock(on)
	if input.state.Load() != inputHere {
		return false
	}
	on = input.lock.Lock()
	fillInput() // what came before interrupts of it were heeded
	input.lock.Unlock(on)
	return true
}

// trapInput handles the interrupt of the input device. If that is the console's port, the interrupt
// may be for something else, or come before the program reads input.
func trapInput() {
	if input.state.Load() != inputHere {
		return
	}
	on := input.lock.Lock()
	fillInput()
	input.lock.Unlock(on)
	input.news.Add(1)
	pollMarkFile(0) // the file that the console's input is
}

// fillInput takes new input, as far as there is room for it. The rest stays with the device, which
// has its own ways to make a sender wait; it interrupts again when a reader has made room.
// input.lock is held.
func fillInput() {
	receive, listen := con.out.port.Receive, func(bool) {} // a port interrupts only for new input
	if con.out.port == nil {
		d := drivers.Get(drivers.Input)
		receive, listen = d.Receive, d.Listen
	}
	for !input.buffer.Full() {
		c, ok := receive()
		if !ok {
			if input.full {
				input.full = false
				listen(true)
			}
			return
		}
		input.buffer.Put(c)
	}
	if !input.full {
		input.full = true
		listen(false)
	}
}

// readInput reads standard input into n bytes at p. If there is nothing to be had
// it answers EAGAIN, or, on a blocking descriptor, spins until there is [M4].
// Scheduler stack, interrupts on.
func readInput(p, n uintptr) uintptr {
	if !inputConnected() || n == 0 {
		return 0
	}
	for {
		news := input.news.Load()
		got, ended, ok := takeInput(p, n)
		switch {
		case !ok:
			return fail(eFAULT)
		case got > 0:
			return got
		case ended:
			return 0
		case input.blocking.Load() == 0:
			return fail(eAGAIN)
		}
		upSyscallBlocks()
		// Input that comes after takeInput looked counts news up.
		for input.news.Load() == news {
			arch.Pause()
		}
	}
}

// takeInput stores up to n bytes of input at p, the program's, and reports whether that was the
// end. ok is false if the first of them could not be stored; it stays.
func takeInput(p, n uintptr) (got uintptr, ended, ok bool) {
	on := input.lock.Lock()
	first := !input.asked
	input.asked = true
	ok = true
	for got < n && ok {
		c, there := input.buffer.Peek()
		if !there {
			break
		}
		if ok = put(p+got, &c); ok {
			input.buffer.Get()
			got++
		}
	}
	if input.full && got > 0 {
		fillInput()
	}
	ended = input.buffer.Ended()
	input.lock.Unlock(on)
	if first {
		askInput()
	}
	return got, ended, ok || got > 0
}

// askInput tells the host that the program reads standard input now, so that input is not sent to
// programs that never read it. The turn to write keeps the line whole: the end of the run waits for
// it.
func askInput() {
	if reportDev == nil {
		return
	}
	con.out.take()
	tell("input\n")
	con.out.release()
}
