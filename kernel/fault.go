package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/sched"
)

// trapFault handles an exception: interrupts off, exception stack.
//
// An access to memory that is reserved but has no page yet gets one. Else, if a
// goroutine did it, the language makes a Go panic of it. Everything else is
// the end: state is shown, and the run ends with StatusFault.
func trapFault(f *arch.Frame) {
	c := &cpus[arch.ID()]
	c.faults++
	kind, addr, absent := f.Fault()
	if c.faults > 1 {
		die(f, "a fault while another one was handled")
	}
	if !(kind == arch.FaultPage && absent && serve(addr)) && !upFault(f, kind, addr) {
		die(f, "")
	}
	c.faults--
}

// trapNMI handles an NMI. The processor that ends the run sends it to stop the
// others; otherwise it comes from the host, who wants to see what hangs here.
func trapNMI(f *arch.Frame) {
	record(sched.EvTakeIPI, 0, uint64(sched.IPINMI))
	if stopping.Load() != 0 {
		cpus[arch.ID()].frozen.Store(uintptr(unsafe.Pointer(f)))
		arch.Stop()
	}
	die(f, "NMI from outside") // which may have come to all processors at once
}

// die shows all there is to know and ends the run. Any context.
func die(f *arch.Frame, why string) {
	arch.DisableIRQ()
	again := stopping.Load() == uint32(arch.ID())+1
	// Whoever loses the claim stops in it, and its NMIs may be blocked: leave
	// the winner what it wants to know.
	cpus[arch.ID()].frozen.Store(uintptr(unsafe.Pointer(f)))
	claimEnd()
	if again {
		// A fault in the report itself: say so and leave.
		Print("\nsched9: a fault in the report: ", f.Name(), " at ")
		PrintHex(uint64(f.PC()))
		Print("\n")
		report(StatusFault)
		end(StatusFault)
	}
	record(sched.EvFault, 0, uint64(f.PC())&sched.AuxMask)
	seize()
	stopOthers()
	kind, addr, _ := f.Fault()
	Print("\nsched9: kernel fault on processor ")
	PrintInt(int64(arch.ID()))
	Print(": ", f.Name())
	if kind == arch.FaultPage {
		Print(" at address ")
		PrintHex(uint64(addr))
		if s := guardName(addr); s != "" {
			Print(": overflow of the ", s, " stack")
		}
	}
	if why != "" {
		Print(" (", why, ")")
	}
	Print("\n")
	n := 0
	f.Each(func(name string, v uintptr) {
		Print("  ", name, " ")
		PrintHex(uint64(v))
		if n++; n%4 == 0 {
			Print("\n")
		}
	})
	Print("\n")
	trace(f)
	for id := 0; id < numCPU; id++ {
		if id != arch.ID() && cpus[id].online.Load() != 0 {
			if o := (*arch.Frame)(unsafe.Pointer(cpus[id].frozen.Load())); o != nil {
				Print("processor ")
				PrintInt(int64(id))
				if cpus[id].halted.Load() != 0 {
					Print(", halted")
				}
				Print(":\n")
				trace(o)
			} else {
				Print("processor ")
				PrintInt(int64(id))
				Print(" does not answer\n")
			}
		}
	}
	upDump()
	report(StatusFault)
	end(StatusFault)
}

// trace prints where f stands and who called, by frame pointers, as far as
// they lead.
func trace(f *arch.Frame) {
	where(f.PC())
	fp := f.FP()
	for i := 0; i < 20 && readable(fp) && readable(fp+8); i++ {
		pc := *(*uintptr)(unsafe.Pointer(fp + 8))
		if pc == 0 {
			break
		}
		where(pc - 1)
		next := *(*uintptr)(unsafe.Pointer(fp))
		if next <= fp {
			break
		}
		fp = next
	}
}

// readable reports whether a word at p can be read without a fault.
func readable(p uintptr) bool {
	if p == 0 || p%8 != 0 || p >= userHigh {
		return false
	}
	there, _ := arch.Mapped(p)
	return there
}

// where prints pc with its symbol.
func where(pc uintptr) {
	Print("    ")
	PrintHex(uint64(pc))
	Print(" ")
	if name, file, line := upSymbol(pc); name != "" {
		Print(name, " ", file, ":")
		PrintInt(int64(line))
	}
	Print("\n")
}
