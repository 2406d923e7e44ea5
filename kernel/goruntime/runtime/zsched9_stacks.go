//go:build sched9

package runtime

import (
	narch "sched9/arch"
	nkernel "sched9/kernel"
	"unsafe"
)

// The goroutines in a dump [V4]. Each of the program's own goroutines is shown with its stack, as
// the runtime's traceback prints it, its wait reason and for how long it has waited; each of the
// runtime's own has a line. The world is not stopped for it: the other processors have been stopped
// by force, wherever they were, and one of them may hold any lock.

// sched9MaxStacks is how many goroutines a dump shows: a program that has a hundred
// thousand has few different ones.
const sched9MaxStacks = 500

// sched9Text takes the runtime's output about one goroutine. A traceback is cut after 100 frames,
// so this is large enough; any excess is left out.
var sched9Text [32 << 10]byte

// sched9Stacks prints every goroutine. All other processors are stopped. It runs on the empty
// g, without a P: no write barriers, no locks, no allocation.
//
// The runtime's print takes a lock, whose owner may have been stopped; print believes that the
// sched9NoM holds it already. Print writes into its g's buffer if there is one. The buffer is
// stored as plain words, because a write barrier needs a P.
func sched9Stacks() {
	gp := getg()
	gp.m.printlock = 1
	*(*[3]uintptr)(unsafe.Pointer(&gp.writebuf)) = [3]uintptr{uintptr(unsafe.Pointer(&sched9Text)), 0, unsafe.Sizeof(sched9Text)}
	level, _, _ := gotraceback()
	shown, more := 0, int64(0)
	sched9EachG(func(gp *g, status uint32) {
		if level < 2 && isSystemGoroutine(gp, false) {
			return
		}
		if shown == sched9MaxStacks {
			more++
			return
		}
		shown++
		print("\n")
		sched9Header(gp, status)
		print("\n")
		if status == _Grunning {
			sched9Struck(gp)
		} else {
			traceback(^uintptr(0), ^uintptr(0), 0, gp)
		}
		sched9FlushText()
	})
	if more > 0 {
		print("\nand ", more, " more goroutines\n")
	}
	print("\n")
	sched9EachG(func(gp *g, status uint32) {
		if level < 2 && isSystemGoroutine(gp, false) {
			sched9Header(gp, status)
			print(" ")
			printFuncName(funcname(findfunc(gp.startpc)))
			print("\n")
			sched9FlushText()
		}
	})
	sched9FlushText()
}

// sched9EachG calls fn for each goroutine that there is.
func sched9EachG(fn func(gp *g, status uint32)) {
	forEachGRace(func(gp *g) {
		switch status := readgstatus(gp) &^ _Gscan; status {
		case _Gidle, _Gdead, _Gdeadextra:
		default:
			fn(gp, status)
		}
	})
}

// sched9FlushText sends the buffered text to the console.
func sched9FlushText() {
	gp := getg()
	nkernel.Print(unsafe.String(&sched9Text[0], len(gp.writebuf)))
	gp.writebuf = gp.writebuf[:0]
}

// sched9Header prints the line that a goroutine's traceback begins with, up to its colon.
func sched9Header(gp *g, status uint32) {
	print("goroutine ", gp.goid, " [")
	switch {
	case status >= uint32(len(gStatusStrings)):
		print("???")
	case (status == _Gwaiting || status == _Gleaked) && gp.waitreason != waitReasonZero:
		print(gp.waitreason.String())
	default:
		print(gStatusStrings[status])
	}
	// Coroutines, and those who suspend others, wait by other ways than gopark.
	if status == _Gwaiting && gp.waitsince != 0 && gp.waitreason != waitReasonCoroutine && !gp.waitreason.isWaitingForSuspendG() {
		print(", ")
		sched9PrintTime(nanotime() - sched9WaitsSince(gp))
	}
	if gp.m != nil && gp.m.nsched != nil {
		print(", processor ", gp.m.nsched.ID)
	}
	if gp.lockedm != 0 {
		print(", locked to thread")
	}
	if gp.bubble != nil {
		print(", synctest bubble ", gp.bubble.id)
	}
	print("]:")
}

// sched9WaitsSince is the time since which gp waits, 0 if it does not. park_m sets waitsince, to the processor's counter, and
// execute clears it.
func sched9WaitsSince(gp *g) int64 {
	if gp.waitsince == 0 {
		return 0
	}
	return nkernel.ClockOf(uint64(gp.waitsince))
}

// sched9PrintTime prints a number of nanoseconds for people.
func sched9PrintTime(ns int64) {
	switch {
	case ns < 1e6:
		print(ns/1e3, "us")
	case ns < 1e9:
		print(ns/1e6, "ms")
	default:
		tenths := ns / 1e8
		print(tenths/10, ".", tenths%10, "s")
	}
}

// sched9Struck prints the stack of a goroutine that ran when its processor was stopped. The processor may have been in
// the goroutine's code, or in a handler of an interrupt or a fault there; or on a scheduler stack, for which the
// goroutine's place was saved; or in a leaf that was called without telling the scheduler, which saves nothing.
func sched9Struck(gp *g) {
	if gp.m != nil && gp.m.nsched != nil {
		id := int(gp.m.nsched.ID)
		found := false
		nkernel.Levels(id, nkernel.Frozen(id), func(f *narch.Frame) bool {
			if sp := f.SP(); gp.stack.lo <= sp && sp < gp.stack.hi {
				tracebacktrap(f.PC(), sp, f.LR(), gp)
				found = true
			}
			return !found
		})
		if found {
			return
		}
	}
	if gp.sched.sp != 0 { // cleared on the way back to it: gogo, sched9FromCall
		traceback(^uintptr(0), ^uintptr(0), 0, gp)
		return
	}
	print("\tin the kernel on the program's behalf: see its processor\n")
	printcreatedby(gp)
}
