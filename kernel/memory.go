package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/frame"
	"sched9/kernel/space"
)

// mem.lock guards all of mem, and the page tables.
var mem struct {
	lock   Spin
	frames frame.Allocator
	space  space.Space
	next   uintptr // where an mmap without an address looks first
}

// sparse is what may be reserved on any machine: the runtime's map of its arenas
// takes 32 MiB of address space and a page or two of memory.
const sparse = 64 << 20

// The addresses that mmap gives out when the caller has no wish, and the least
// and the first too large that it may wish for.
const (
	mmapBase = 0x7000_0000_0000
	userLow  = arch.UserLow // the image lies below
	userHigh = 0x7fff_0000_0000
)

// minRAM is the least memory that an image runs in, beside itself: page
// tables, stacks, and the runtime's first heap.
const minRAM = 12 << 20

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
	tables := frame.Need(end, uint64(unsafe.Sizeof(frame.Table{})))
	tables = (tables + arch.PageSize - 1) &^ (arch.PageSize - 1)
	rings := sizeRings(sum)
	if need := imageEnd - imageStart + tables + rings + minRAM; sum < need {
		var a, b [20]byte
		Fatal("not enough memory: this machine has ", utoa(&a, sum>>10), " KiB, the image needs ",
			utoa(&b, need>>10), " KiB")
	}

	// The tables, and the recorder's rings behind them, lie at the start of
	// the first range behind the image that holds them and that the first page
	// tables reach.
	var at uint64
	arch.RAM(func(s, e uint64) {
		s = max(s, imageEnd)
		if at == 0 && s < e && e-s >= tables+rings && s+tables+rings <= 4<<30 {
			at = s
		}
	})
	if at == 0 {
		Fatal("no memory below 4 GiB is free for the kernel's tables")
	}
	arch.Zero(arch.Phys(at), uintptr(tables))
	initRecorders(at + tables)
	n := (end + frame.Block - 1) / frame.Block
	mem.frames.Init(unsafe.Slice((*frame.Table)(unsafe.Pointer(arch.Phys(at))), n))
	arch.RAM(func(s, e uint64) {
		s = max(s, imageEnd)
		if s <= at && at < e {
			s = at + tables + rings
		}
		// What the first page tables do not reach comes next.
		if s < e && s < 4<<30 {
			mem.frames.Add(s, min(e, 4<<30))
		}
	})
	if end > 4<<30 {
		if !arch.MapRAM(end) {
			Fatal("no memory for the page tables of RAM above 4 GiB")
		}
		arch.RAM(func(s, e uint64) {
			if s = max(s, 4<<30); s < e {
				mem.frames.Add(s, e)
			}
		})
	}
	mem.next = mmapBase
}

// allocTable returns a zeroed frame for a page table, or 0. mem.lock is held,
// or this is boot.
func allocTable() uint64 {
	pa, ok := mem.frames.Get()
	if !ok {
		return 0
	}
	arch.Zero(arch.Phys(pa), arch.PageSize)
	return pa
}

// freeFrame takes a frame back from the page tables. mem.lock is held.
func freeFrame(pa uint64, size uintptr) {
	ok := false
	if size == arch.HugeSize {
		ok = mem.frames.PutBlock(pa)
	} else {
		ok = mem.frames.Put(pa)
	}
	if !ok {
		Fatal("a frame was given back that was not in use")
	}
}

// mapStack maps n bytes at va for a stack. Boot, or bring-up of a processor.
func mapStack(va, n uintptr) {
	on := mem.lock.Lock()
	for p := va; p < va+n; p += arch.PageSize {
		pa := allocTable()
		if pa == 0 || !arch.Map(p, pa, arch.PageSize) {
			outOfMemory(n)
		}
	}
	mem.lock.Unlock(on)
}

// outOfMemory ends the run: asked bytes were wanted and there is no frame.
func outOfMemory(asked uintptr) {
	total, used, _ := mem.frames.Stats()
	var a, b, c [20]byte
	arch.DisableIRQ()
	claimEnd()
	seize()
	stopOthers()
	Print("fatal error: out of memory: asked for ", utoa(&a, uint64(asked)), " bytes, used ",
		utoa(&b, used*frame.Size>>10), " KiB of ", utoa(&c, total*frame.Size>>10), " KiB\n")
	report(StatusMemory)
	end(StatusMemory)
}

// Errors of the calls below, by Linux's numbers, which the runtime knows.
const (
	eBADF     = 9
	eNOMEM    = 12
	eACCES    = 13
	eNODEV    = 19
	eINVAL    = 22
	eNOENT    = 2
	eNOTTY    = 25
	eNOSYS    = 38
	eTIMEDOUT = 110
)

// Linux's flags for mmap and madvise.
const (
	protWrite    = 2
	protExec     = 4
	mapFixed     = 0x10
	mapAnonymous = 0x20
	dontNeed     = 4
	freeAdvice   = 8
)

// roundUp rounds n up to whole pages.
func roundUp(n uintptr) uintptr { return (n + arch.PageSize - 1) &^ (arch.PageSize - 1) }

