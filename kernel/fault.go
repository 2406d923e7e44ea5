package kernel

import (
	"math/bits"
	"unsafe"

	"sched9/arch"
	"sched9/kernel/vm"
	"sched9/record"
)

// trapFault handles an exception: interrupts off, exception stack.
//
// An access to memory that is reserved but has no page yet gets one. Otherwise, if a leaf was
// accessing the program's memory, its access fails (user.go); if a goroutine did it, the runtime
// makes a Go panic of it. Everything else ends the run: state is shown, and the status is
// StatusFault.
//
// The code that makes the panic reads the goroutine's g and writes to its stack, either of which
// may be absent. So one more exception may come from in here. It is only served: serving touches
// nothing that can be absent.
func trapFault(f *arch.Frame) {
	c := &cpus[arch.ID()]
	c.faults++
	kind, addr, access := f.Fault()
	out := vm.Refused
	if c.faults <= 2 && kind == arch.FaultPage && access != arch.Fetch {
		out = serve(f, addr, access == arch.Store)
	}
	switch {
	case out == vm.Done:
	case c.faults > 1:
		die(f, "a fault while another one was handled")
	case kind == arch.FaultPage && inProgram(addr, 1) && f.Mend():
	case upFault(f, kind, addr, out == vm.Beyond):
	default:
		die(f, "")
	}
	c.faults--
}

// trapNMI handles an NMI. The processor that ends the run sends it to stop the others; otherwise it
// comes from the host, whose user wants to see what hangs.
func trapNMI(f *arch.Frame) {
	note(record.EvTakeIPI, 0, uint64(record.IPINMI))
	if stopping.Load() != 0 {
		cpus[arch.ID()].frozen.Store(uintptr(unsafe.Pointer(f)))
		arch.Stop()
	}
	look(f) // it may have come to all processors at once
}

// look shows what everything does, on the host's request, and ends the run. Any context. The
// goroutines come last: they matter most when a program hangs.
func look(f *arch.Frame) {
	standstill(f)
	Print("\nsched9: what every processor and goroutine does, for which the host asks:\n")
	for id := 0; id < numCPU; id++ {
		showCPU(id, true)
	}
	upDump()
	report(StatusFault, true)
	end(StatusFault)
}

// die shows all there is to know of a fault and ends the run. Any context.
func die(f *arch.Frame, why string) {
	standstill(f)
	note(record.EvFault, 0, uint64(f.PC())&record.AuxMask)
	account.on = true
	nameFault(f, why)
	account.on = false
	registers(f)
	account.on = true
	traceLevels(arch.ID(), f, false)
	account.on = false
	for id := 0; id < numCPU; id++ {
		if id != arch.ID() {
			showCPU(id, false)
		}
	}
	upDump()
	if onScreen() { // what was first has left it
		traceLevels(arch.ID(), f, false)
		nameFault(f, why)
	}
	report(StatusFault, true)
	end(StatusFault)
}

// nameFault says what fault it is, and where. Like die.
func nameFault(f *arch.Frame, why string) {
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
}

// standstill makes the caller, trapped in f, the processor that ends the run, takes the console and
// stops all other processors. If the caller is that one already, the report itself ran into a trap:
// it says so, and ends the run there.
func standstill(f *arch.Frame) {
	arch.DisableIRQ()
	again := stopping.Load() == uint32(arch.ID())+1
	// A processor that loses the claim stops inside it, perhaps with NMIs blocked: first leave the
	// winner what it needs.
	if !again {
		cpus[arch.ID()].frozen.Store(uintptr(unsafe.Pointer(f)))
	}
	claimEnd()
	if again {
		con.failing = true
		Print("\nsched9: a fault in the report: ", f.Name(), " at ")
		PrintHex(uint64(f.PC()))
		Print("\n")
		report(StatusFault, true)
		end(StatusFault)
	}
	seize()
	stopOthers()
}

