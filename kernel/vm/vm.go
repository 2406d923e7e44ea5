// Package vm is the address space of the program that runs in an image: it implements mmap, munmap,
// mprotect, madvise, and accesses to absent pages. Areas of address space (package space) say what
// may be done where, page tables (package paging) what is mapped. A page gets its frame, zeroed,
// when it is first touched.
//
// For every page the two agree: its entry allows what its area allows. A page outside of all areas
// has no entry. This holds between any two calls.
//
// A call that fails changes nothing that a program can see: it first allocates all that it needs. A
// call that gives memory back fails for lack of memory only where one area becomes two.
//
// An area may be a file's (Map). Then its pages are the file's own, or copies of those, and whoever keeps the files
// brings them: Serve says that one is wanted (File), Give takes it.
//
// The package knows no hardware, no file and no lock; the caller holds the VM's lock for every call, and the
// functions given to the package are called with the lock held.
package vm

import (
	"sched9/arch/paging"
	"sched9/kernel/frame"
	"sched9/kernel/space"
)

// VM is the address space, and the memory of the machine, which it is all for.
type VM struct {
	Frames frame.Allocator
	Space  space.Space
	Pages  *paging.Tables // its Get and Free are Table and Free here

	// A program may have memory in [Low, High), and gets it from Base on if it has no wish.
	Low, High, Base uintptr
	// HugeFrom is how many frames are in use before pages of 2 MiB are given: small programs
	// stay small, and large heaps get large pages.
	HugeFrom uint64

	Zero     func(p, n uintptr) // clears n bytes at p, a multiple of 8
	Flush    func()             // returns when no processor has a translation from before the call
	FlushOwn func()             // has this processor drop its translations
	Fatal    func(why string)   // ends the run

	// For areas of files; all are nil where files are never mapped (MapFiles sets the first two). Gone is called before what is in
	// [start, end) goes. Apart is Protect for a range that may have several files. Lost says that so many pages of a file's areas are
	// no more.
	Gone  func(v *VM, start, end uintptr)
	Apart func(v *VM, addr, end uintptr, p paging.Prot) (errno int)
	Lost  func(file uint32, pages uintptr)

	// kept are frames for the tables that drop needs.
	kept     [2]uint64
	nkept    int
	dropping bool

	Served uint64 // accesses that were given a page
}

// Errors, by Linux's numbers.
const (
	noMemory = 12
	invalid  = 22
)

// Kinds of areas: a program's by what it may do, and the kernel's, where it may do nothing.
const (
	kindNone  = space.Kind(paging.None) + 1
	kindRead  = space.Kind(paging.Read) + 1
	kindWrite = space.Kind(paging.Write) + 1
	kernel    = kindWrite + 1
)

// fileShift is where, in the kind of an area of a file, the file's number begins.
const fileShift = 8

// kindOf is the kind of an area with access p, of a file or (0) of none; protOf is the access to an area, and fileOf its file.
func kindOf(p paging.Prot, file uint32) space.Kind {
	return space.Kind(p) + 1 | space.Kind(file)<<fileShift
}

// protOf: see kindOf.
func protOf(k space.Kind) paging.Prot { return paging.Prot(k&(1<<fileShift-1)) - 1 }

// fileOf: see kindOf.
func fileOf(k space.Kind) uint32 { return uint32(k >> fileShift) }

const (
	pageSize = paging.PageSize
	hugeSize = paging.HugeSize
)

// Pages are given in groups around the touched one. A page of 2 MiB is used only while one block in
// so many is free.
const (
	around     = 16 * pageSize
	hugeMargin = 8
)

// maxAreas is how many areas there may be: as many as Linux allows (vm.max_map_count). A program
// that makes more gets an error before it runs out of memory for them.
const maxAreas = 65530

// sparse is what may be reserved on any machine: the runtime's map of its arenas
// takes 32 MiB of address space and a page or two of memory.
const sparse = 64 << 20

// Open begins: frames have been added. [low, high), for the kernel, is taken.
func (v *VM) Open(low, high uintptr) {
	v.keep()
	if !v.set(low, high, kernel) {
		v.Fatal("no memory for the table of address space")
	}
}

// keep fills the frames that are kept.
func (v *VM) keep() {
	for v.nkept < len(v.kept) {
		pa, ok := v.Frames.Get()
		if !ok {
			v.Fatal("no memory is left for page tables")
		}
		v.kept[v.nkept] = pa
		v.nkept++
	}
}

// Table returns a zeroed frame for a page table, or 0.
func (v *VM) Table() uint64 {
	pa, ok := v.Frames.Get()
	if !ok {
		if !v.dropping {
			return 0
		}
		v.nkept--
		pa = v.kept[v.nkept]
	}
	v.Zero(v.at(pa), pageSize)
	return pa
}

// Free takes a frame of the given size back.
func (v *VM) Free(pa uint64, size uintptr) {
	ok := false
	if size == hugeSize {
		ok = v.Frames.PutBlock(pa)
	} else {
		ok = v.Frames.Put(pa)
	}
	if !ok {
		v.Fatal("a frame was given back that was not in use")
	}
}

