//go:build sched9 && race

package runtime

import (
	"internal/abi"
	nkernel "sched9/kernel"
	nrace "sched9/kernel/race"
	"unsafe"
)

// The race detector (kernel/race) takes the place of the toolchain's race.go and its assembly, which the cut list drops: those call
// ThreadSanitizer, a C++ library for Linux. These are the functions that the compiler's instrumentation calls, and those that the runtime
// and internal/race call under raceenabled. docs/race.md tells the whole.
//
// A function begins on the goroutine's stack, without a stack check, as there may be no room and the code that it is called from may not
// grow the stack. It looks whether there is anything to do, and goes to the system stack for that. Nothing is preempted in package
// runtime, so on one processor Known and what follows it are one step. With several Known says why it needs no lock.

const raceenabled = true

// sched9Race is the detector, and sched9RaceLock its lock. Interrupts are off while it is held. It may fault in a page of the
// detector's memory, which is reserved and not there yet; no other lock is taken within, and nothing that an interrupt does asks for it.
var (
	sched9Race     nrace.Detector
	sched9RaceLock nkernel.Spin
)

// sched9RaceFatal ends the run: the detector can go on no longer. On the system stack, with the lock.
func sched9RaceFatal(why string) {
	print("sched9: ", why, "\n")
	throw("race detector")
}

// raceinit is called first of all, on g0, and returns g0's context and that of the first P, which only must not be 0.
//
// The detector gets as much address space as is half of the memory, and more for the directory of the heap's pages, of which few are ever
// touched. The heap has its addresses in order from its first arena on, and uses those that it has before it takes others.
func raceinit() (gctx, pctx uintptr) {
	lockInit(&raceFiniLock, lockRankRaceFini)
	most := sched9RaceHeap()
	size := uintptr(nkernel.Memory())/2 + most/512
	mem := sysAlloc(size, &memstats.other_sys, "race detector")
	if mem == nil {
		throw("no address space for the race detector")
	}
	sched9Race.Fatal = sched9RaceFatal
	sched9Race.Init(uintptr(mem), size)
	m := &firstmoduledata
	start := min(m.noptrdata, m.data, m.noptrbss, m.bss)
	end := max(m.enoptrdata, m.edata, m.enoptrbss, m.ebss)
	sched9Race.Watch(0, start, end, end-start)
	return sched9Race.Go(0, 0), 1
}

// sched9RaceHeap is how much address space of the heap is watched, in bytes.
func sched9RaceHeap() uintptr { return 16*uintptr(nkernel.Memory()) + 4<<30 }

// racemapshadow tells of a new arena of the heap.
//
//go:nosplit
func racemapshadow(addr unsafe.Pointer, size uintptr) {
	systemstack(func() {
		on := sched9RaceLock.Lock()
		sched9Race.Watch(1, uintptr(addr), uintptr(addr)+size, sched9RaceHeap())
		sched9RaceLock.Unlock(on)
	})
}

// sched9RaceSees reports whether an access by gp, which runs, may concern others. On a system stack it is the runtime's. A goroutine's own
// stack is nobody else's: what others may see the compiler puts into the heap.
//
//go:nosplit
func sched9RaceSees(gp *g, addr uintptr) bool {
	return gp == gp.m.curg && gp.racectx != 0 && (addr < gp.stack.lo || gp.stack.hi <= addr)
}

// sched9RaceNote notes an access of the goroutine that has gone to the system stack, and reports a race. systemstack has saved its frame
// pointer, from which its callers are found.
func sched9RaceNote(addr, size uintptr, kind nrace.Kind) {
	gp := getg().m.curg
	on := sched9RaceLock.Lock()
	r, found := sched9RaceNoteLocked(gp, addr, size, kind)
	sched9RaceLock.Unlock(on)
	if found {
		sched9RaceReport(&r)
	}
}

// sched9RaceNoteLocked is sched9RaceNote without its report. The lock is held.
func sched9RaceNoteLocked(gp *g, addr, size uintptr, kind nrace.Kind) (r nrace.Race, found bool) {
	var callers [nrace.MaxStack]uintptr
	stack := sched9Race.Stack(callers[:sched9RaceCallers(gp, gp.sched.bp, &callers)])
	sched9Race.Name(gp.racectx, gp.goid)
	return sched9Race.Access(gp.racectx, addr, size, kind, stack)
}

