package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/arch/paging"
	"sched9/kernel/frame"
	"sched9/kernel/ramfs"
	"sched9/kernel/vm"
)

// Mappings of files: mmap of what is in the tree. A shared mapping has the file's own pages, so that reads, writes and all
// mappings of a file see the same bytes at any time; a private one has a copy of each page as it was when it was first touched.
// A page is brought when it is touched (giveMapped).
//
// All of this is linked in only with Rest.
//
// maps.lock is held while a page of a file is brought, or taken away because the file became shorter: so a page is never mapped
// that is the file's no more. It also guards the lists of a node's mappings, and with tree.lock their heads. The order is tree.lock,
// maps.lock, mem.lock; a page fault may come with tree.lock held, because the program's memory is accessed with it, and takes
// the two others. With maps.lock held nothing of the program's is accessed.
//
// mem.lock guards which numbers are in use, and a mapping's place and number of pages. Node, shared and write never change while
// it has a number.
var maps struct {
	lock  Spin
	dead  uint32 // mappings without pages, whose nodes are to be dropped
	free  uint32 // numbers that are not in use
	n     uint32 // numbers that ever were; 0 is none
	pages [mostMaps/mapsPerPage + 1]uintptr
}

// mapping is one call of mmap, or what munmap and others have left of it.
type mapping struct {
	node          uintptr // held
	base          uintptr // the address that byte 0 of the file would have; modulo 2^64, for it may be less than 0
	low, high     uintptr // its areas lie in between
	pages         uintptr // of its areas
	next          uint32  // of those that are dead, or free
	chain         uint32  // the next mapping of the node
	shared, write bool    // write: it may be written to, if shared
}

// mostMaps is how many mappings there are at most: an area each, at least (vm).
const (
	mostMaps    = 65530
	mapsPerPage = arch.PageSize / int(unsafe.Sizeof(mapping{}))
)

// Linux's flags of mmap and mremap, and an error.
const (
	mapShared   = 1
	mapPrivate  = 2
	mapValidate = 3 // shared, and every flag is known
	mapTypes    = 0xf
	mayMove     = 1

	eOVERFLOW = 75
)

// mapFiles makes it possible to map files, and has the calls that this changes go by this file.
func mapFiles() {
	givePage = giveMapped
	mem.MapFiles(lostPages)
	tree.fs.Guard, tree.fs.Unguard, tree.fs.Unmap = guardFiles, unguardFiles, unmapNode
	table[arch.SysMmap] = func(x args) uintptr {
		r := mapAny(x)
		sweepMaps()
		return r
	}
	table[arch.SysMunmap] = func(x args) uintptr {
		r := munmap(x)
		sweepMaps()
		return r
	}
	table[arch.SysMprotect] = protectMapped
	table[arch.SysMremap] = func(x args) uintptr {
		r := remap(x)
		sweepMaps()
		return r
	}
	table[arch.SysMsync] = syncMapped
}

// guardFiles is ramfs's Guard, and unguardFiles its Unguard.
func guardFiles() (on uintptr) { return maps.lock.Lock() }

// unguardFiles: see guardFiles.
func unguardFiles(on uintptr) { maps.lock.Unlock(on) }

// mappingAt returns the mapping with number id, which is in use or on a list.
func mappingAt(id uint32) *mapping {
	return (*mapping)(unsafe.Pointer(maps.pages[int(id)/mapsPerPage] + uintptr(int(id)%mapsPerPage)*unsafe.Sizeof(mapping{})))
}

