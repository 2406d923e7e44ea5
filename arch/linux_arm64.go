package arch

// The stock runtime in the image is the one for Linux, so its leaves ask for
// services by Linux's numbers. These are the ones for this architecture
// (Linux's include/uapi/asm-generic/unistd.h).
const (
	SysGetcwd           = 17
	SysFcntl            = 25
	SysIoctl            = 29
	SysFaccessat        = 48
	SysOpenat           = 56
	SysClose            = 57
	SysLseek            = 62
	SysRead             = 63
	SysWrite            = 64
	SysPread64          = 67
	SysPwrite64         = 68
	SysReadlinkat       = 78
	SysNewfstatat       = 79
	SysFstat            = 80
	SysFsync            = 82
	SysFdatasync        = 83
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
	SysUname            = 160
	SysGetpid           = 172
	SysGetppid          = 173
	SysGetuid           = 174
	SysGeteuid          = 175
	SysGetgid           = 176
	SysGetegid          = 177
	SysGettid           = 178
	SysSysinfo          = 179
	SysMunmap           = 215
	SysMmap             = 222
	SysMadvise          = 233
	SysPrlimit64        = 261
	SysGetrandom        = 278
	SysFaccessat2       = 439

	// SysCount is above every number in use.
	SysCount = 512

	// OpenDirectory is open's flag for directories alone.
	OpenDirectory = 0o40000

	// StatSize is the size of struct stat; the others are where in it a
	// field lies: mode and device number (32 and 64 bits), and the size of a
	// transfer that suits the file.
	StatSize    = 128
	StatMode    = 16
	StatRdev    = 32
	StatBlksize = 56
)
