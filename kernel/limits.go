package kernel

import "sched9/kernel/fd"

// limit is Linux's struct rlimit64: a limit, and a ceiling for it.
type limit [2]uint64

const unlimited = ^uint64(0)

// The limits that a program can change, guarded by files.lock: on the numbers of open files, and on dumps of memory, of which none
// is ever written, so each holds.
var (
	openLimit = limit{fd.Max, fd.Max}
	coreLimit = limit{unlimited, unlimited}
)

// limits is prlimit64 of resource x.b, with new limits at x.c and room for the old ones at x.d. There is no other limit, and none can
// be set: anything but the present value gives EPERM. As the superuser's the program may raise a ceiling that it has lowered.
func limits(x args) uintptr {
	const (
		resources = 16 // Linux's include/uapi/asm-generic/resource.h
		core      = 4
		openFiles = 7
	)
	var to limit
	switch {
	case x.a != 0 && x.a != pidSelf:
		return fail(eSRCH)
	case x.b >= resources:
		return fail(eINVAL)
	case x.c != 0 && !get(x.c, &to):
		return fail(eFAULT)
	case to[0] > to[1]:
		return fail(eINVAL)
	}
	fixed := limit{unlimited, unlimited}
	is, most := &fixed, uint64(0)
	switch x.b {
	case core:
		is, most = &coreLimit, unlimited
	case openFiles:
		is, most = &openLimit, fd.Max
	}
	errno := 0
	on := files.lock.Lock()
	was := *is
	switch {
	case x.c == 0 || to == was:
	case to[1] <= most:
		*is = to
	default:
		errno = ePERM
	}
	files.lock.Unlock(on)
	if errno != 0 || x.d == 0 {
		return fail(errno)
	}
	return answer(x.d, &was)
}

// mostFiles is the limit on the numbers of open files: new ones are below it.
func mostFiles() uintptr {
	on := files.lock.Lock()
	n := openLimit[0]
	files.lock.Unlock(on)
	return uintptr(n)
}
