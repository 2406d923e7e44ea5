package kernel

import (
	"sched9/arch"
	"sched9/kernel/ramfs"
)

// Rest adds the calls that neither the runtime nor package os needs: mappings of files, fallocate, reboot, and those that Linux has for
// old programs. They are linked in with it, so that the smallest programs stay as small as they are. It is called by a goroutine, when
// packages are initialized or before the first such call, and may be called again: it stores the same values.
func Rest() {
	mapFiles()
	table[arch.SysFallocate] = allocate
	table[arch.SysReboot] = reboot
	for _, c := range [...]struct {
		number uintptr
		leaf   leaf
	}{
		{arch.SysOpen, func(x args) uintptr { return openFile(args{a: atCWD, b: x.a, c: x.b, d: x.c}) }},
		{arch.SysCreat, func(x args) uintptr {
			return openFile(args{a: atCWD, b: x.a, c: openCreate | openTruncate | accessWrite, d: x.b})
		}},
		{arch.SysStat, func(x args) uintptr { return statPath(args{a: atCWD, b: x.a, c: x.b}) }},
		{arch.SysLstat, func(x args) uintptr { return statPath(args{a: atCWD, b: x.a, c: x.b, d: atNoFollow}) }},
		{arch.SysAccess, func(x args) uintptr { return access(args{a: atCWD, b: x.a, c: x.b}) }},
		{arch.SysPipe, func(x args) uintptr { return makePipe(args{a: x.a}) }},
		{arch.SysRename, func(x args) uintptr { return rename(args{a: atCWD, b: x.a, c: atCWD, d: x.b}) }},
		{arch.SysMkdir, func(x args) uintptr { return makeDirectory(args{a: atCWD, b: x.a, c: x.b}) }},
		{arch.SysRmdir, func(x args) uintptr { return unlink(args{a: atCWD, b: x.a, c: atRemoveDir}) }},
		{arch.SysLink, func(x args) uintptr { return link(args{a: atCWD, b: x.a, c: atCWD, d: x.b}) }},
		{arch.SysUnlink, func(x args) uintptr { return unlink(args{a: atCWD, b: x.a}) }},
		{arch.SysSymlink, func(x args) uintptr { return symlink(args{a: x.a, b: atCWD, c: x.b}) }},
		{arch.SysReadlink, func(x args) uintptr { return readLink(args{a: atCWD, b: x.a, c: x.b, d: x.c}) }},
		{arch.SysChmod, func(x args) uintptr { return changeMode(atCWD, x.a, uint32(x.b), 0) }},
		{arch.SysChown, func(x args) uintptr { return changeOwner(args{a: atCWD, b: x.a, c: x.b, d: x.c}) }},
		{arch.SysMknod, func(x args) uintptr { return makeNode(args{a: atCWD, b: x.a, c: x.b, d: x.c}) }},
		{arch.SysGetrlimit, func(x args) uintptr { return limits(args{b: x.a, d: x.b}) }},
		{arch.SysSetrlimit, func(x args) uintptr { return limits(args{b: x.a, c: x.b}) }},
		{arch.SysUtimes, func(x args) uintptr { return changeOldTimes(x, 1000, 2) }},
		{arch.SysUtime, func(x args) uintptr { return changeOldTimes(x, 0, 1) }},
		{arch.SysTime, secondsNow},
	} {
		if c.number < arch.SysCount {
			table[c.number] = c.leaf
		}
	}
}

// changeOldTimes is utimes, with times of words words, a second and parts of fraction nanoseconds, or utime, with seconds alone.
func changeOldTimes(x args, fraction int64, words int) uintptr {
	y := args{a: atCWD, b: x.a}
	if x.b == 0 {
		return changeTimes(y)
	}
	var v [4]int64
	for i := range 2 * words {
		if !get(x.b+uintptr(i)*8, &v[i]) {
			return fail(eFAULT)
		}
	}
	t := [2]timespec{{sec: v[0]}, {sec: v[words]}}
	if fraction != 0 {
		for i := range t {
			part := v[words*i+1]
			if part < 0 || part >= 1e9/fraction {
				return fail(eINVAL)
			}
			t[i].nsec = part * fraction
		}
	}
	return setTimes(y, t)
}

// secondsNow is time.
func secondsNow(x args) uintptr {
	sec, _ := Walltime()
	if x.a != 0 && !put(x.a, &sec) {
		return fail(eFAULT)
	}
	return uintptr(sec)
}

// allocate is fallocate: file, mode, where, length. Pages that are not there yet are got, so that no later write there fails for want
// of memory; without keepSize the file becomes as long as that. Holes are not made.
func allocate(x args) uintptr {
	const keepSize = 1
	at, end := int64(x.c), int64(x.c+x.d)
	return withFile(x.a, func(f *file, i int) uintptr {
		switch {
		case !f.write:
			return fail(eBADF)
		case at < 0 || int64(x.d) <= 0:
			return fail(eINVAL)
		case x.b&^keepSize != 0:
			return fail(eOPNOTSUPP)
		case f.kind == filePipe:
			return fail(eSPIPE)
		case f.kind != fileTree || f.made != 0 || !node(f.node).IsFile():
			return fail(eNODEV)
		case end < 0 || end > ramfs.MaxSize:
			return fail(eFBIG)
		}
		errno := 0
		for at := at; at < end && errno == 0; {
			on := tree.lock.Lock()
			room, e := tree.fs.Reserve(node(f.node), at, min(end-at, reserveStep))
			tree.lock.Unlock(on)
			at += room
			errno = int(e)
		}
		if errno == 0 && x.b&keepSize == 0 {
			on := tree.lock.Lock()
			errno = int(tree.fs.Extend(node(f.node), end))
			tree.lock.Unlock(on)
		}
		return fail(errno)
	})
}
