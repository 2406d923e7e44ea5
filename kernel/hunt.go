package kernel

import (
	"math/bits"
	"unsafe"

	"sched9/arch"
	"sched9/kernel/frame"
	"sched9/sched"
	hunt9 "sched9/sched/hunt"
)

// What a hunt (package sched/hunt) is to the kernel: options, and what comes of a run that does not end. All of it is called by images
// that are built for hunting only.

// Going back. A machine can make more than one run: at the mark, before main.main, HuntMark saves all memory that can change, and
// when a run has ended well huntAgain puts it back, and HuntMark returns once more. What devices do meanwhile is nothing: the console's output
// is not sent but counted, and the report's device has no state. A run that ends in any other way ends the machine, and the host makes
// it again on a machine of its own.

// hunted is what is left when memory is put back. It lies with what was saved, in the store, or in the image if only one run is made.
type hunted struct {
	jump  arch.Jump
	count uint64  // the clock at the mark
	run   uint64  // of Option("huntruns"), from 0
	pages uintptr // so many are saved
}

// hunt is where the store is. All of it is the same from the mark on, but sum.
var hunt struct {
	inside         hunted  // for a machine without a store
	store, end     uintptr // its bounds; 0: there is none
	tables, behind uintptr // where the frame allocator's tables are
	marked, logs   bool
	sum            uint64 // of the output (FNV-1a)
}

// hunting returns what is left of earlier runs.
func hunting() *hunted {
	if hunt.store != 0 {
		return (*hunted)(unsafe.Pointer(hunt.store))
	}
	return &hunt.inside
}

// huntRuns returns how many runs the machine makes.
func huntRuns() int { return max(Option("huntruns"), 1) }

// huntReserve takes the store from [s, e), free memory, if that is large, and returns the end of what is left. A machine for one run has it
// too: which frames there are decides how long one is looked for. Boot.
func huntReserve(s, e uint64) uint64 {
	if Option("hunt") < 0 || hunt.store != 0 || e-s < 32<<20 {
		return e
	}
	at := (e - (e-s)/2 + frame.Block - 1) &^ (frame.Block - 1)
	hunt.store, hunt.end = arch.Phys(at), arch.Phys(e)
	return at
}

// HuntMark is where runs begin: it returns once for each, with interrupts off and no tick set; HuntGo follows. from and to are the bounds
// of the image's data. Scheduler stack, interrupts on; there is one processor.
func HuntMark(from, to uintptr) {
	huntQuiet()
	h := hunting()
	hunt.logs = Option("huntlog") > 0
	// A fixed moment, so that times do not tell how long the boot took, of which the number of runs is a part.
	h.count = (arch.ClockAt() + 1<<30) &^ (1<<30 - 1)
	if arch.SetJump(&h.jump) == 0 && huntRuns() > 1 {
		huntSave(from, to)
	}
	hunt.marked, hunt.sum = true, 0xcbf29ce484222325
}

// HuntGo has the clock go on from the mark, and turns interrupts on again. What follows takes as many instructions in every run.
func HuntGo() {
	arch.ClockFrom(hunting().count)
	arch.EnableIRQ()
}

// huntQuiet silences the timer, also one that has rung and was not heard, and turns interrupts off.
func huntQuiet() {
	arch.DisableIRQ()
	arch.StopTimer()
	cpus[0].tickAt = 0
	arch.EnableIRQ()
	for range 8 {
		arch.Pause()
	}
	arch.DisableIRQ()
}

// The store is a page for hunted, then the list of the pages' addresses, then their contents.

// huntList and huntPages return where those begin.
func huntList() uintptr  { return hunt.store + arch.PageSize }
func huntPages() uintptr { return huntList() + (hunt.end-hunt.store)/arch.PageSize*8 }

// huntSave saves all pages that can change. Interrupts off.
func huntSave(from, to uintptr) {
	if hunt.store == 0 {
		Fatal("hunt: this machine has too little memory for more than one run")
	}
	// The boot stack, and the first page tables as far as there are any. Code is not saved: to store to it would cost its translation.
	for pa, end := arch.Own(); pa < end; pa += arch.PageSize {
		if va := arch.Phys(pa); *(*[arch.PageSize / 8]uint64)(unsafe.Pointer(va)) != [arch.PageSize / 8]uint64{} {
			huntKeep(va)
		}
	}
	for pa := from &^ (arch.PageSize - 1); pa < to; pa += arch.PageSize {
		huntKeep(arch.Phys(uint64(pa)))
	}
	for va := hunt.tables; va < hunt.behind; va += arch.PageSize {
		huntKeep(va)
	}
	mem.Frames.Used(func(pa uint64) { huntKeep(arch.Phys(pa)) })
}

// huntKeep saves the page at va.
func huntKeep(va uintptr) {
	h := hunting()
	to := huntPages() + h.pages*arch.PageSize
	if to+arch.PageSize > hunt.end {
		Fatal("hunt: the program has more memory when main begins than can be saved; sched9 hunt -mem SIZE gives the machine more")
	}
	arch.Copy(unsafe.Pointer(to), unsafe.Pointer(va), arch.PageSize)
	*(*uintptr)(unsafe.Pointer(huntList() + h.pages*8)) = va
	h.pages++
}

