package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/arch/paging"
	"sched9/kernel/frame"
	"sched9/kernel/vm"
	"sched9/sched"
)

// mem.lock guards all of mem, and the page tables.
var mem struct {
	lock Spin
	vm.VM
}

// A program's addresses: from mmapBase on unless it asks for others, and anything below userHigh.
const (
	mmapBase = 0x7000_0000_0000
	userHigh = 0x7fff_0000_0000
)

// checkFixed ends the run if a fixed address of ours is not RAM in the loader's map: it then
// belongs to the firmware, a device, or nothing. The loader has put the image there all the same;
// the kernel writes nothing more there.
func checkFixed() {
	arch.Fixed(func(start, end uint64, what string) {
		for at := start; at < end; {
			next := at
			arch.RAM(func(s, e uint64) {
				if s <= at && at < e {
					next = e
				}
			})
			if next == at {
				var b [20]byte
				Fatal("the loader's map has no RAM at ", utoa(&b, at>>10), " KiB, where there is ", what)
			}
			at = next
		}
	})
}

// initMemory gives all RAM that is not in use to the frame allocator.
func initMemory() {
	var end, sum uint64
	arch.RAM(func(s, e uint64) {
		sum += e - s
		if e > end {
			end = e
		}
	})
	imageStart, imageEnd := arch.Image()
	moduleStart, moduleEnd := arch.Module()
	tables := frame.Need(end, uint64(unsafe.Sizeof(frame.Table{})))
	tables = (tables + arch.PageSize - 1) &^ (arch.PageSize - 1)
	rings := sizeRings(sum)
	if need := imageEnd - imageStart + moduleEnd - moduleStart + tables + rings + frame.Least; sum < need {
		var a, b [20]byte
		Fatal("not enough memory: this machine has ", utoa(&a, sum>>10), " KiB, image and files need ",
			utoa(&b, need>>10), " KiB")
	}

	// The tables, and the recorder's rings behind them, lie at the start of
	// the first free range that holds them and that the first page tables reach.
	var at uint64
	freeRAM(func(s, e uint64) {
		if at == 0 && e-s >= tables+rings && s+tables+rings <= arch.EarlyRAM {
			at = s
		}
	})
	if at == 0 {
		Fatal("no memory is free for the kernel's tables")
	}
	arch.Zero(arch.Phys(at), uintptr(tables))
	if sched.Hunting {
		hunt.tables, hunt.behind = arch.Phys(at), arch.Phys(at+tables)
	}
	initRecorders(at + tables)
	mem.Low, mem.High, mem.Base = arch.UserLow, userHigh, mmapBase // the image lies below
	mem.HugeFrom = 32 << 20 / frame.Size
	mem.Pages = arch.Pages()
	mem.Zero, mem.Flush, mem.FlushOwn, mem.Fatal = arch.Zero, flushAll, arch.FlushTLB, fatal
	n := (end + frame.Block - 1) / frame.Block
	mem.Frames.Init(unsafe.Slice((*frame.Table)(unsafe.Pointer(arch.Phys(at))), n))
	freeRAM(func(s, e uint64) {
		if s == at {
			s = at + tables + rings
		}
		// What the first page tables do not reach comes next.
		if sched.Hunting {
			e = huntReserve(s, e)
		}
		if s < e && s < arch.EarlyRAM {
			mem.Frames.Add(s, min(e, arch.EarlyRAM))
		}
	})
	if !arch.MapRAM(end) {
		Fatal("no memory for the page tables of RAM above 4 GiB")
	}
	freeRAM(func(s, e uint64) {
		if s = max(s, arch.EarlyRAM); s < e {
			mem.Frames.Add(s, e)
		}
	})
	mem.Open(stackArea, stackArea+arch.MaxCPU*stackStride)
}

// freeRAM calls fn with each range of RAM that holds nothing: neither the image nor the loader's module, which
// stays where it is, because files of the tree are read in it. A range begins with a page. Boot.
func freeRAM(fn func(start, end uint64)) {
	var used [2]struct{ from, to uint64 }
	used[0].from, used[0].to = arch.Image()
	used[1].from, used[1].to = arch.Module()
	if arch.KeepLow {
		used[0].from = 0
	}
	if used[1].from < used[0].from {
		used[0], used[1] = used[1], used[0]
	}
	arch.RAM(func(s, e uint64) {
		for _, u := range used {
			if u.from < e && s < u.to {
				if s < u.from {
					fn(s, u.from)
				}
				s = (u.to + arch.PageSize - 1) &^ (arch.PageSize - 1)
			}
		}
		if s < e {
			fn(s, e)
		}
	})
}

// fatal is Fatal with one reason.
func fatal(why string) { Fatal(why) }

// allocTable is mem.Table, and freeFrame mem.Free: for the architecture.
func allocTable() uint64 { return mem.Table() }

// freeFrame: see allocTable.
func freeFrame(pa uint64, size uintptr) { mem.Free(pa, size) }

