package kernel

import "unsafe"

// Locks of files.

// lockFile is flock: x.b says what is wanted of file x.a. Of several files of a node one may have it alone or some
// together. Who would have to wait answers EINTR after a while, upon which it is called again.
func lockFile(x args) uintptr {
	const shared, exclusive, atOnce, release = 1, 2, 4, 8
	want := int32(0)
	switch x.b &^ atOnce {
	case shared:
		want = 1
	case exclusive:
		want = -1
	case release:
	default:
		return fail(eINVAL)
	}
	return withFile(x.a, func(f *file, _ int) uintptr {
		on := lockTree() // which gives the console's files their nodes
		if f.node == 0 {
			tree.lock.Unlock(on)
			return 0
		}
		n := node(f.node)
		n.Leases -= f.lease // what it has is gone, even if it does not get what it wants
		f.lease = 0
		ok := want == 0 || n.Leases == 0 || want > 0 && n.Leases > 0
		if ok {
			n.Leases += want
			f.lease = want
		}
		tree.lock.Unlock(on)
		switch {
		case ok:
			return 0
		case x.b&atOnce != 0:
			return fail(eAGAIN)
		}
		waitTurn()
		return fail(eINTR)
	})
}

// unlock ends what lock f has, which has a node.
func (f *file) unlock() {
	on := tree.lock.Lock()
	node(f.node).Leases -= f.lease
	f.lease = 0
	tree.lock.Unlock(on)
}

// lockRange is fcntl's F_GETLK, F_SETLK and F_SETLKW: locks that a process has. There is only one, whose locks are never
// in its own way. p is where a struct flock is, which begins with what is wanted.
func (f *file) lockRange(what, p uintptr) uintptr {
	const read, write, none, maxWhence = 0, 1, 2, 2
	var l [2]uint16 // l_type, l_whence
	switch {
	case copyIn(unsafe.Pointer(&l), p, unsafe.Sizeof(l)) == 0:
		return fail(eFAULT)
	case l[0] > none || l[1] > maxWhence || what == getLock && l[0] == none:
		return fail(eINVAL)
	case what == getLock:
		l[0] = none
		copyOut(p, unsafe.Pointer(&l), unsafe.Sizeof(l))
	case l[0] == read && !f.read || l[0] == write && !f.write:
		return fail(eBADF)
	}
	return 0
}