// Frozen returns the registers of processor id as it was stopped, nil if it was not. When
// the run ends.
func Frozen(id int) *arch.Frame {
	return (*arch.Frame)(unsafe.Pointer(cpus[id].frozen.Load()))
}

// ClockOf makes the clock's nanoseconds of a value of the processor's counter.
func ClockOf(stamp uint64) int64 {
	base, _ := arch.ClockScale()
	return SpanOf(stamp-base) + 1
}

// SpanOf makes nanoseconds of a number of counts of the processor's counter.
func SpanOf(counts uint64) int64 {
	_, mult := arch.ClockScale()
	hi, lo := bits.Mul64(counts, mult)
	return int64(hi<<32 | lo>>32)
}

// showCPU shows where processor id, if it runs, was stopped. With asked it also shows the
// registers, except of a halted processor, of which it then only shows where it waits for a lock:
// that keeps what it holds, and may be why the program hangs. The others are idle.
func showCPU(id int, asked bool) {
	if cpus[id].online.Load() == 0 {
		return
	}
	Print("processor ")
	PrintInt(int64(id))
	f := Frozen(id)
	switch {
	case f == nil:
		Print(" does not answer\n")
		return
	case cpus[id].halted.Load() == 0:
		Print(":\n")
		if asked {
			registers(f)
		}
	case asked && cpus[id].waits.Load() == 0:
		Print(", halted\n")
		return
	default:
		Print(", halted:\n")
	}
	traceLevels(id, f, asked)
}

// registers prints all of f.
func registers(f *arch.Frame) {
	n := 0
	f.Each(func(name string, v uintptr) {
		Print("  ", name, " ")
		PrintHex(uint64(v))
		if n++; n%4 == 0 {
			Print("\n")
		}
	})
	if n%4 != 0 {
		Print("\n")
	}
}

// Levels calls fn with f, the registers that processor id was stopped at or that it handles, and then with those that each
// handler has interrupted, as long as fn returns true.
func Levels(id int, f *arch.Frame, fn func(*arch.Frame) bool) {
	const most = 4 // an exception in the handler of one, in that of an interrupt; more only if memory is garbage
	for n := 0; f != nil && n < most && fn(f); n++ {
		f = interrupted(id, f)
	}
}

// traceLevels is trace for each of f's Levels.
func traceLevels(id int, f *arch.Frame, brief bool) {
	Levels(id, f, func(f *arch.Frame) bool {
		trace(f.PC(), f.FP(), brief)
		return true
	})
}

// trace prints the place pc with frame pointer fp, and its callers, as far as frame pointers lead. With brief not
// those of runtime.systemstack, which has noted its goroutine's place: the goroutine's own stack shows them.
func trace(pc, fp uintptr, brief bool) {
	in := where(pc)
	for i := 0; i < 20 && !(brief && in == "runtime.systemstack") && readable(fp) && readable(fp+8); i++ {
		pc := *(*uintptr)(unsafe.Pointer(fp + 8))
		if pc == 0 {
			break
		}
		in = where(pc - 1)
		next := *(*uintptr)(unsafe.Pointer(fp))
		if next <= fp {
			break
		}
		fp = next
	}
}

// readable reports whether a word at p can be read without a fault.
func readable(p uintptr) bool {
	return p != 0 && p%8 == 0 && p < userHigh && arch.Pages().Look(p).Present
}

// where prints pc with its symbols: a line for each call that the compiler has put into the function, the innermost
// first, and one for the function, of which it returns the name.
func where(pc uintptr) (name string) {
	for call, more := 0, true; more && call < mostInlined; call++ {
		var file string
		var line int32
		name, file, line, more = upSymbol(pc, call)
		Print("    ")
		PrintHex(uint64(pc))
		Print(" ")
		if name != "" {
			Print(name, " ", file, ":")
			PrintInt(int64(line))
		}
		Print("\n")
	}
	return name
}

// mostInlined bounds how many lines where prints, whatever the tables hold.
const mostInlined = 32
