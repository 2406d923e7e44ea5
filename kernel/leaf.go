package kernel

import "sched9/arch"

// The leaf layer answers what the stock runtime and package os ask of Linux. There is one table by
// call number; a missing number, and a call that has no meaning without an operating system,
// answers ENOSYS or as table says.

// args are a call's arguments.
type args struct{ a, b, c, d, e, f uintptr }

// A leaf carries out one call and returns its result, or -errno.
type leaf func(x args) uintptr

// fail makes a result of an error; 0 is success.
func fail(errno int) uintptr { return -uintptr(errno) }

// Syscall answers call number num. Scheduler stack or boot; interrupts are on
// unless the caller is a trap that ends the run.
func Syscall(num, a, b, c, d, e, f uintptr) uintptr {
	if num < arch.SysCount {
		if l := table[num]; l != nil {
			return l(args{a, b, c, d, e, f})
		}
	}
	switch num {
	case sysForeignCall:
		return upForeignCall(a, b)
	case sysForeignCPU:
		return upForeignCPU(a, b, c)
	case sysCallback:
		return upCallback(a)
	case sysServeFile:
		return serveFile(a)
	case sysServeReady:
		return serveReady(a)
	}
	return fail(eNOSYS)
}

// Calls of our own, for code that the scheduler does not reach: firmware, or what a
// program brings as assembly. docs/inside.md says how to use them.
const (
	sysForeignCall = 0x9000 + iota // calls the code at a with argument b; nothing of the program waits for it but the caller [M5]
	sysForeignCPU                  // gives a processor that no M runs to the code at a with argument b; c is the func(uintptr) that it may call [M15]
	sysCallback                    // by such code: calls that function with argument a
	sysServeFile                   // opens a served file with flags a (served.go)
	sysServeReady                  // tells the poller of the served file at place a
)

// table has the leaf of each call, nil: there is none. initCalls fills it, so that an image does not hold its zeros.
var table [arch.SysCount]leaf