// mapAny is mmap: address, length, access, flags, file, offset.
func mapAny(x args) uintptr {
	if x.d&mapAnonymous != 0 {
		return mmap(x)
	}
	kind := x.d & mapTypes
	size := vm.RoundUp(x.b)
	switch {
	case kind < mapShared || kind > mapValidate, x.f%arch.PageSize != 0, x.b == 0:
		return fail(eINVAL)
	case x.c&protExec != 0:
		return fail(eACCES)
	case size < x.b || size > userHigh:
		return fail(eNOMEM)
	case x.f+size < x.f || x.f+size > ramfs.MaxSize:
		return fail(eOVERFLOW)
	}
	return withFile(x.e, func(f *file, i int) uintptr {
		shared := kind != mapPrivate
		switch {
		case f.flags&openPath != 0:
			return fail(eBADF)
		case !f.read || shared && x.c&protWrite != 0 && !f.write:
			return fail(eACCES)
		case f.kind == fileChar && f.unit == charZero:
			return mmap(args{a: x.a, b: x.b, c: x.c, d: x.d | mapAnonymous})
		case f.kind != fileTree || f.made != 0 || !node(f.node).IsFile():
			return fail(eNODEV)
		}
		on := tree.lock.Lock()
		r := mapNode(&mapping{node: f.node, shared: shared, write: f.write}, x.a, size, x.f, protOf(x.c), x.d&mapFixed != 0)
		tree.lock.Unlock(on)
		return r
	})
}

// mapNode maps size bytes of a file from byte at on, as m says, at addr or elsewhere (vm.Map). tree.lock is held.
func mapNode(m *mapping, addr, size, at uintptr, p paging.Prot, fixed bool) uintptr {
	id := newMapping(m)
	if id == 0 {
		return fail(eNOMEM)
	}
	on := mem.lock.Lock()
	addr, errno := mem.Map(addr, size, p, fixed, id)
	m = mappingAt(id)
	if errno == 0 {
		m.base, m.low, m.high, m.pages = addr-at, addr, addr+size, size/arch.PageSize
	} else {
		m.next, maps.dead = maps.dead, id
	}
	mem.lock.Unlock(on)
	if errno != 0 {
		return fail(errno)
	}
	return addr
}

// newMapping gives m a number, and holds its node, whose list it enters before there is a page of it. 0: there is no memory, or no
// number. tree.lock is held.
func newMapping(m *mapping) (id uint32) {
	page := getPage() // before the lock, which getPage takes
	on := mem.lock.Lock()
	switch {
	case maps.free != 0:
		id = maps.free
		maps.free = mappingAt(id).next
	case maps.n < mostMaps:
		if at := &maps.pages[int(maps.n+1)/mapsPerPage]; *at == 0 {
			*at, page = page, 0
		}
		if maps.pages[int(maps.n+1)/mapsPerPage] != 0 {
			maps.n++
			id = maps.n
		}
	}
	mem.lock.Unlock(on)
	if page != 0 {
		putPage(page)
	}
	if id == 0 {
		return 0
	}
	n := node(m.node)
	n.Hold()
	on = maps.lock.Lock()
	*mappingAt(id) = *m
	mappingAt(id).chain, n.Maps = n.Maps, id
	maps.lock.Unlock(on)
	return id
}

// lostPages is mem.Lost. mem.lock is held.
func lostPages(id uint32, pages uintptr) {
	m := mappingAt(id)
	if m.pages -= pages; m.pages == 0 {
		m.next, maps.dead = maps.dead, id
	}
}

// sweepMaps gives back mappings that have no pages any more, whose nodes may go with them. No lock is held.
func sweepMaps() {
	for {
		on := mem.lock.Lock()
		id := maps.dead
		if id != 0 {
			maps.dead = mappingAt(id).next
		}
		mem.lock.Unlock(on)
		if id == 0 {
			return
		}
		m := mappingAt(id)
		p := m.node
		on = tree.lock.Lock()
		inner := maps.lock.Lock()
		at := &node(p).Maps
		for *at != id {
			at = &mappingAt(*at).chain
		}
		*at = m.chain
		maps.lock.Unlock(inner)
		tree.lock.Unlock(on)
		on = mem.lock.Lock()
		m.next, maps.free = maps.free, id
		mem.lock.Unlock(on)
		dropNode(p)
	}
}

// giveMapped is givePage: it brings the page at addr. Done if that is there now, or if the program has unmapped it meanwhile, which
// its next access shows; Beyond if the file ends before it, or if there is no room for a page of the file's; NoFrame. Trap context.
func giveMapped(addr uintptr) vm.Outcome {
	addr &^= arch.PageSize - 1
	on := maps.lock.Lock()
	inner := mem.lock.Lock()
	id := mem.FileAt(addr)
	var m mapping
	if id != 0 {
		m = *mappingAt(id)
	}
	mem.lock.Unlock(inner)
	out := vm.Done
	if id != 0 {
		// The node stays, and with it the number: to take the mapping off the node's list sweepMaps needs maps.lock.
		out = bring(addr, id, &m)
	}
	maps.lock.Unlock(on)
	return out
}

