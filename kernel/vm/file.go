package vm

import (
	"sched9/arch/paging"
	"sched9/kernel/space"
)

// What whoever keeps the files asks for. These too are called with the VM's lock held.

// MapFiles makes it possible to map files. lost is Lost.
func (v *VM) MapFiles(lost func(file uint32, pages uintptr)) {
	v.Gone, v.Apart, v.Lost = (*VM).gone, (*VM).apart, lost
}

// gone is Gone: it tells of the areas of files.
func (v *VM) gone(start, end uintptr) {
	for a := v.Space.Next(start); a.Kind != space.Unused && a.Start < end; a = v.Space.Next(a.End) {
		if file := fileOf(a.Kind); file != 0 {
			v.Lost(file, (min(a.End, end)-max(a.Start, start))/pageSize)
		}
	}
}

// apart is Apart: each file's part by itself.
func (v *VM) apart(addr, end uintptr, p paging.Prot) (errno int) {
	for addr < end && errno == 0 {
		file := fileOf(v.Space.Lookup(addr).Kind)
		stop := addr
		for stop < end {
			a := v.Space.Lookup(stop)
			if fileOf(a.Kind) != file {
				break
			}
			stop = min(a.End, end)
		}
		errno = v.protect(addr, stop, p, file)
		addr = stop
	}
	return errno
}

// FileAt returns the file that addr is mapped to, 0 if it is to none.
func (v *VM) FileAt(addr uintptr) (file uint32) { return fileOf(v.Space.Lookup(addr).Kind) }

// Give maps the page at addr, which Serve has asked for, to the frame at pa. The bit Lent of pa says whose frame it stays. It reports
// false and leaves the frame to its owner if addr is not that file's any more, or has a page by now, or if there is no memory for a
// table.
func (v *VM) Give(addr uintptr, file uint32, pa uint64) bool {
	a := v.Space.Lookup(addr)
	if fileOf(a.Kind) != file || v.Pages.Look(addr).Held {
		return false
	}
	v.Served++
	return v.Pages.Map(addr, pa, pageSize, protOf(a.Kind))
}

// Zap takes the pages of file's areas in [start, end) away: each is asked for again when it is touched.
func (v *VM) Zap(start, end uintptr, file uint32) {
	for a := v.Space.Next(start); a.Kind != space.Unused && a.Start < end; a = v.Space.Next(a.End) {
		if fileOf(a.Kind) == file {
			v.drop(max(a.Start, start), min(a.End, end))
		}
	}
}

// Files calls fn with the file of each area in [addr, addr+n), until fn returns false. It reports whether it never did.
func (v *VM) Files(addr, n uintptr, fn func(file uint32) bool) bool {
	for a := v.Space.Next(addr); a.Kind != space.Unused && a.Start < addr+n; a = v.Space.Next(a.End) {
		if file := fileOf(a.Kind); file != 0 && !fn(file) {
			return false
		}
	}
	return true
}

// Covered reports whether the program has memory, of any access, in all of [addr, addr+n).
func (v *VM) Covered(addr, n uintptr) bool { return v.inRange(addr, n) && v.covered(addr, addr+n) }

// badAddress is Linux's number of the error.
const badAddress = 14

// Resize makes the part of an area at addr, of old bytes, n bytes long, at its place: it gives up its end, or takes what follows if
// that is free. file is the area's; it has grown pages more. old and n are not 0.
func (v *VM) Resize(addr, old, n uintptr) (file uint32, p paging.Prot, grown uintptr, errno int) {
	old, n = RoundUp(old), RoundUp(n)
	a := v.Space.Lookup(addr)
	if addr%pageSize != 0 || a.Kind == space.Unused || a.Kind == kernel || a.End-addr < old {
		return 0, 0, 0, badAddress
	}
	file, p = fileOf(a.Kind), protOf(a.Kind)
	switch {
	case n < old:
		return file, p, 0, v.Unmap(addr+n, old-n)
	case n == old:
		return file, p, 0, 0
	case !v.inRange(addr, n) || !v.Space.Free(addr+old, addr+n), file == 0 && v.tooMuch(n, p), !v.reserve(addr+old, addr+n, a.Kind):
		return file, p, 0, noMemory
	}
	v.commit(addr+old, addr+n, a.Kind)
	return file, p, (n - old) / pageSize, 0
}
