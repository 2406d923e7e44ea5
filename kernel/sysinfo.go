package kernel

import (
	"sched9/arch"
	"sched9/kernel/frame"
)

// sysinfo is Linux's struct of that name where a long has 64 bits.
type sysinfo struct {
	uptime   int64 // seconds
	loads    [3]uint64
	totalRAM uint64 // in units
	freeRAM  uint64
	_        [4]uint64 // shared, buffers, swap, free swap
	procs    uint16
	_        [2]uint64 // high memory
	unit     uint32    // bytes
	_        uint32
}

// Memory returns how many bytes of memory there are for frames, used or not. Any context
// after boot: the number does not change.
func Memory() uint64 {
	total, _, _ := mem.Frames.Stats()
	return total * frame.Size
}

// sysInfo is the call sysinfo: how much memory there is for frames, and how much of it is free. The
// image itself counts in neither. The caller's memory is written without the lock: it may have no
// frame yet.
func sysInfo(x args) uintptr {
	on := mem.lock.Lock()
	total, used, _ := mem.Frames.Stats()
	mem.lock.Unlock(on)
	return answer(x.a, &sysinfo{
		uptime:   arch.Nanotime() / 1e9,
		totalRAM: total,
		freeRAM:  total - used,
		procs:    1,
		unit:     frame.Size,
	})
}
