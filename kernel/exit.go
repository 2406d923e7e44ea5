package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/record"
	"sched9/sched"
	"sched9/sched/atomic"
)

// stopping is 1 plus the number of the processor that ends the run.
var stopping atomic.Uint32

// claimEnd makes the caller the processor that ends the run. Any other processor that comes here
// stops for good; the same one may come again (a fault while it reports a fault).
func claimEnd() {
	me := uint32(arch.ID()) + 1
	if !stopping.CompareAndSwap(0, me) && stopping.Load() != me {
		arch.Stop()
	}
}

// Exit ends the run with the given status, after all lines being written have come out. Any
// context.
func Exit(status int) {
	finish(status)
	end(status)
}

// finish leaves the caller as the only processor that does anything, with all output written and the status reported. Any context.
func finish(status int) {
	if sched.Hunting {
		huntAgain(status)
	}
	if on := arch.SaveIRQ(); on != 0 {
		arch.RestoreIRQ(on)
		settle()
		arch.DisableIRQ()
		claimEnd()
	} else {
		claimEnd()
		seize()
	}
	stopOthers()
	report(status, false)
}

// end leaves the machine: by a device that tells the status, or else by turning it off. If neither works, it stops. A machine
// with a screen whose output no host tool reads stays on, or what is on the screen would be lost.
func end(status int) {
	note(record.EvEnd, uint64(status), 0)
	if exitDev != nil {
		exitDev.Exit(status)
	}
	if onScreen() {
		var b [20]byte
		Print("\nsched9: the run has ended with status ", utoa(&b, uint64(status)), "; the machine can be turned off\n")
		account.show()
		arch.Stop()
	}
	arch.PowerOff(uint64(status))
	Print("\nsched9: the machine has no exit device and does not turn off; it stops here\n")
	arch.Stop()
}

// onScreen reports whether a person reads the output on the screen: there is one, and no host tool.
func onScreen() bool { return con.screen != nil && reportDev == nil }

// stopOthers stops all other processors by NMI, each remembering where it
// was, and waits for them for a bounded time. Interrupts are off.
func stopOthers() {
	me := arch.ID()
	for id := 0; id < numCPU; id++ {
		if id != me && cpus[id].online.Load() != 0 && cpus[id].frozen.Load() == 0 {
			sendIPI(id, record.IPINMI)
			arch.SendNMI(id)
		}
	}
	// One limit for all: a virtual processor that a busy host does not run answers late, one that hangs never.
	end := arch.Nanotime() + 1_000_000_000
	for id := 0; id < numCPU; id++ {
		if id == me || cpus[id].online.Load() == 0 {
			continue
		}
		for cpus[id].frozen.Load() == 0 && arch.Nanotime() < end {
			arch.Pause()
		}
	}
}

// Fatal ends the run because the kernel cannot go on, saying why.
func Fatal(why ...string) {
	arch.DisableIRQ()
	claimEnd()
	seize()
	stopOthers()
	account.on = true
	Print("sched9: fatal: ")
	Print(why...)
	Print("\n")
	account.on = false
	report(StatusFault, true)
	end(StatusFault)
}

// report writes the counters and then the exit status to the host tool, a line
// each. fault says that the kernel cannot go on: a program may end with any status.
// The console is seized and other processors are stopped.
func report(status int, fault bool) {
	if reportDev == nil {
		return
	}
	total, used, peak := mem.Frames.Stats()
	Count("frames_total", -1, total)
	Count("frames_used", -1, used)
	Count("frames_peak", -1, peak)
	Count("faults", -1, mem.Served)
	Count("page_tables", -1, arch.Pages().InUse)
	Count("huge_pages", -1, arch.Pages().Huges)
	Count("areas", -1, uint64(mem.Space.Areas()))
	Count("disk_slots", -1, uint64(slotsInUse()))
	Count("shootdowns", -1, counters.Shootdowns.Load())
	Count("preempts", -1, counters.Preempts.Load())
	Count("nanoseconds", -1, uint64(arch.Nanotime()))
	if ppm, ok := arch.ClockError(); ok {
		Count("clock_wrong_ppm", -1, ppm)
	}
	if fault {
		tell("fault\n")
	} else {
		upReport()
	}
	var b [20]byte
	tell("exit ", utoa(&b, uint64(status)), "\n")
}

// Count writes one counter: its total, or that of one processor or M if id is
// not negative. For upReport.
func Count(name string, id int, v uint64) {
	var b, c [20]byte
	if id < 0 {
		tell("counter ", name, " ", utoa(&b, v), "\n")
		return
	}
	tell("counter ", name, ".", utoa(&c, uint64(id)), " ", utoa(&b, v), "\n")
}

// tell writes to the report channel, which is there, and waits until the host has it.
func tell(parts ...string) {
	for _, s := range parts {
		p, n := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(len(s))
		for n > 0 {
			k := reportDev.Write(p, n)
			p, n = p+k, n-k
			arch.Pause()
		}
	}
	for !reportDev.Sent() {
		arch.Pause()
	}
}

// counters are what the kernel counts for the report.
var counters struct {
	Shootdowns atomic.Uint64 // flush requests to other processors
	Preempts   atomic.Uint64 // asynchronous preemptions injected
}

// CountPreempt counts an asynchronous preemption that was injected.
func CountPreempt() { counters.Preempts.Add(1) }
