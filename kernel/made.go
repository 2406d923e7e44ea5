package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/fd"
	"sched9/kernel/names"
	"sched9/kernel/ramfs"
)

// Files that are made when they are opened: those of the table of package names, in an image that serves them (names.Served).
//
// The tree has a node for each, whose device number says what it shows, and of which goroutine, P or M. A leaf runs on the scheduler's stack and
// may have no P, so it can neither stop the world nor allocate, and what a file holds is made by the goroutine that opens it. The
// leaf returns the new file's number with the mark unserved. Package syscall's functions, which have left the system call by then, see
// the mark and call the runtime (zsched9_names.go), which makes the text and gives it to fillMade: the file becomes one without
// a name that holds the text until it is closed. A write to a ctl file is done in the same way: the leaf copies it, and the
// goroutine carries it out (zsched9_ctl.go), when nothing of the leaf's is in use any more; it may stop the world, or wait.

// unserved marks the result of a leaf that the goroutine has to complete: a file's number, and from sizeShift on the
// size of what was written, 0 for an open.
const (
	unserved  = 0x5e << 56
	sizeShift = 20
)

const _ = uint(1<<sizeShift - fd.Max)
const _ = uint(ramfs.PageSize - names.MaxCommand)

// madeKind and the number of a goroutine, P or M are in a node's device number. Goroutines' numbers stay below 2^56.
const madeShift = 56

// Kinds of live directories (ramfs/live.go), in the place of a file's kind: that of all goroutines, and one's.
const (
	liveProc = uint64(names.Kinds) + iota
	liveGoroutine
)

// openMade is for a file that is to show what rdev says.
func openMade(f *file, rdev uint64) (errno int) {
	if !upInCall() {
		return eOPNOTSUPP // nobody would complete it
	}
	f.made = rdev
	return 0
}

// MadeFile returns what file number n shows, and the command that was written to it, which it copies to line and forgets; n
// has the mark off. ok is false if the file was closed meanwhile. Scheduler stack.
func MadeFile(n uintptr, line []byte) (kind names.Kind, id uint64, ok bool) {
	f, i := holdFile(n % (1 << sizeShift))
	if f == nil {
		return 0, 0, false
	}
	on := files.lock.Lock()
	made, page := f.made, f.command
	f.command = 0
	files.lock.Unlock(on)
	if page != 0 {
		copy(line, unsafe.Slice((*byte)(unsafe.Pointer(page)), names.MaxCommand))
		putPage(page)
	}
	dropFile(i)
	return names.Kind(made >> madeShift), made & (1<<madeShift - 1), made != 0 && (page != 0) == (n>>sizeShift != 0)
}

// FillMade makes text what the file of number n holds. It returns Linux's number of an error. Scheduler stack.
func FillMade(n uintptr, text []byte) (errno int) {
	f, i := holdFile(n)
	if f == nil {
		return eBADF
	}
	on := tree.lock.Lock()
	to := tree.fs.Nameless(ramfs.ModeFile|0o444, now())
	if to == nil {
		errno = eNFILE
	}
	for at := int64(0); errno == 0 && at < int64(len(text)); {
		room, e := tree.fs.Reserve(to, at, min(int64(len(text))-at, reserveStep))
		for errno = int(e); errno == 0 && room > 0; {
			p, size := to.Edit(at, room, now())
			arch.Copy(unsafe.Pointer(p), unsafe.Pointer(&text[at]), uintptr(size))
			at, room = at+size, room-size
		}
		tree.lock.Unlock(on) // others come between two pieces
		on = tree.lock.Lock()
	}
	old := uintptr(unsafe.Pointer(to))
	if errno == 0 {
		to.Mode = ramfs.ModeFile | node(f.node).Mode&ramfs.ModeAllowed
		f.node, old = old, f.node
	}
	tree.lock.Unlock(on)
	if old != 0 {
		dropNode(old)
	}
	dropFile(i)
	return errno
}

// CloseMade closes the file of number n, which could not be filled. Scheduler stack.
func CloseMade(n uintptr) { closeFile(args{a: n}) }

// writeMade is write of n bytes at p to f, which has the number number. f shows something.
func (f *file) writeMade(number, p, n uintptr) uintptr {
	switch {
	case n == 0:
		return 0
	case n > names.MaxCommand || !upInCall():
		return fail(eINVAL)
	}
	page := getPage()
	if page == 0 {
		return fail(eNOSPC)
	}
	if copyIn(unsafe.Pointer(page), p, n) < n {
		putPage(page)
		return fail(eFAULT)
	}
	on := files.lock.Lock()
	taken := f.command != 0
	if !taken {
		f.command = page
	}
	files.lock.Unlock(on)
	if taken {
		putPage(page)
		return fail(eBUSY)
	}
	return unserved | n<<sizeShift | number
}

// scratch is where names are put together. Guarded by the tree's lock.
var scratch [len("env/") + ramfs.MaxName]byte