// mapStack maps n bytes at va for a stack. Boot, or bring-up of a processor.
func mapStack(va, n uintptr) {
	on := mem.lock.Lock()
	ok := mem.Commit(va, n)
	mem.lock.Unlock(on)
	if !ok {
		outOfMemory(n, nil)
	}
}

// outOfMemory ends the run: asked bytes were wanted and there is no frame. f is where it was, if
// it was an access, and then mem.lock is not held: the goroutine's stack may be absent.
func outOfMemory(asked uintptr, f *arch.Frame) {
	total, used, _ := mem.Frames.Stats()
	var a, b, c, d [20]byte
	arch.DisableIRQ()
	claimEnd()
	seize()
	stopOthers()
	Print("fatal error: out of memory: asked for ", utoa(&a, uint64(asked)), " bytes, used ",
		utoa(&b, used*frame.Size>>10), " KiB of ", utoa(&c, total*frame.Size>>10),
		" KiB (sched9 run -mem SIZE gives the machine more)\n")
	if f != nil {
		if goid, pc, fp := upWhose(f); goid != 0 {
			Print("\ngoroutine ", utoa(&d, goid), " [running]:\n")
			trace(pc, fp, false)
		}
	}
	report(StatusMemory, false)
	end(StatusMemory)
}

// Errors of the calls below, by Linux's numbers, which the runtime knows.
const (
	eBADF     = 9
	eNOMEM    = 12
	eACCES    = 13
	eFAULT    = 14
	eNODEV    = 19
	eINVAL    = 22
	eNOENT    = 2
	eNOTTY    = 25
	eNOSYS    = 38
	eTIMEDOUT = 110
)

// Linux's flags for mmap, mprotect and madvise.
const (
	protRead     = 1
	protWrite    = 2
	protExec     = 4
	mapFixed     = 0x10
	mapAnonymous = 0x20
	dontNeed     = 4
	freeAdvice   = 8
)

// protOf is the access that Linux's flags ask for; what can be written can be read.
func protOf(flags uintptr) paging.Prot {
	switch {
	case flags&protWrite != 0:
		return paging.Write
	case flags&protRead != 0:
		return paging.Read
	}
	return paging.None
}

// The memory calls; package vm has their meaning. Data is never executable. Files can be mapped where Rest was called (maps.go).

// mmap: addr, length, access, flags.
func mmap(x args) uintptr {
	switch {
	case x.d&mapAnonymous == 0:
		return fail(eNODEV)
	case x.c&protExec != 0:
		return fail(eACCES)
	}
	on := mem.lock.Lock()
	p, errno := mem.Map(x.a, x.b, protOf(x.c), x.d&mapFixed != 0, 0)
	mem.lock.Unlock(on)
	if errno != 0 {
		return fail(errno)
	}
	return p
}

// munmap: address, length.
func munmap(x args) uintptr {
	on := mem.lock.Lock()
	errno := mem.Unmap(x.a, x.b)
	mem.lock.Unlock(on)
	return fail(errno)
}

// mprotect: address, length, access.
func mprotect(x args) uintptr {
	if x.c&protExec != 0 {
		return fail(eACCES)
	}
	on := mem.lock.Lock()
	errno := mem.Protect(x.a, x.b, protOf(x.c))
	mem.lock.Unlock(on)
	return fail(errno)
}

// madvise acts on "don't need" and "free": the frames go back, and the next
// access finds zeros. All else is advice.
func madvise(x args) uintptr {
	if x.c != dontNeed && x.c != freeAdvice {
		return 0
	}
	on := mem.lock.Lock()
	errno := mem.Discard(x.a, x.b)
	mem.lock.Unlock(on)
	return fail(errno)
}

// mincore: address, length, and where to store a byte for each page.
func mincore(x args) uintptr {
	if x.b > userHigh {
		return fail(eNOMEM)
	}
	var vec [256]byte
	for done, pages := uintptr(0), (x.b+arch.PageSize-1)/arch.PageSize; ; {
		part := vec[:min(pages-done, uintptr(len(vec)))]
		on := mem.lock.Lock()
		errno := mem.Resident(x.a+done*arch.PageSize, part)
		mem.lock.Unlock(on)
		if errno != 0 {
			return fail(errno)
		}
		n := uintptr(len(part))
		if copyOut(x.c+done, unsafe.Pointer(&vec), n) < n {
			return fail(eFAULT)
		}
		if done += n; done == pages {
			return 0
		}
	}
}

// givePage brings the page of a file at addr, which is mapped there; nil where files are never mapped (maps.go).
var givePage func(addr uintptr) vm.Outcome

// serve handles an access that faulted. It returns Done if that is possible now. Trap context, interrupts off.
func serve(f *arch.Frame, addr uintptr, write bool) vm.Outcome {
	on := mem.lock.Lock()
	out := mem.Serve(addr, write)
	mem.lock.Unlock(on)
	if out == vm.File {
		out = givePage(addr)
	}
	if out == vm.NoFrame {
		outOfMemory(arch.PageSize, f)
	}
	return out
}
