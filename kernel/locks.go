package kernel

import "unsafe"

// Locks of files.

// lockFile is flock of file x.a; x.b is the operation. Of several files of a node one may have an exclusive lock,
// or some shared ones. A caller that would have to wait gets EINTR after a while, and calls again.
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
		n.Leases -= f.lease // its old lock is released, even if it does not get the new one
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

// lockRange is fcntl's F_GETLK, F_SETLK and F_SETLKW: locks of a process. There is only one process, whose locks never
// conflict with its own. p is the address of a struct flock, which begins with the kind of lock.
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