// calls are the calls that there are. Only initCalls reads it.
var calls = [...]struct {
	number uintptr
	leaf   leaf
}{
	// Memory.
	{arch.SysMmap, mmap},
	{arch.SysMunmap, munmap},
	{arch.SysMprotect, mprotect},
	{arch.SysMadvise, madvise},
	{arch.SysMincore, mincore},

	// Time.
	{arch.SysClockGettime, func(x args) uintptr {
		if x.a == clockRealtime {
			sec, nsec := Walltime()
			return answer(x.b, &timespec{sec, int64(nsec)})
		}
		ns := arch.Nanotime()
		return answer(x.b, &timespec{ns / 1e9, ns % 1e9})
	}},
	{arch.SysGettimeofday, func(x args) uintptr {
		sec, nsec := Walltime()
		return answer(x.a, &[2]int64{sec, int64(nsec) / 1e3}) // struct timeval
	}},
	{arch.SysNanosleep, func(x args) uintptr {
		var t timespec
		if !get(x.a, &t) {
			return fail(eFAULT)
		}
		upSyscallBlocks()
		nanosleep(t.ns())
		return 0
	}},

	// Processors and waiting.
	{arch.SysFutex, func(x args) uintptr {
		if x.b&1 != 0 {
			return futexWake(x.a, uint32(x.c))
		}
		ns := int64(-1)
		if x.d != 0 {
			var t timespec
			if !get(x.d, &t) {
				return fail(eFAULT)
			}
			ns = t.ns()
		}
		return fail(futexWait(x.a, uint32(x.c), ns))
	}},
	{arch.SysSchedGetaffinity, func(x args) uintptr {
		if x.b < 8 {
			return fail(eINVAL)
		}
		set := ^uint64(0) >> (64 - uint(numCPU))
		if !put(x.c, &set) {
			return fail(eFAULT)
		}
		return 8
	}},
	{arch.SysSchedYield, func(args) uintptr { yield(); return 0 }},
	{arch.SysGettid, func(x args) uintptr { return gettid() }},

	// Signals (signal.go). None comes while another is handled, so none is ever blocked.
	{arch.SysKill, kill},
	{arch.SysTgkill, tgkill},
	{arch.SysTkill, tkill},
	{arch.SysRtSigaction, setSigaction},
	{arch.SysRtSigprocmask, zero},
	{arch.SysSigaltstack, func(x args) uintptr {
		const disabled = 2 // SS_DISABLE, in stack_t's second word
		if x.b == 0 {
			return 0
		}
		return answer(x.b, &[3]uint64{0, disabled, 0})
	}},

	// The process.
	{arch.SysExit, exit},
	{arch.SysExitGroup, exit},
	{arch.SysGetpid, func(args) uintptr { return pidSelf }},
	{arch.SysGetppid, zero},
	{arch.SysWait4, noChild},
	{arch.SysWaitid, noChild},
	{arch.SysGetpgid, getpgid},
	{arch.SysGetsid, getpgid},
	{arch.SysGetuid, zero},
	{arch.SysGeteuid, zero},
	{arch.SysGetgid, zero},
	{arch.SysGetegid, zero},
	{arch.SysGetgroups, zero},
	{arch.SysPrlimit64, limits},
	{arch.SysGetrandom, getRandom},
	{arch.SysUname, func(x args) uintptr {
		var name [6][65]byte // struct new_utsname
		for i, s := range [...]string{"sched9", "sched9", "9", "bare metal", "", ""} {
			copy(name[i][:], s)
		}
		return answer(x.a, &name)
	}},
	{arch.SysSysinfo, sysInfo},
	{arch.SysGetrusage, usage},

	// Files (file.go).
	{arch.SysOpenat, openFile},
	{arch.SysClose, closeFile},
	{arch.SysRead, readFile},
	{arch.SysWrite, writeFile},
	{arch.SysPread64, readAt},
	{arch.SysPwrite64, writeAt},
	{arch.SysLseek, seek},
	{arch.SysFsync, syncFile},
	{arch.SysFdatasync, syncFile},
	{arch.SysFcntl, control},
	{arch.SysFstat, statFile},
	{arch.SysNewfstatat, statPath},
	{arch.SysDup, duplicate},
	{arch.SysDup2, func(x args) uintptr {
		if x.a == x.b {
			return withFile(x.a, func(*file, int) uintptr { return x.a })
		}
		return duplicateTo(x)
	}},
	{arch.SysDup3, duplicateTo},
	{arch.SysPipe2, makePipe},
	{arch.SysIoctl, deviceControl},
	{arch.SysFlock, lockFile},
	{arch.SysEpollCtl, func(x args) uintptr { // no file is an epoll: the poller is the scheduler's
		return withFile(x.a, func(*file, int) uintptr { return fail(eINVAL) })
	}},

	// The tree of names (names.go).
	{arch.SysMkdirat, makeDirectory},
	{arch.SysMknodat, makeNode},
	{arch.SysUnlinkat, unlink},
	{arch.SysRenameat, func(x args) uintptr { x.e = 0; return rename(x) }},
	{arch.SysRenameat2, rename},
	{arch.SysLinkat, link},
	{arch.SysSymlinkat, symlink},
	{arch.SysReadlinkat, readLink},
	{arch.SysFaccessat, func(x args) uintptr { x.d = 0; return access(x) }},
	{arch.SysFaccessat2, access},
	{arch.SysFchmodat, func(x args) uintptr { return changeMode(x.a, x.b, uint32(x.c), 0) }},
	{arch.SysFchmodat2, func(x args) uintptr { return changeMode(x.a, x.b, uint32(x.c), x.d) }},
	{arch.SysFchmod, func(x args) uintptr { return changeMode(x.a, 0, uint32(x.b), 0) }},
	{arch.SysFchownat, changeOwner},
	{arch.SysFchown, func(x args) uintptr { return changeOwner(args{a: x.a, c: x.b, d: x.c}) }},
	{arch.SysLchown, func(x args) uintptr {
		return changeOwner(args{a: atCWD, b: x.a, c: x.b, d: x.c, e: atNoFollow})
	}},
	{arch.SysUtimensat, changeTimes},
	{arch.SysTruncate, truncatePath},
	{arch.SysFtruncate, truncateFile},
	{arch.SysChdir, func(x args) uintptr { return changeDirectory(atCWD, x.a) }},
	{arch.SysFchdir, func(x args) uintptr { return changeDirectory(x.a, 0) }},
	{arch.SysGetcwd, workingDirectory},
	{arch.SysGetdents64, readDirectory},
	{arch.SysUmask, setUmask},
	{arch.SysSync, zero},
}

// initCalls fills the table. Boot.
func initCalls() {
	for i := range calls {
		table[calls[i].number] = calls[i].leaf
	}
}

// zero succeeds.
func zero(args) uintptr { return 0 }

// noChild answers calls that wait for a child process: there is none.
func noChild(args) uintptr {
	const eCHILD = 10
	return fail(eCHILD)
}

// exit ends the program with the status that it gives.
func exit(x args) uintptr {
	Exit(int(x.a & 0xff))
	return 0
}

const clockRealtime = 0

// timespec is Linux's.
type timespec struct{ sec, nsec int64 }

// ns returns t in nanoseconds, or the largest number of them.
func (t *timespec) ns() int64 {
	if t.sec > 1<<33 {
		return 1<<63 - 1
	}
	return t.sec*1e9 + t.nsec
}
