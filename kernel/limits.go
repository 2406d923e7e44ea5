package kernel

import "sched9/kernel/fd"

// limits is prlimit64 of resource x.b, with new limits at x.c and room for the old ones at x.d: the current one and its
// ceiling. The number of open files has a fixed bound; nothing else has a limit. So a limit can only be set to its present
// value; anything else gives EPERM.
func limits(x args) uintptr {
	const (
		resources = 16 // Linux's include/uapi/asm-generic/resource.h
		openFiles = 7
		none      = ^uint64(0)
	)
	switch {
	case x.a != 0 && x.a != pidSelf:
		return fail(eSRCH)
	case x.b >= resources:
		return fail(eINVAL)
	}
	is := [2]uint64{none, none}
	if x.b == openFiles {
		is = [2]uint64{fd.Max, fd.Max}
	}
	if x.c != 0 {
		var to [2]uint64
		switch {
		case !get(x.c, &to):
			return fail(eFAULT)
		case to[0] > to[1]:
			return fail(eINVAL)
		case to != is:
			return fail(ePERM)
		}
	}
	if x.d == 0 {
		return 0
	}
	return answer(x.d, &is)
}
