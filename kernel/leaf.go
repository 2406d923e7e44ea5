package kernel

import (
	"unsafe"

	"sched9/arch"
)

// The leaf layer: what the stock runtime and package os ask of Linux, answered
// here. One table by call number; a number that is not in it, and what has no
// meaning without an operating system, answers ENOSYS or what table says.

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
	}
	return fail(eNOSYS)
}

// Calls of our own, for code that the scheduler does not reach: firmware, or what a
// program brings as assembly. docs/inside.md says how to use them.
const (
	sysForeignCall = 0x9000 + iota // calls the code at a with argument b; nothing of the program waits for it but the caller (M5)
	sysForeignCPU                  // gives a processor that no M runs to the code at a with argument b; c is the func(uintptr) that it may call (M15)
	sysCallback                    // by such code: calls that function with argument a
)

var table = [arch.SysCount]leaf{
	// Memory.
	arch.SysMmap: func(x args) uintptr {
		p, errno := mmap(x.a, x.b, x.c, x.d)
		if errno != 0 {
			return fail(errno)
		}
		return p
	},
	arch.SysMunmap:  func(x args) uintptr { return fail(munmap(x.a, x.b)) },
	arch.SysMadvise: func(x args) uintptr { return fail(madvise(x.a, x.b, x.c)) },

	// Time.
	arch.SysClockGettime: func(x args) uintptr {
		t := timespecAt(x.b)
		if x.a == clockRealtime {
			sec, nsec := Walltime()
			*t = timespec{sec, int64(nsec)}
		} else {
			ns := arch.Nanotime()
			*t = timespec{ns / 1e9, ns % 1e9}
		}
		return 0
	},
	arch.SysNanosleep: func(x args) uintptr {
		upHold()
		Processors.Pause(timespecAt(x.a).ns())
		return 0
	},

	// Processors and waiting.
	arch.SysFutex: func(x args) uintptr {
		if x.b&1 != 0 {
			return futexWake(x.a, uint32(x.c))
		}
		ns := int64(-1)
		if x.d != 0 {
			ns = timespecAt(x.d).ns()
		}
		return fail(futexWait(x.a, uint32(x.c), ns))
	},
	arch.SysSchedGetaffinity: func(x args) uintptr {
		if x.b < 8 {
			return fail(eINVAL)
		}
		*(*uint64)(unsafe.Pointer(x.c)) = ^uint64(0) >> (64 - uint(numCPU))
		return 8
	},
	arch.SysSchedYield: zero,
	arch.SysGettid:     func(x args) uintptr { return gettid() },
	arch.SysTgkill: func(x args) uintptr {
		const preempt = 23 // SIGURG, which the runtime sends to preempt a thread
		if x.c != preempt {
			return raise(args{b: x.c})
		}
		if id := cpuOf(x.b); id < numCPU && cpus[id].online.Load() != 0 {
			SendPreempt(id)
		}
		return 0
	},

	// Signals: there are none. What the runtime needs at start-up succeeds.
	arch.SysRtSigaction:   zero,
	arch.SysRtSigprocmask: zero,
	arch.SysSigaltstack: func(x args) uintptr {
		const disabled = 2 // SS_DISABLE, in stack_t's second word
		if x.b != 0 {
			*(*[3]uint64)(unsafe.Pointer(x.b)) = [3]uint64{0, disabled, 0}
		}
		return 0
	},
	arch.SysKill:  raise,
	arch.SysTkill: raise,

	// The process.
	arch.SysExit:      exit,
	arch.SysExitGroup: exit,
	arch.SysGetpid:    func(args) uintptr { return 1 },
	arch.SysGetppid:   zero,
	arch.SysGetuid:    zero,
	arch.SysGeteuid:   zero,
	arch.SysGetgid:    zero,
	arch.SysGetegid:   zero,
	arch.SysPrlimit64: func(x args) uintptr {
		if x.d != 0 {
			*(*[2]uint64)(unsafe.Pointer(x.d)) = [2]uint64{1024, 1024}
		}
		return 0
	},
	arch.SysGetrandom: func(x args) uintptr {
		fillRandom(x.a, x.b)
		return x.b
	},
	arch.SysUname: func(x args) uintptr {
		for i, s := range [...]string{"sched9", "sched9", "9", "bare metal", "", ""} {
			field := x.a + uintptr(i)*65 // struct new_utsname
			for j := 0; j < 65; j++ {
				c := byte(0)
				if j < len(s) {
					c = s[j]
				}
				*(*byte)(unsafe.Pointer(field + uintptr(j))) = c
			}
		}
		return 0
	},
	arch.SysSysinfo: sysInfo,
	arch.SysGetcwd: func(x args) uintptr {
		if x.b < 2 {
			return fail(eINVAL)
		}
		*(*[2]byte)(unsafe.Pointer(x.a)) = [2]byte{'/', 0}
		return 2
	},

	// Files (file.go).
	arch.SysOpenat:     openFile,
	arch.SysClose:      closeFile,
	arch.SysRead:       readFile,
	arch.SysWrite:      writeFile,
	arch.SysPread64:    readAt,
	arch.SysPwrite64:   writeAt,
	arch.SysLseek:      seek,
	arch.SysFsync:      syncFile,
	arch.SysFdatasync:  syncFile,
	arch.SysFcntl:      control,
	arch.SysFstat:      statFile,
	arch.SysNewfstatat: statPath,
	arch.SysIoctl: func(x args) uintptr {
		if x.a > 2 {
			return fail(eBADF)
		}
		return fail(eNOTTY)
	},
	arch.SysReadlinkat: noEntry,
	arch.SysFaccessat:  noEntry,
	arch.SysFaccessat2: noEntry,
}

// zero succeeds, noEntry finds no file.
func zero(args) uintptr    { return 0 }
func noEntry(args) uintptr { return fail(eNOENT) }

// exit ends the program with the status that it gives.
func exit(x args) uintptr {
	Exit(int(x.a & 0xff))
	return 0
}

// raise is a signal that the program sends to itself to die by: a shell would
// show 128 and its number.
func raise(x args) uintptr {
	Exit(128 + int(x.b&0x7f))
	return 0
}

const clockRealtime = 0

// timespec is Linux's.
type timespec struct{ sec, nsec int64 }

// timespecAt is the one at p, the caller's memory.
func timespecAt(p uintptr) *timespec { return (*timespec)(unsafe.Pointer(p)) }

// ns returns t in nanoseconds, or the largest number of them.
func (t *timespec) ns() int64 {
	if t.sec > 1<<33 {
		return 1<<63 - 1
	}
	return t.sec*1e9 + t.nsec
}