// sched9RaceCallers fills callers with return addresses of gp from the frame fp on, and returns how many they are. The frame pointers
// are a chain that the compiler keeps; one that does not lead outwards in the stack ends it.
func sched9RaceCallers(gp *g, fp uintptr, callers *[nrace.MaxStack]uintptr) (n int) {
	for last := gp.stack.lo; n < len(callers) && fp > last && fp < gp.stack.hi-16; n++ {
		callers[n] = *(*uintptr)(unsafe.Pointer(fp + 8))
		last, fp = fp, *(*uintptr)(unsafe.Pointer(fp))
	}
	return n
}

// What the compiler's instrumentation calls. It tells no size of a scalar, and its first byte stands for it. The callers of a function
// are found by frame pointers, so there is nothing to do when one is entered or left.
//
// The stack is short: reflect has a function that leaves 136 bytes of arm64's for these, without a stack check.

//go:nosplit
func raceread(addr uintptr) {
	if gp := getg(); sched9RaceSees(gp, addr) && !sched9Race.Known(gp.racectx, addr, 1, false) {
		systemstack(func() { sched9RaceNote(addr, 1, nrace.Read) })
	}
}

//go:nosplit
func racewrite(addr uintptr) {
	if gp := getg(); sched9RaceSees(gp, addr) && !sched9Race.Known(gp.racectx, addr, 1, true) {
		systemstack(func() { sched9RaceNote(addr, 1, nrace.Write) })
	}
}

//go:nosplit
func racereadrange(addr, size uintptr) {
	if gp := getg(); sched9RaceSees(gp, addr) && !sched9Race.Known(gp.racectx, addr, size, false) {
		systemstack(func() { sched9RaceNote(addr, size, nrace.Read) })
	}
}

//go:nosplit
func racewriterange(addr, size uintptr) {
	if gp := getg(); sched9RaceSees(gp, addr) && !sched9Race.Known(gp.racectx, addr, size, true) {
		systemstack(func() { sched9RaceNote(addr, size, nrace.Write) })
	}
}

//go:nosplit
func racefuncenter(callpc uintptr) {}

//go:nosplit
func racefuncexit() {}

// What the runtime calls for accesses that it makes itself. The program counters that it passes are those that the frame pointers lead to.

//go:nosplit
func racereadpc(addr unsafe.Pointer, callpc, pc uintptr) { raceread(uintptr(addr)) }

//go:nosplit
func racewritepc(addr unsafe.Pointer, callpc, pc uintptr) { racewrite(uintptr(addr)) }

//go:nosplit
func racereadrangepc(addr unsafe.Pointer, sz, callpc, pc uintptr) { racereadrange(uintptr(addr), sz) }

//go:nosplit
func racewriterangepc(addr unsafe.Pointer, sz, callpc, pc uintptr) { racewriterange(uintptr(addr), sz) }

// raceReadObjectPC and raceWriteObjectPC tell that an object of type t at addr is read or written whole.
func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	racereadrange(uintptr(addr), sched9RaceSize(t))
}

// raceWriteObjectPC: see raceReadObjectPC.
func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	racewriterange(uintptr(addr), sched9RaceSize(t))
}

// sched9RaceSize is how many bytes of an object stand for all: of one with parts, which are accessed one by one, all of them.
func sched9RaceSize(t *_type) uintptr {
	if k := t.Kind(); k == abi.Array || k == abi.Struct {
		return t.Size_
	}
	return 1
}

// racemalloc: the memory is a new object, or a stack. What was there before is nothing that it could race with. The object is known to
// nobody else yet, so that it has no page now means that there is nothing to forget.
//
//go:nosplit
func racemalloc(p unsafe.Pointer, sz uintptr) {
	addr := uintptr(p)
	if addr/4096 == (addr+sz-1)/4096 && !sched9Race.Touched(addr) {
		return
	}
	systemstack(func() {
		on := sched9RaceLock.Lock()
		sched9Race.New(addr, sz)
		sched9RaceLock.Unlock(on)
	})
}

// racefree has nothing to do: racemalloc comes before the memory is used again.
//
//go:nosplit
func racefree(p unsafe.Pointer, sz uintptr) {}

