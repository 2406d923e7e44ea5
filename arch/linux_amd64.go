package arch

// The stock runtime in the image is the one for Linux, so its leaves ask for
// services by Linux's numbers. These are the ones for this architecture
// (Linux's arch/x86/entry/syscalls/syscall_64.tbl).
const (
	SysRead             = 0
	SysWrite            = 1
	SysClose            = 3
	SysFstat            = 5
	SysLseek            = 8
	SysMmap             = 9
	SysMunmap           = 11
	SysMprotect         = 10
	SysMremap           = 25
	SysMsync            = 26
	SysMincore          = 27
	SysRtSigaction      = 13
	SysRtSigprocmask    = 14
	SysIoctl            = 16
	SysPread64          = 17
	SysPwrite64         = 18
	SysSchedYield       = 24
	SysMadvise          = 28
	SysDup              = 32
	SysDup2             = 33
	SysNanosleep        = 35
	SysGetpid           = 39
	SysExit             = 60
	SysWait4            = 61
	SysKill             = 62
	SysUname            = 63
	SysFcntl            = 72
	SysFlock            = 73
	SysFsync            = 74
	SysFdatasync        = 75
	SysTruncate         = 76
	SysFtruncate        = 77
	SysGetcwd           = 79
	SysChdir            = 80
	SysFchdir           = 81
	SysFchmod           = 91
	SysFchown           = 93
	SysLchown           = 94
	SysUmask            = 95
	SysGettimeofday     = 96
	SysGetrusage        = 98
	SysSysinfo          = 99
	SysGetuid           = 102
	SysGetgid           = 104
	SysGeteuid          = 107
	SysGetegid          = 108
	SysGetgroups        = 115
	SysGetppid          = 110
	SysGetpgid          = 121
	SysGetsid           = 124
	SysSigaltstack      = 131
	SysSync             = 162
	SysGettid           = 186
	SysTkill            = 200
	SysFutex            = 202
	SysSchedGetaffinity = 204
	SysGetdents64       = 217
	SysClockGettime     = 228
	SysExitGroup        = 231
	SysEpollCtl         = 233
	SysTgkill           = 234
	SysWaitid           = 247
	SysOpenat           = 257
	SysMkdirat          = 258
	SysMknodat          = 259
	SysFchownat         = 260
	SysNewfstatat       = 262
	SysUnlinkat         = 263
	SysRenameat         = 264
	SysLinkat           = 265
	SysSymlinkat        = 266
	SysReadlinkat       = 267
	SysFchmodat         = 268
	SysFaccessat        = 269
	SysUtimensat        = 280
	SysDup3             = 292
	SysPipe2            = 293
	SysPrlimit64        = 302
	SysRenameat2        = 316
	SysGetrandom        = 318
	SysFaccessat2       = 439

	SysFchmodat2 = 452

	SysReboot    = 169
	SysFallocate = 285

	// SysCount is above every number in use.
	SysCount = 453

	// OpenDirectory and OpenNoFollow are flags of open: for directories only, and not through a
	// symbolic link.
	OpenDirectory = 0o200000
	OpenNoFollow  = 0o400000
)

// Calls that later ones have replaced. Go's own packages make few of them, but C that was made Go does.
const (
	SysOpen      = 2
	SysStat      = 4
	SysLstat     = 6
	SysAccess    = 21
	SysPipe      = 22
	SysRename    = 82
	SysMkdir     = 83
	SysRmdir     = 84
	SysCreat     = 85
	SysLink      = 86
	SysUnlink    = 87
	SysSymlink   = 88
	SysReadlink  = 89
	SysChmod     = 90
	SysChown     = 92
	SysGetrlimit = 97
	SysUtime     = 132
	SysMknod     = 133
	SysSetrlimit = 160
	SysTime      = 201
	SysUtimes    = 235
)

// Nlink is what struct stat counts names by.
type Nlink = uint64

// Stat is Linux's struct stat (arch/x86/include/uapi/asm/stat.h). Times are seconds
// and nanoseconds.
type Stat struct {
	Dev, Ino            uint64
	Nlink               Nlink
	Mode, UID, GID, _   uint32
	Rdev                uint64
	Size                int64
	Blksize             int64
	Blocks              int64
	Atime, Mtime, Ctime [2]int64
	_                   [3]int64
}