// mmap reserves address space; frames come with the first access. Only
// anonymous memory exists. An area without write access has no pages at all.
func mmap(addr, n, prot, flags uintptr) (p uintptr, errno int) {
	if flags&mapAnonymous == 0 {
		return 0, eNODEV
	}
	if prot&protExec != 0 {
		return 0, eACCES // data is never executable
	}
	if addr%arch.PageSize != 0 || n == 0 || n > userHigh {
		return 0, eINVAL
	}
	n = roundUp(n)
	writable := prot&protWrite != 0
	on := mem.lock.Lock()
	p, errno = mmapLocked(addr, n, writable, flags&mapFixed != 0)
	mem.lock.Unlock(on)
	return p, errno
}

// mmapLocked is mmap with its arguments checked. mem.lock is held.
func mmapLocked(addr, n uintptr, writable, fixed bool) (uintptr, int) {
	total, _, _ := mem.frames.Stats()
	if writable && uint64(n) > max(total*frame.Size, sparse) {
		return 0, eNOMEM // it could never be touched
	}
	inRange := addr >= userLow && addr < userHigh && n <= userHigh-addr
	switch {
	case fixed:
		if !inRange {
			return 0, eINVAL
		}
		if !drop(addr, addr+n) {
			return 0, eNOMEM
		}
	case inRange && mem.space.Free(addr, addr+n):
	default:
		addr = mem.space.Find(mem.next, userHigh, n)
		if addr == 0 {
			addr = mem.space.Find(mmapBase, userHigh, n)
		}
		if addr == 0 {
			return 0, eNOMEM
		}
		mem.next = addr + n
	}
	if !mem.space.Set(addr, addr+n, true, writable) {
		return 0, eNOMEM
	}
	return addr, 0
}

// munmap gives back address space and frames.
func munmap(addr, n uintptr) (errno int) {
	if addr%arch.PageSize != 0 || n == 0 || addr < userLow || addr >= userHigh || n > userHigh-addr {
		return eINVAL
	}
	n = roundUp(n)
	on := mem.lock.Lock()
	if !drop(addr, addr+n) || !mem.space.Set(addr, addr+n, false, false) {
		errno = eNOMEM
	}
	mem.lock.Unlock(on)
	return errno
}

// madvise acts on "don't need" and "free": the frames go back, and the next
// access finds zeros. The runtime relies on the zeros. All else is advice.
func madvise(addr, n, advice uintptr) (errno int) {
	if advice != dontNeed && advice != freeAdvice {
		return 0
	}
	if addr%arch.PageSize != 0 || addr < userLow || addr >= userHigh || n > userHigh-addr {
		return eINVAL
	}
	on := mem.lock.Lock()
	if !drop(addr, addr+roundUp(n)) {
		errno = eNOMEM
	}
	mem.lock.Unlock(on)
	return errno
}

// drop frees all frames in [va, end): see arch.Hide for the steps. mem.lock is
// held. It reports false if there is no memory to split a large page.
func drop(va, end uintptr) bool {
	changed, ok := arch.Hide(va, end)
	if changed {
		flushAll()
		arch.Reap(va, end)
	}
	return ok
}

// Pages are mapped in groups around the one that was touched, and by 2 MiB
// once the program has shown that it uses memory: small programs stay small,
// and large heaps get large pages.
const (
	around     = 16 * arch.PageSize
	hugeFrom   = 32 << 20 / frame.Size // frames in use before large pages are given
	hugeMargin = 8                     // large pages only while one in so many blocks is free
)

// serve handles an access to a page that is absent and reports whether it is
// there now. Trap context, interrupts off.
func serve(addr uintptr) bool {
	on := mem.lock.Lock()
	ok := serveLocked(addr)
	mem.lock.Unlock(on)
	return ok
}

// serveLocked is serve with mem.lock held.
func serveLocked(addr uintptr) bool {
	a := mem.space.Lookup(addr)
	if a == nil || !a.Writable {
		return false
	}
	present, block := arch.Mapped(addr)
	if present {
		return true // another processor was faster
	}
	counters.Faults.Add(1)
	total, used, _ := mem.frames.Stats()
	if base := addr &^ (arch.HugeSize - 1); !block && used >= hugeFrom &&
		base >= a.Start && a.End-base >= arch.HugeSize &&
		uint64(mem.frames.Whole())*frame.Block/frame.Size >= total/hugeMargin {
		if pa, ok := mem.frames.GetBlock(); ok {
			arch.Zero(arch.Phys(pa), arch.HugeSize)
			if arch.Map(base, pa, arch.HugeSize) {
				return true
			}
			mem.frames.PutBlock(pa)
		}
	}
	page := addr &^ (arch.PageSize - 1)
	if !mapPage(page) {
		outOfMemory(arch.PageSize)
	}
	base := addr &^ (around - 1)
	for p := max(base, a.Start); p < min(base+around, a.End); p += arch.PageSize {
		if p != page {
			if there, _ := arch.Mapped(p); !there && !mapPage(p) {
				break
			}
		}
	}
	return true
}

// mapPage gives va a zeroed page. mem.lock is held.
func mapPage(va uintptr) bool {
	pa, ok := mem.frames.Get()
	if !ok {
		return false
	}
	arch.Zero(arch.Phys(pa), arch.PageSize)
	if !arch.Map(va, pa, arch.PageSize) {
		mem.frames.Put(pa)
		return false
	}
	return true
}