// racegostart is called for a new goroutine, on g0 of the M that makes it, and on behalf of the M's goroutine if it has one. That is in
// systemstack, which has saved its frame pointer.
//
//go:nosplit
func racegostart(pc uintptr) uintptr {
	parent := getg()
	if parent.m.curg != nil {
		parent = parent.m.curg
	}
	return sched9RaceStart(parent, pc, parent.racectx)
}

// racectxstart is called for a context that is no goroutine.
//
//go:nosplit
func racectxstart(pc, spawnctx uintptr) uintptr { return sched9RaceStart(nil, pc, spawnctx) }

// sched9RaceStart begins a context, which gp makes if it is not nil.
//
//go:nosplit
func sched9RaceStart(gp *g, pc, parent uintptr) (ctx uintptr) {
	systemstack(func() {
		var callers [nrace.MaxStack]uintptr
		callers[0] = pc
		n := 1
		if gp != nil && gp != gp.m.g0 && gp.sched.bp != 0 {
			n = max(n, sched9RaceCallers(gp, gp.sched.bp, &callers))
		}
		on := sched9RaceLock.Lock()
		ctx = sched9Race.Go(parent, sched9Race.Stack(callers[:n]))
		sched9RaceLock.Unlock(on)
	})
	return ctx
}

//go:nosplit
func racegoend() { racectxend(getg().racectx) }

//go:nosplit
func racectxend(racectx uintptr) {
	systemstack(func() {
		on := sched9RaceLock.Lock()
		sched9Race.End(racectx)
		sched9RaceLock.Unlock(on)
	})
}

// A P has no context: the detector keeps nothing for one.

func raceproccreate() uintptr { return 1 }

func raceprocdestroy(ctx uintptr) {}

// sched9RaceEdge is an operation that orders.
type sched9RaceEdge int

const (
	sched9RaceAcquire sched9RaceEdge = iota
	sched9RaceRelease
	sched9RaceMerge
	sched9RaceExchange
)

// sched9RaceSync does an operation at addr for a context. A goroutine that has disabled synchronisation does none: what is in between
// is told in another way.
//
//go:nosplit
func sched9RaceSync(ctx uintptr, addr unsafe.Pointer, op sched9RaceEdge) {
	if ctx == 0 || !sched9Race.Watched(uintptr(addr)) {
		return
	}
	systemstack(func() {
		on := sched9RaceLock.Lock()
		sched9RaceOrder(ctx, uintptr(addr), op)
		sched9RaceLock.Unlock(on)
	})
}

// sched9RaceOrder is sched9RaceSync with the lock.
func sched9RaceOrder(ctx, addr uintptr, op sched9RaceEdge) {
	switch op {
	case sched9RaceAcquire:
		sched9Race.Acquire(ctx, addr)
	case sched9RaceExchange:
		sched9Race.Exchange(ctx, addr)
	default:
		sched9Race.Release(ctx, addr, op == sched9RaceMerge)
	}
}

// sched9RaceSyncG is sched9RaceSync on behalf of gp, by the goroutine that runs.
//
//go:nosplit
func sched9RaceSyncG(gp *g, addr unsafe.Pointer, op sched9RaceEdge) {
	if getg().raceignore == 0 {
		sched9RaceSync(gp.racectx, addr, op)
	}
}

//go:nosplit
func raceacquire(addr unsafe.Pointer) { sched9RaceSyncG(getg(), addr, sched9RaceAcquire) }

//go:nosplit
func raceacquireg(gp *g, addr unsafe.Pointer) { sched9RaceSyncG(gp, addr, sched9RaceAcquire) }

//go:nosplit
func raceacquirectx(ctx uintptr, addr unsafe.Pointer) { sched9RaceSync(ctx, addr, sched9RaceAcquire) }

//go:nosplit
func racerelease(addr unsafe.Pointer) { sched9RaceSyncG(getg(), addr, sched9RaceRelease) }

//go:nosplit
func racereleaseg(gp *g, addr unsafe.Pointer) { sched9RaceSyncG(gp, addr, sched9RaceRelease) }

//go:nosplit
func racereleaseacquire(addr unsafe.Pointer) { sched9RaceSyncG(getg(), addr, sched9RaceExchange) }

//go:nosplit
func racereleaseacquireg(gp *g, addr unsafe.Pointer) { sched9RaceSyncG(gp, addr, sched9RaceExchange) }

//go:nosplit
func racereleasemerge(addr unsafe.Pointer) { sched9RaceSyncG(getg(), addr, sched9RaceMerge) }