// at is where the frame at pa can be reached.
func (v *VM) at(pa uint64) uintptr { return v.Pages.Base + uintptr(pa) }

// node and nodeBack take a page for nodes of the table of areas, and give it back.
func (v *VM) node() uintptr {
	pa, ok := v.Frames.Get()
	if !ok {
		return 0
	}
	return v.at(pa)
}

// nodeBack: see node.
func (v *VM) nodeBack(p uintptr) { v.Free(uint64(p-v.Pages.Base), pageSize) }

// set makes [start, end) an area, and reports false if there is no memory for that.
func (v *VM) set(start, end uintptr, k space.Kind) bool {
	if !v.reserve(start, end, k) {
		return false
	}
	v.commit(start, end, k)
	return true
}

// reserve takes what commit with the same arguments needs.
func (v *VM) reserve(start, end uintptr, k space.Kind) bool {
	if n := v.Space.Need(start, end, k); n > 0 && v.Space.Areas()+n > maxAreas {
		return false
	}
	return v.Space.Reserve(start, end, k, v.node)
}

// commit makes [start, end) an area.
func (v *VM) commit(start, end uintptr, k space.Kind) {
	v.Space.Set(start, end, k)
	v.Space.Trim(v.nodeBack)
}

// RoundUp rounds n up to whole pages.
func RoundUp(n uintptr) uintptr { return (n + pageSize - 1) &^ (pageSize - 1) }

// inRange reports whether a program may have memory in [addr, addr+n) at all.
func (v *VM) inRange(addr, n uintptr) bool {
	return addr >= v.Low && addr < v.High && n <= v.High-addr
}

// tooMuch reports that an area of n bytes could never be written to its end. What can only be read holds zeros throughout,
// which nobody has cause to look at: as on Linux it may be of any size.
func (v *VM) tooMuch(n uintptr, p paging.Prot) bool {
	total, _, _ := v.Frames.Stats()
	return p == paging.Write && uint64(n) > max(total*frame.Size, sparse)
}

// kernels reports whether something in [start, end) is the kernel's.
func (v *VM) kernels(start, end uintptr) bool {
	for a := v.Space.Next(start); a.Kind != space.Unused && a.Start < end; a = v.Space.Next(a.End) {
		if a.Kind == kernel {
			return true
		}
	}
	return false
}

// covered reports whether the program's areas hold all of [start, end).
func (v *VM) covered(start, end uintptr) bool {
	for start < end {
		a := v.Space.Lookup(start)
		if a.Kind == space.Unused || a.Kind == kernel {
			return false
		}
		start = a.End
	}
	return true
}

// Map reserves n bytes of address space with access p. With fixed it takes them at addr and
// replaces what is there; otherwise at addr if that is free, or elsewhere. It returns where. They are a part of
// the file with the number file, or zeros if that is 0. Neighbours with one number follow one another in the file.
func (v *VM) Map(addr, n uintptr, p paging.Prot, fixed bool, file uint32) (at uintptr, errno int) {
	switch {
	case addr%pageSize != 0 || n == 0:
		return 0, invalid
	case n > v.High-v.Low:
		return 0, noMemory
	}
	n = RoundUp(n)
	if file == 0 && v.tooMuch(n, p) {
		return 0, noMemory
	}
	switch here := v.inRange(addr, n); {
	case fixed:
		if !here || v.kernels(addr, addr+n) {
			return 0, noMemory
		}
	case here && v.Space.Free(addr, addr+n):
	default:
		if addr = v.Space.Find(v.Base, v.High, n); addr == 0 {
			return 0, noMemory
		}
	}
	if !v.reserve(addr, addr+n, kindOf(p, file)) {
		return 0, noMemory
	}
	if fixed {
		if v.Gone != nil {
			v.Gone(v, addr, addr+n)
		}
		v.drop(addr, addr+n)
	}
	v.commit(addr, addr+n, kindOf(p, file))
	return addr, 0
}

// Unmap removes the mappings of a range of addresses. It fails for lack of memory only where one
// area becomes two.
func (v *VM) Unmap(addr, n uintptr) (errno int) {
	if addr%pageSize != 0 || n == 0 || !v.inRange(addr, n) {
		return invalid
	}
	end := addr + RoundUp(n)
	switch {
	case v.kernels(addr, end):
		return invalid
	case !v.reserve(addr, end, space.Unused):
		return noMemory
	}
	if v.Gone != nil {
		v.Gone(v, addr, end)
	}
	v.drop(addr, end)
	v.commit(addr, end, space.Unused)
	return 0
}

// Discard gives back a range's frames; the next access finds zeros, or the file's bytes. It never fails for lack of
// memory, because the runtime relies on the zeros and ignores the result.
func (v *VM) Discard(addr, n uintptr) (errno int) {
	if addr%pageSize != 0 || n > v.High {
		return invalid
	}
	end := addr + RoundUp(n)
	if n != 0 && (!v.inRange(addr, n) || !v.covered(addr, end)) {
		return noMemory
	}
	v.drop(addr, end)
	return 0
}

