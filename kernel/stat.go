package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/fd"
)

// What stat tells of files: their kind, and which device they are.

// Kinds and permissions in a mode.
const (
	modeChar  = 0o020000 | 0o620
	modeRead  = 0o020000 | 0o440
	modeBlock = 0o060000 | 0o660
	writeBits = 0o222
)

// Device numbers as Linux packs them: major from bit 8 on, minor below. They are
// from the ranges for local use (Linux's Documentation/admin-guide/devices.txt).
const (
	rdevDisk  = 254 << 8 // and 16 for each disk
	rdevDelay = 240 << 8
)

// statFile is fstat.
func statFile(x args) uintptr {
	if x.a < fd.First {
		stat(x.b, modeChar, 0)
		return 0
	}
	return withFile(x.a, func(f *file) uintptr {
		statDevice(x.b, f.kind, f.unit)
		return 0
	})
}

// statPath is newfstatat. An empty path with the flag for it means the file.
func statPath(x args) uintptr {
	const emptyPath = 0x1000
	if x.d&emptyPath != 0 && pathIs(x.b, "\x00") {
		return statFile(args{a: x.a, b: x.c})
	}
	kind, unit, errno := device(x.b)
	if errno != 0 {
		return fail(errno)
	}
	statDevice(x.c, kind, unit)
	return 0
}

// statDevice fills the struct stat at p for a device.
func statDevice(p uintptr, kind fileKind, unit int) {
	if kind == fileDelay {
		stat(p, modeRead, rdevDelay)
		return
	}
	mode := uint32(modeBlock)
	if unitOf(unit).ReadOnly() {
		mode &^= writeBits
	}
	stat(p, mode, rdevDisk|uint64(unit)<<4)
}

// stat fills the struct stat at p.
func stat(p uintptr, mode uint32, rdev uint64) {
	arch.Zero(p, arch.StatSize)
	*(*uint32)(unsafe.Pointer(p + arch.StatMode)) = mode
	*(*uint64)(unsafe.Pointer(p + arch.StatRdev)) = rdev
	*(*uint64)(unsafe.Pointer(p + arch.StatBlksize)) = arch.PageSize
}
