package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/names"
	"sched9/record"
)

// The recorder's rings. The host asks for them on the command line, by
//
//	sched9.record=DEPTH
//
// where DEPTH is the number of code addresses in a recorded stack. The kernel reports the
// directory's address on the report channel. From then on the host reads the guest's memory, and
// the guest does not notice.

// recorders are what the processors write to. A recorder is ready before its
// processor runs.
var recorders [arch.MaxCPU]record.Recorder

// ownRings says that the rings are for the guest alone, which switches them on and off (names.Served). Set at boot.
var ownRings bool

// OwnRings is ownRings.
func OwnRings() bool { return ownRings }

// Ring returns a reader of M id's records, and false if there are no rings.
func Ring(id int) (r record.Ring, ok bool) {
	if directory.Rings == 0 {
		return r, false
	}
	return recorders[id].Ring(), true
}

// directory is where the host begins to read. In the image, so its physical
// address is its address.
var directory record.Directory

// Bounds of a ring, as logarithms of its records: 128 KiB at least, 8 MiB at most, or 32
// if there is only one, and all rings together an eighth of memory where they can.
const (
	minRing  = record.MinRing
	maxRing  = 18
	onlyRing = 20
	ringPart = 8
	slotSize = uint64(unsafe.Sizeof(record.Record{}))
)

// sizeRings decides how large the rings are, on a machine with ram bytes of RAM, and returns the
// size of all of them together. Boot processor, at boot; the number of processors is known.
func sizeRings(ram uint64) uint64 {
	asked := Option("record") >= 0 && reportDev != nil
	if !record.Recording || !asked && !names.Served {
		return 0
	}
	shift := uint32(maxRing)
	switch {
	case !asked: // for /proc/trace, and off until somebody wants that
		ownRings, shift = true, minRing
	case numCPU == 1:
		shift = onlyRing
	}
	for shift > minRing && uint64(numCPU)*slotSize<<shift > ram/ringPart {
		shift--
	}
	directory.Rings, directory.Shift = uint32(numCPU), shift
	return uint64(numCPU) * slotSize << shift
}

// initRecorders makes the rings at physical address at, if the host asked for them. They lie below
// 4 GiB, where the host finds the guest's physical addresses in the memory that it maps. All are
// cleared here, at boot: memory may initially hold anything, even old records, and clearing it
// later would delay a start of a processor, and so a goroutine, for milliseconds.
func initRecorders(at uint64) {
	if directory.Rings == 0 {
		return
	}
	for id := 0; id < numCPU; id++ {
		h := &directory.Head[id]
		h.Slots = at
		arch.Zero(arch.Phys(at), uintptr(slotSize)<<directory.Shift)
		depth := uint32(0)
		if !ownRings {
			depth = uint32(Option("record"))
		}
		recorders[id].Init(h, arch.Phys(at), directory.Shift, depth, upAppend, upClock)
		recorders[id].Switch(!ownRings)
		at += slotSize << directory.Shift
	}
	if ownRings {
		return
	}
	copy(directory.Magic[:], record.Magic)
	directory.Base, directory.Mult = arch.ClockScale()
	at = arch.Physical(unsafe.Pointer(&directory))
	directory.Image = at - uint64(uintptr(unsafe.Pointer(&directory)))
	var b [20]byte
	tell("trace ", utoa(&b, at), "\n")
}

// Describe tells a reader of the recorder what the runtime's numbers mean.
func Describe(a record.About) { directory.About = a }

// Recorder returns M id's recorder.
func (Machine) Recorder(id int32) *record.Recorder { return &recorders[id] }

// note writes a record that is about this processor. Preemption is off.
//
//go:nosplit
func note(e record.Event, arg, aux uint64) { recorders[arch.ID()].Record(e, 0, arg, aux) }

// sendIPI notes an interrupt that is about to be sent.
func sendIPI(id int, what record.IPI) { note(record.EvSendIPI, uint64(id), uint64(what)) }