// plantNames plants the table's files, the environment as /env, and what belongs to Plan 9's tree besides. Those of goroutines
// come when they are looked at. The tree's lock is held.
func plantNames(at int64) {
	if !names.Served {
		return
	}
	for _, dir := range [...]string{"proc", "sched", "sched/p", "sched/m", "env", "srv"} {
		plant(dir, ramfs.ModeDir|0o755, 0, at)
	}
	for k := names.None + 1; k < names.Kinds; k++ {
		path := names.Table[k].Path
		for _, each := range [...]string{"/sched/p/N", "/sched/m/N"} {
			if !names.Below(path, each) {
				continue
			}
			for i := range uint64(numCPU) {
				const stem = len("sched/p/")
				copy(scratch[:], each[1:])
				digits := scratch[stem : stem+2] // there are 64 at most
				dir := scratch[:stem+copy(digits, digits[ramfs.Decimal(digits, i):])]
				plant(unsafe.String(&dir[0], len(dir)), ramfs.ModeDir|0o555, 0, at)
				if p, e := tree.fs.Walk(tree.fs.Root(), dir, ramfs.Follow); e == 0 && p.Node != nil {
					plantMade(&tree.fs, p.Node, k, i)
				}
			}
			path = ""
		}
		if path != "" && !names.Below(path, "/proc/GOID") {
			base := names.Base(path)
			dir := path[1 : len(path)-len(base)-1]
			if p, e := tree.fs.Walk(tree.fs.Root(), unsafe.Slice(unsafe.StringData(dir), len(dir)), ramfs.Follow); e == 0 && p.Node != nil {
				plantMade(&tree.fs, p.Node, k, 0)
			}
		}
	}
	if wire.port != nil {
		plant("dev/wire", ramfs.ModeChar|0o600, rdevWire, at)
	}
	for i := environ; block[i] != 0; i++ {
		plantVariable(block[i], at)
	}
	for _, dir := range [...]string{"proc", "sched", "sched/p", "sched/m"} {
		if p, e := tree.fs.Walk(tree.fs.Root(), unsafe.Slice(unsafe.StringData(dir), len(dir)), ramfs.Follow); e == 0 && p.Node != nil {
			p.Node.ReadOnly = true
			if dir == "proc" {
				p.Node.Live, p.Node.Rdev = true, liveProc<<madeShift
			}
		}
	}
}

// plantMade plants the file of kind k about id in dir.
func plantMade(fs *ramfs.FS, dir *ramfs.Node, k names.Kind, id uint64) {
	mode := uint32(0o444)
	if names.Table[k].Words != nil {
		mode = 0o644
	}
	base := names.Base(names.Table[k].Path)
	if n := fs.Plant(dir, unsafe.Slice(unsafe.StringData(base), len(base)), ramfs.ModeFile|mode, uint64(k)<<madeShift|id); n != nil {
		n.ReadOnly = names.Table[k].Words == nil
	}
}

// plantVariable plants /env/NAME for the variable NAME=VALUE at p, which lives for ever.
func plantVariable(p uintptr, at int64) {
	n := copy(scratch[:], "env/")
	for ; ; p++ {
		switch c := *(*byte)(unsafe.Pointer(p)); {
		case c == 0 || c == '/' || n == len(scratch):
			return // it cannot be a file
		case c != '=':
			scratch[n] = c
			n++
			continue
		}
		break
	}
	size := int64(0)
	for p++; *(*byte)(unsafe.Pointer(p + uintptr(size))) != 0; size++ {
	}
	if n := plant(unsafe.String(&scratch[0], n), ramfs.ModeFile|0o644, 0, at); n != nil && size > 0 {
		n.Borrow(p, size)
	}
}

// refresh is fs's Refresh: /proc has a directory for each goroutine, and that the table's files. The tree's lock is held.
func refresh(fs *ramfs.FS, at, p, n, part uintptr) (more bool) {
	if !names.Served {
		return false
	}
	dir := node(at)
	id := dir.Rdev & (1<<madeShift - 1)
	switch dir.Rdev >> madeShift {
	case liveProc:
		if n == 0 {
			return refreshAll(fs, dir, (*ramfs.Part)(unsafe.Pointer(part)))
		}
		name := unsafe.String((*byte)(unsafe.Pointer(p)), n)
		if g, ok := names.Number(name); ok && name[0] != '0' {
			refreshOne(fs, dir, uint64(g), upHasG(uint64(g)))
		}
	case liveGoroutine:
		if fs.Find(dir, []byte("ctl")) != nil {
			return false
		}
		for k := names.None + 1; k < names.Kinds; k++ {
			if names.Below(names.Table[k].Path, "/proc/GOID") {
				plantMade(fs, dir, k, id)
			}
		}
	}
	return false
}

// refreshOne sees to it that /proc has goroutine g's directory if it is there, and has it not otherwise. It returns the directory.
func refreshOne(fs *ramfs.FS, proc *ramfs.Node, g uint64, there bool) *ramfs.Node {
	name := scratch[:20]
	name = name[ramfs.Decimal(name, g):]
	n := fs.Find(proc, name)
	switch {
	case n == nil && there:
		if n = fs.Plant(proc, name, ramfs.ModeDir|0o555, liveGoroutine<<madeShift|g); n != nil {
			n.ReadOnly, n.Live = true, true
		}
	case n != nil && !there:
		fs.Prune(proc, name)
		return nil
	}
	return n
}

// rounds counts refreshAll's whole rounds. Guarded by the tree's lock.
var rounds int32

// refreshAll is refreshOne of a portion of all goroutines, and reports whether there is more to do. Each directory is marked that is to stay; when that is done the others go, a portion at a time too. Of two
// rounds at once the later mark counts, with which a directory stays for both.
func refreshAll(fs *ramfs.FS, proc *ramfs.Node, part *ramfs.Part) (more bool) {
	if part.Round == 0 {
		rounds++
		part.Round = rounds
	}
	if part.Prune {
		part.At = int(fs.PruneUnless(proc, int64(part.At), func(n *ramfs.Node) bool { return n.Rdev>>madeShift != liveGoroutine || n.Leases >= part.Round }))
		return part.At != 0
	}
	for range ramfs.Portion {
		g, more := upGAt(part.At)
		if !more {
			part.At, part.Prune = 0, true
			break
		}
		if part.At++; g == 0 {
			continue
		}
		if n := refreshOne(fs, proc, g, true); n != nil {
			n.Leases = max(n.Leases, part.Round)
		}
	}
	return true
}