// bring is giveMapped for mapping id, which is m. maps.lock is held.
func bring(addr uintptr, id uint32, m *mapping) vm.Outcome {
	n, at := node(m.node), int64(addr-m.base)
	if at >= n.Size {
		return vm.Beyond
	}
	var page uintptr
	lent := uint64(0)
	if m.shared {
		if page = tree.fs.Own(n, at/arch.PageSize); page == 0 {
			return vm.Beyond
		}
		lent = arch.Pages().Lent
	} else {
		if page = getPage(); page == 0 {
			return vm.NoFrame
		}
		if from, size := n.View(at, arch.PageSize); from != 0 {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(page)), size), unsafe.Slice((*byte)(unsafe.Pointer(from)), size))
		}
	}
	pa := uint64(page - arch.Phys(0))
	on := mem.lock.Lock()
	given := mem.Give(addr, id, pa|lent)
	there := given || mem.FileAt(addr) != id || mem.Pages.Look(addr).Held
	if !given && lent == 0 {
		mem.Free(pa, frame.Size)
	}
	mem.lock.Unlock(on)
	if !there {
		return vm.NoFrame
	}
	return vm.Done
}

// unmapNode is ramfs's Unmap. tree.lock and maps.lock are held.
func unmapNode(p uintptr, size int64) {
	from := vm.RoundUp(uintptr(size))
	on := mem.lock.Lock()
	for id := node(p).Maps; id != 0; id = mappingAt(id).chain {
		m := mappingAt(id)
		if start := m.low + max(from, m.low-m.base) - (m.low - m.base); m.pages != 0 && start < m.high {
			mem.Zap(start, m.high, id)
		}
	}
	mem.lock.Unlock(on)
}

// protectMapped is mprotect: a file that was not opened for writing cannot be written by way of a shared mapping.
func protectMapped(x args) uintptr {
	if x.c&protWrite != 0 {
		on := mem.lock.Lock()
		allowed := mem.Files(x.a, x.b, func(id uint32) bool {
			m := mappingAt(id)
			return !m.shared || m.write
		})
		mem.lock.Unlock(on)
		if !allowed {
			return fail(eACCES)
		}
	}
	return mprotect(x)
}

// remap is mremap: address, old length, new length, flags. What is in memory alone, as all but shared files is, is never moved: ENOMEM.
func remap(x args) uintptr {
	if x.d&^mayMove != 0 || x.b == 0 || x.c == 0 || x.b > userHigh || x.c > userHigh {
		return fail(eINVAL)
	}
	on := tree.lock.Lock()
	inner := mem.lock.Lock()
	id, p, grown, errno := mem.Resize(x.a, x.b, x.c)
	var m mapping
	if id != 0 {
		is := mappingAt(id)
		if grown != 0 {
			is.pages += grown
			is.high = max(is.high, x.a+vm.RoundUp(x.c))
		}
		m = *is
	}
	mem.lock.Unlock(inner)
	r := x.a
	if moves := errno == eNOMEM && x.d&mayMove != 0 && m.shared; moves {
		r = mapNode(&mapping{node: m.node, shared: true, write: m.write}, 0, vm.RoundUp(x.c), x.a-m.base, p, false)
		if r < userHigh {
			munmap(args{a: x.a, b: x.b})
		}
	} else if errno != 0 {
		r = fail(errno)
	}
	tree.lock.Unlock(on)
	return r
}

// syncMapped is msync: address, length, flags. The file has what was written already.
func syncMapped(x args) uintptr {
	const async, invalidate, sync = 1, 2, 4
	if x.c&^(async|invalidate|sync) != 0 || x.c&async != 0 && x.c&sync != 0 || x.a%arch.PageSize != 0 {
		return fail(eINVAL)
	}
	on := mem.lock.Lock()
	covered := x.b == 0 || mem.Covered(x.a, x.b)
	mem.lock.Unlock(on)
	if !covered {
		return fail(eNOMEM)
	}
	return 0
}
