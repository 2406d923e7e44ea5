package arch

import "sync/atomic"

// APArg is what a processor that starts is given. It must stay in place for
// ever; the exported fields are the kernel's to fill.
type APArg struct {
	TLS   uintptr // thread pointer, where starting needs one: on amd64 g lies 8 bytes below
	G     uintptr // the runtime's g to enter with
	Entry uintptr // where to go, never to return
	Stack uintptr // top of the stack to go there with
	IST   Stacks

	id int
	// ready is set by the new processor when it runs, seen by its starter when that has seen it and will send it
	// no more interrupts to start (amd64). Before, they set the new one's counter by what else seen says, ahead and told (step_amd64.go).
	ready, seen atomic.Uint32
	ahead       int64
	told        uint64
}

// numCPU is how many processors were found, at most MaxCPU. Written at boot only.
var numCPU = 1

// NumCPU returns how many processors there are, at most MaxCPU.
func NumCPU() int { return numCPU }
