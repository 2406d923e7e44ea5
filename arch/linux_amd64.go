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
	SysRtSigaction      = 13
	SysRtSigprocmask    = 14
	SysIoctl            = 16
	SysPread64          = 17
	SysPwrite64         = 18
	SysSchedYield       = 24
	SysMadvise          = 28
	SysNanosleep        = 35
	SysGetpid           = 39
	SysExit             = 60
	SysKill             = 62
	SysUname            = 63
	SysFcntl            = 72
	SysFsync            = 74
	SysFdatasync        = 75
	SysGetcwd           = 79
	SysSysinfo          = 99
	SysGetuid           = 102
	SysGetgid           = 104
	SysGeteuid          = 107
	SysGetegid          = 108
	SysGetppid          = 110
	SysSigaltstack      = 131
	SysGettid           = 186
	SysTkill            = 200
	SysFutex            = 202
	SysSchedGetaffinity = 204
	SysClockGettime     = 228
	SysExitGroup        = 231
	SysTgkill           = 234
	SysOpenat           = 257
	SysNewfstatat       = 262
	SysReadlinkat       = 267
	SysFaccessat        = 269
	SysPrlimit64        = 302
	SysGetrandom        = 318
	SysFaccessat2       = 439

	// SysCount is above every number in use.
	SysCount = 512

	// OpenDirectory is open's flag for directories alone.
	OpenDirectory = 0o200000

	// StatSize is the size of struct stat; the others are where in it a
	// field lies: mode and device number (32 and 64 bits), and the size of a
	// transfer that suits the file.
	StatSize    = 144
	StatMode    = 24
	StatRdev    = 40
	StatBlksize = 56
)
