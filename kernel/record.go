package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/frame"
	"sched9/sched"
)

// The recorder's rings. The host asks for them on the command line, by
//
//	sched9.record=DEPTH
//
// where DEPTH is how many code addresses it wants of stacks. The kernel tells
// it, on the report channel, where the directory lies. From then on the host
// reads the guest's memory, and the guest does not know whether it does.

// recorders are what the processors write to. A recorder is ready before its
// processor runs.
var recorders [arch.MaxCPU]sched.Recorder

// directory is where the host begins to read. In the image, so its physical
// address is its address.
var directory sched.Directory

// Bounds of a ring: 128 KiB at least, a block of frames at most, and all rings
// together an eighth of memory where they can.
const (
	minRing  = sched.MinRing // log2 of its records
	maxRing  = 16
	ringPart = 8
)

// initRecorders makes the rings, if the host has asked for them. Boot
// processor, at boot; the number of processors is known.
func initRecorders() {
	if recordDepth < 0 || !sched.Recording || reportDev == nil {
		return
	}
	const size = unsafe.Sizeof(sched.Record{})
	total, _, _ := mem.frames.Stats()
	shift := uint32(maxRing)
	for shift > minRing && uint64(numCPU)*uint64(size)<<shift > total*frame.Size/ringPart {
		shift--
	}
	bytes := uint64(size) << shift
	var at, end uint64
	for id := 0; id < numCPU; id++ {
		if at == end {
			pa, ok := mem.frames.GetBlock()
			if !ok || pa+frame.Block > directReach {
				Fatal("not enough memory for the recorder's rings")
			}
			at, end = pa, pa+frame.Block
			arch.Zero(arch.Phys(pa), frame.Block)
		}
		h := &directory.Head[id]
		h.Slots = at
		recorders[id].Init(h, arch.Phys(at), shift, uint32(recordDepth), upAppend, upClock)
		at += bytes
	}
	copy(directory.Magic[:], sched.Magic)
	directory.Base, directory.Mult = arch.ClockScale()
	directory.Rings, directory.Shift = uint32(numCPU), shift
	var b [20]byte
	tell("trace ", utoa(&b, uint64(uintptr(unsafe.Pointer(&directory)))), "\n")
}

// Describe tells a reader of the recorder what the language's numbers mean.
func Describe(a sched.About) { directory.About = a }

// directReach is how far physical addresses of RAM are also offsets in the memory
// that the host maps: machines put what does not fit below 4 GiB above it.
const directReach = 4 << 30

// Recorder returns M id's recorder.
func (Machine) Recorder(id int32) *sched.Recorder { return &recorders[id] }

// record writes a record that is about this processor. Preemption is off.
//
//go:nosplit
func record(e sched.Event, arg, aux uint64) { recorders[arch.ID()].Record(e, 0, arg, aux) }

// sendIPI notes an interrupt that is about to be sent.
func sendIPI(id int, what sched.IPI) { record(sched.EvSendIPI, uint64(id), uint64(what)) }