// huntAgain ends a run with the given status, tells the host, and begins the next one, if there is one and all went well: then it does not
// return. Any context.
func huntAgain(status int) {
	h := hunting()
	on := arch.SaveIRQ()
	arch.RestoreIRQ(on)
	if !hunt.marked || status != 0 || on == 0 || huntRuns() == 1 {
		return
	}
	tell("run ")
	var b [20]byte
	strategy, choices, preempts, hash, space := upHunted()
	for _, v := range [...]uint64{hunt.sum, strategy, choices, preempts, hash, space} {
		tell(utoa(&b, v), " ")
	}
	tell("\n")
	if h.run++; int(h.run) == huntRuns() {
		return
	}
	huntQuiet()
	arch.Revert(huntList(), h.pages, huntPages(), &h.jump)
}

// huntWrite takes n bytes at p, the program's, for s, and reports how many could be read. ok is false if no run has begun. Only if one run is made
// the bytes are sent. That takes no time of the guest's clock, so that a run is the same alone and among others.
func (s *stream) huntWrite(p, n uintptr) (done uintptr, ok bool) {
	if !hunt.marked {
		return 0, false
	}
	for done < n {
		var part [256]byte
		k := min(n-done, uintptr(len(part)))
		got := copyIn(unsafe.Pointer(&part), p+done, k)
		for _, c := range part[:got] {
			hunt.sum = (hunt.sum ^ uint64(c)) * 0x100000001b3
		}
		if done += got; got < k {
			break
		}
	}
	on, at := HuntPause()
	if huntRuns() == 1 {
		s.interject(p, done)
	}
	HuntResume(on, at)
	return done, true
}

// Hunt is what the host wants of the schedule: a seed, and what sched.HuntBegin wants beside. ok is false if nothing is hunted.
func Hunt() (seed uint64, strategy, depth int, limit, hang int64, ok bool) {
	s := Option("hunt")
	if s < 0 {
		return 0, 0, 0, 0, 0, false
	}
	s += int(hunting().run) * max(Option("huntstep"), 0)
	return uint64(s), max(Option("hunthow"), 0), max(Option("huntdepth"), 0), int64(max(Option("huntlimit"), 0)) * 1_000_000,
		int64(max(Option("hunthang"), 0)) * 1_000_000_000, true
}

// huntMoves is the text of the option huntmoves: it outlives the command line, over which arguments are copied.
var huntMoves struct {
	text [hunt9.MaxMovesText]byte
	n    int
}

// huntOption takes the option huntmoves, and reports whether o is that.
func huntOption(o []byte) bool {
	const name = "huntmoves="
	if len(o) < len(name) || string(o[:len(name)]) != name {
		return false
	}
	if o = o[len(name):]; len(o) > len(huntMoves.text) {
		Fatal("the option sched9.huntmoves is too long")
	}
	huntMoves.n = copy(huntMoves.text[:], o)
	return true
}

// HuntMoves returns the moves to follow, "" if a strategy decides.
func HuntMoves() string { return unsafe.String(&huntMoves.text[0], huntMoves.n) }

// HuntLogs reports whether the host wants to know of all switches.
func HuntLogs() bool { return hunt.logs }

// HuntTell writes a line to the report channel, and Decimal writes a number into b, for it.
func HuntTell(parts ...string)             { tell(parts...) }
func Decimal(b *[20]byte, v uint64) string { return utoa(b, v) }

// HuntPause stops the clock, and HuntResume, with what that has returned, has it go on: what is done in between is no part of the schedule. Interrupts are
// off meanwhile.
func HuntPause() (on uintptr, at uint64) {
	on = arch.SaveIRQ()
	at = arch.ClockAt()
	arch.StopTimer() // else it may ring while the clock stands
	return on, at
}

// HuntResume: see HuntPause.
func HuntResume(on uintptr, at uint64) {
	arch.ClockFrom(at)
	if c := &cpus[0]; c.tickAt != 0 {
		c.setTick(c.tickAt)
	}
	arch.RestoreIRQ(on)
}

// HuntMoment returns nanoseconds as a recording of the run has them: it counts what HuntPause leaves out, too.
func HuntMoment() uint64 {
	hi, lo := bits.Mul64(upClock()-directory.Base, directory.Mult)
	return hi<<32 | lo>>32 + 1
}

// HuntLeaks reports whether goroutines that can never run again are a failure.
func HuntLeaks() bool { return Option("huntleaks") > 0 }

// HuntSeed makes all random numbers from now on follow from seed.
func HuntSeed(seed uint64) { rng.Store(seed) }

// HuntRandom returns random bits that follow from it.
func HuntRandom() uint64 { return randomBits() }

// HuntOver ends a run that has passed a bound on its time, and shows where its goroutines stand. Interrupt context, or the scheduler's stack
// without its lock.
func HuntOver(over sched.Overdue) {
	arch.DisableIRQ()
	claimEnd()
	seize()
	Print("sched9: hunt: no end within ")
	if over == sched.Hangs {
		PrintInt(int64(Option("hunthang")))
		Print("s of the program's own clock\n")
	} else {
		PrintInt(int64(Option("huntlimit")))
		Print("ms of running goroutines\n")
	}
	upDump()
	report(statusOver, false)
	end(statusOver)
}

// statusOver is the status of a run that does not end: the host's for time limits.
const statusOver = 124