//go:nosplit
func racereleasemergeg(gp *g, addr unsafe.Pointer) { sched9RaceSyncG(gp, addr, sched9RaceMerge) }

// racefingo is called by the goroutine of finalizers before it runs some: nobody can reach their objects any more.
//
//go:nosplit
func racefingo() {
	ctx := getg().racectx
	systemstack(func() {
		on := sched9RaceLock.Lock()
		sched9Race.AcquireAll(ctx)
		sched9RaceLock.Unlock(on)
	})
}

// The detector's functions for programs, and for the packages of the library by internal/race.

// RaceRead notes a read of addr.
//
//go:nosplit
func RaceRead(addr unsafe.Pointer) { raceread(uintptr(addr)) }

// RaceWrite notes a write of addr.
//
//go:nosplit
func RaceWrite(addr unsafe.Pointer) { racewrite(uintptr(addr)) }

// RaceReadRange notes a read of len bytes.
//
//go:nosplit
func RaceReadRange(addr unsafe.Pointer, len int) {
	racereadrange(uintptr(addr), uintptr(len))
}

// RaceWriteRange notes a write of len bytes.
//
//go:nosplit
func RaceWriteRange(addr unsafe.Pointer, len int) {
	racewriterange(uintptr(addr), uintptr(len))
}

// RaceErrors is the number of races reported.
func RaceErrors() int { return int(sched9Race.Races) }

// RaceAcquire orders what was released at addr before what the goroutine does from now on.
//
//go:nosplit
func RaceAcquire(addr unsafe.Pointer) { raceacquire(addr) }

// RaceRelease orders what the goroutine has done before an acquire of addr that follows.
//
//go:nosplit
func RaceRelease(addr unsafe.Pointer) { racerelease(addr) }

// RaceReleaseMerge is RaceRelease, and what was released before remains.
//
//go:nosplit
func RaceReleaseMerge(addr unsafe.Pointer) { racereleasemerge(addr) }

// RaceDisable makes nothing of the goroutine's synchronisation until RaceEnable. They can be nested.
//
//go:nosplit
func RaceDisable() { getg().raceignore++ }

// RaceEnable ends RaceDisable.
//
//go:nosplit
func RaceEnable() { getg().raceignore-- }

//go:linkname race_Read internal/race.Read
//go:nosplit
func race_Read(addr unsafe.Pointer) { raceread(uintptr(addr)) }

//go:linkname race_Write internal/race.Write
//go:nosplit
func race_Write(addr unsafe.Pointer) { racewrite(uintptr(addr)) }

//go:linkname race_ReadRange internal/race.ReadRange
//go:nosplit
func race_ReadRange(addr unsafe.Pointer, len int) {
	racereadrange(uintptr(addr), uintptr(len))
}

//go:linkname race_WriteRange internal/race.WriteRange
//go:nosplit
func race_WriteRange(addr unsafe.Pointer, len int) {
	racewriterange(uintptr(addr), uintptr(len))
}

//go:linkname race_ReadPC internal/race.ReadPC
func race_ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {
	raceread(uintptr(addr))
}

//go:linkname race_WritePC internal/race.WritePC
func race_WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {
	racewrite(uintptr(addr))
}

//go:linkname race_ReadObjectPC internal/race.ReadObjectPC
func race_ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	racereadrange(uintptr(addr), sched9RaceSize(t))
}

//go:linkname race_WriteObjectPC internal/race.WriteObjectPC
func race_WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	racewriterange(uintptr(addr), sched9RaceSize(t))
}

//go:linkname race_Errors internal/race.Errors
func race_Errors() int { return RaceErrors() }

//go:linkname race_Acquire internal/race.Acquire
//go:nosplit
func race_Acquire(addr unsafe.Pointer) { raceacquire(addr) }

//go:linkname race_Release internal/race.Release
//go:nosplit
func race_Release(addr unsafe.Pointer) { racerelease(addr) }

//go:linkname race_ReleaseMerge internal/race.ReleaseMerge
//go:nosplit
func race_ReleaseMerge(addr unsafe.Pointer) { racereleasemerge(addr) }

//go:linkname race_Disable internal/race.Disable
//go:nosplit
func race_Disable() { RaceDisable() }

//go:linkname race_Enable internal/race.Enable
//go:nosplit
func race_Enable() { RaceEnable() }