// Protect gives the program access p to [addr, addr+n). The contents stay, even where they become
// inaccessible. If it fails in a range of several files, an earlier part of that has changed, as on Linux.
func (v *VM) Protect(addr, n uintptr, p paging.Prot) (errno int) {
	if addr%pageSize != 0 {
		return invalid
	}
	if n == 0 {
		return 0
	}
	if !v.inRange(addr, n) {
		return noMemory
	}
	end := addr + RoundUp(n)
	if !v.covered(addr, end) {
		return noMemory
	}
	if v.Apart != nil {
		return v.Apart(v, addr, end, p)
	}
	return v.protect(addr, end, p, 0)
}

// protect is Protect for a range that is all of one file, or of none.
func (v *VM) protect(addr, end uintptr, p paging.Prot, file uint32) (errno int) {
	if file == 0 && v.tooMuch(end-addr, p) || !v.reserve(addr, end, kindOf(p, file)) {
		return noMemory
	}
	if !v.Pages.Cut(addr) || !v.Pages.Cut(end) {
		v.Space.Trim(v.nodeBack)
		return noMemory
	}
	if v.Pages.Protect(addr, end, p) {
		v.Flush()
	}
	v.commit(addr, end, kindOf(p, file))
	return 0
}

// drop frees the pages in [start, end).
//
// It always has the page tables that it needs: one for each end that cuts a page of 2 MiB, and two
// frames are reserved for that. The reserve is full again when it returns, because a page that was
// cut has at least one page of 4 KiB in the range, which is then free.
func (v *VM) drop(start, end uintptr) {
	v.dropping = true
	v.Pages.Cut(start)
	v.Pages.Cut(end)
	v.dropping = false
	if v.Pages.Hide(start, end) {
		v.Flush()
	}
	v.Pages.Reap(start, end)
	v.keep()
}

// Outcome is what came of an access.
type Outcome int

const (
	Refused Outcome = iota // it is not allowed
	Done                   // it is possible now
	NoFrame                // it is allowed, and there is no memory
	File                   // it is allowed, and a page of a file is wanted
	Beyond                 // it is allowed, and the file has no page there
)

// Serve handles an access that faulted: a write, or a read.
func (v *VM) Serve(addr uintptr, write bool) Outcome {
	a := v.Space.Lookup(addr)
	if a.Kind == space.Unused || a.Kind == kernel {
		return Refused
	}
	p := protOf(a.Kind)
	if p == paging.None || write && p != paging.Write {
		return Refused
	}
	state := v.Pages.Look(addr)
	if state.Present {
		// Another processor was faster, or this one has cached the entry from before the area's
		// access was widened.
		v.FlushOwn()
		return Done
	}
	if fileOf(a.Kind) != 0 {
		return File
	}
	v.Served++
	if state.Empty && v.serveHuge(addr, a, p) {
		return Done
	}
	page := addr &^ (pageSize - 1)
	if !v.fill(page, p) {
		return NoFrame
	}
	base := addr &^ (around - 1)
	for at := max(base, a.Start); at < min(base+around, a.End); at += pageSize {
		if at != page && !v.Pages.Look(at).Held && !v.fill(at, p) {
			break
		}
	}
	return Done
}

// serveHuge gives the 2 MiB around addr, which hold nothing, one page, if they lie in the area and
// there is memory in plenty.
func (v *VM) serveHuge(addr uintptr, a space.Area, p paging.Prot) bool {
	base := addr &^ (hugeSize - 1)
	total, used, _ := v.Frames.Stats()
	if used < v.HugeFrom || base < a.Start || a.End-base < hugeSize ||
		uint64(v.Frames.Whole())*(frame.Block/frame.Size) < total/hugeMargin {
		return false
	}
	pa, ok := v.Frames.GetBlock()
	if !ok {
		return false
	}
	v.Zero(v.at(pa), hugeSize)
	if !v.Pages.Map(base, pa, hugeSize, p) {
		v.Free(pa, hugeSize)
		return false
	}
	return true
}

// fill gives the page at va, which is not there, a zeroed frame.
func (v *VM) fill(va uintptr, p paging.Prot) bool {
	pa, ok := v.Frames.Get()
	if !ok {
		return false
	}
	v.Zero(v.at(pa), pageSize)
	if !v.Pages.Map(va, pa, pageSize, p) {
		v.Free(pa, pageSize)
		return false
	}
	return true
}

// Commit gives n bytes at va, the kernel's, frames.
func (v *VM) Commit(va, n uintptr) bool {
	for at := va; at < va+n; at += pageSize {
		if !v.fill(at, paging.Write) {
			return false
		}
	}
	return true
}

// Resident stores in vec, for each page from addr on, 1 if it has a frame and 0 if not: mincore.
func (v *VM) Resident(addr uintptr, vec []byte) (errno int) {
	if addr%pageSize != 0 {
		return invalid
	}
	n := uintptr(len(vec)) * pageSize
	if n != 0 && (!v.inRange(addr, n) || !v.covered(addr, addr+n)) {
		return noMemory
	}
	for i := range vec {
		vec[i] = 0
		if v.Pages.Look(addr + uintptr(i)*pageSize).Held {
			vec[i] = 1
		}
	}
	return 0
}
