package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers/virtio9p"
	"sched9/drivers/virtionet"
	"sched9/kernel/frame"
	"sched9/sched/atomic"
)

// Devices that Go code of the image drives, on goroutines: the network card (net.go) and the host's folder. The kernel finds them and has their interrupts
// wake those. They are in no table of devices, so that the linker leaves a driver out of an image that does not ask for it.

// traps are funcs that handle the interrupts of lineNet and lineHost, once there is the device. Before that its line does not interrupt. They
// are numbers, because a pointer would be stored with a write barrier; the functions are not the collector's.
var traps [lineHost - lineNet + 1]uintptr

// callTrap calls a trap. Interrupt context.
func callTrap(i int) { (*(*func())(unsafe.Pointer(&traps[i])))() }

const (
	_ = uint(frame.Block - virtionet.Memory)
	_ = uint(frame.Block - virtio9p.Memory)
)

// openRemote finds a device by attach, and gives it a block of memory, of which the first zero bytes are zero, and its interrupts the handler
// trap. It reports false if there is none that can be used. Scheduler stack.
func openRemote(line int, zero uintptr, attach func() bool, connect func(va, pa uintptr) bool, trap func()) (ok bool) {
	on := mem.lock.Lock()
	if ok = attach(); ok {
		pa, enough := mem.Frames.GetBlock()
		if !enough {
			outOfMemory(frame.Block, nil)
		}
		va := arch.Phys(pa)
		arch.Zero(va, zero)
		traps[line-lineNet] = *(*uintptr)(unsafe.Pointer(&trap))
		ok = connect(va, uintptr(pa)) // if not, the device may have the memory for ever
	}
	mem.lock.Unlock(on)
	return ok
}

// upHost wakes the goroutine that waits for the host's folder. Interrupt context; pollWake follows.
//
//go:linkname upHost runtime.sched9HostTrap
func upHost()

// hostOpened is 1 once OpenHost has been here.
var hostOpened atomic.Uint32

// OpenHost returns the device by which the host shows a folder, ready, or nil if there is none that can be used. It is called
// once: later calls return nil. Scheduler stack.
func OpenHost() *virtio9p.Device {
	ok := hostOpened.CompareAndSwap(0, 1) && openRemote(lineHost, virtio9p.Zero, virtio9p.Attach,
		func(va, pa uintptr) bool { return virtio9p.Get().Connect(va, pa, lineHost) },
		func() { virtio9p.Get().Quiet(); upHost() })
	if !ok {
		return nil
	}
	return virtio9p.Get()
}
