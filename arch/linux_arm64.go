package arch

// The stock runtime in the image is the one for Linux, so its leaves ask for
// services by Linux's numbers. These are the ones for this architecture
// (Linux's include/uapi/asm-generic/unistd.h).
const (
	SysGetcwd           = 17
	SysEpollCtl         = 21
	SysDup              = 23
	SysDup3             = 24
	SysFcntl            = 25
	SysFlock            = 32
	SysIoctl            = 29
	SysMknodat          = 33
	SysMkdirat          = 34
	SysUnlinkat         = 35
	SysSymlinkat        = 36
	SysLinkat           = 37
	SysRenameat         = 38
	SysTruncate         = 45
	SysFtruncate        = 46
	SysFaccessat        = 48
	SysChdir            = 49
	SysFchdir           = 50
	SysFchmod           = 52
	SysFchmodat         = 53
	SysFchownat         = 54
	SysFchown           = 55
	SysWait4            = 260
	SysWaitid           = 95
	SysOpenat           = 56
	SysClose            = 57
	SysPipe2            = 59
	SysGetdents64       = 61
	SysLseek            = 62
	SysRead             = 63
	SysWrite            = 64
	SysPread64          = 67
	SysPwrite64         = 68
	SysReadlinkat       = 78
	SysNewfstatat       = 79
	SysFstat            = 80
	SysSync             = 81
	SysFsync            = 82
	SysFdatasync        = 83
	SysUtimensat        = 88
	SysExit             = 93
	SysExitGroup        = 94
	SysFutex            = 98
	SysNanosleep        = 101
	SysClockGettime     = 113
	SysSchedGetaffinity = 123
	SysSchedYield       = 124
	SysKill             = 129
	SysTkill            = 130
	SysTgkill           = 131
	SysSigaltstack      = 132
	SysRtSigaction      = 134
	SysRtSigprocmask    = 135
	SysGetpgid          = 155
	SysGetsid           = 156
	SysUname            = 160
	SysUmask            = 166
	SysGettimeofday     = 169
	SysGetpid           = 172
	SysGetrusage        = 165
	SysGetppid          = 173
	SysGetuid           = 174
	SysGeteuid          = 175
	SysGetgid           = 176
	SysGetgroups        = 158
	SysGetegid          = 177
	SysGettid           = 178
	SysSysinfo          = 179
	SysMunmap           = 215
	SysMprotect         = 226
	SysMremap           = 216
	SysMsync            = 227
	SysMincore          = 232
	SysMmap             = 222
	SysMadvise          = 233
	SysPrlimit64        = 261
	SysRenameat2        = 276
	SysGetrandom        = 278
	SysFaccessat2       = 439

	SysReboot    = 142
	SysFallocate = 47
	SysFchmodat2 = 452

	// SysCount is above every number in use.
	SysCount = 455

	// OpenDirectory and OpenNoFollow are flags of open: for directories only, and not through a
	// symbolic link.
	OpenDirectory = 0o40000
	OpenNoFollow  = 0o100000
)

// Calls that this architecture has not, by numbers that no call has.
const (
	SysDup2   = SysCount - 1
	SysLchown = SysCount - 2
)

// Calls that this architecture never had, though the other one does still: by a number above all others.
const (
	SysOpen      = SysCount
	SysStat      = SysCount
	SysLstat     = SysCount
	SysAccess    = SysCount
	SysPipe      = SysCount
	SysRename    = SysCount
	SysMkdir     = SysCount
	SysRmdir     = SysCount
	SysCreat     = SysCount
	SysLink      = SysCount
	SysUnlink    = SysCount
	SysSymlink   = SysCount
	SysReadlink  = SysCount
	SysChmod     = SysCount
	SysChown     = SysCount
	SysGetrlimit = SysCount
	SysUtime     = SysCount
	SysMknod     = SysCount
	SysSetrlimit = SysCount
	SysTime      = SysCount
	SysUtimes    = SysCount
)

// Nlink is what struct stat counts names by.
type Nlink = uint32

// Stat is Linux's struct stat (include/uapi/asm-generic/stat.h). Times are seconds
// and nanoseconds.
type Stat struct {
	Dev, Ino            uint64
	Mode                uint32
	Nlink               Nlink
	UID, GID            uint32
	Rdev, _             uint64
	Size                int64
	Blksize, _          int32
	Blocks              int64
	Atime, Mtime, Ctime [2]int64
	_                   [2]uint32
}
