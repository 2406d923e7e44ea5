package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers/virtionet"
	"sched9/sched/atomic"
)

// The network card. Go code of the image drives it (srv/net), on goroutines: the kernel only finds it, and has its interrupt
// wake them. It is in no table of devices, so that the linker leaves it and its driver out of an image whose program has no
// network.

// netTrap is a func() that handles the card's interrupt: trapNet, once there is a card. Before that its line does not interrupt. It
// is a number, because a pointer would be stored with a write barrier; trapNet is not the collector's.
var netTrap uintptr

// callNetTrap calls netTrap. Interrupt context.
func callNetTrap() { (*(*func())(unsafe.Pointer(&netTrap)))() }

// trapNet is netTrap. Interrupt context.
func trapNet() {
	virtionet.Get().Quiet()
	upNet()
}

// upNet wakes the goroutine that drives the card. Interrupt context; pollWake follows.
//
//go:linkname upNet runtime.sched9NetTrap
func upNet()

// netOpened is 1 once OpenNet has been here.
var netOpened atomic.Uint32

// OpenNet returns the machine's network card, ready, or nil if there is none that can be used. It is called once: later
// calls return nil. Scheduler stack.
func OpenNet() *virtionet.Card {
	if !netOpened.CompareAndSwap(0, 1) {
		return nil
	}
	on := mem.lock.Lock()
	ok := virtionet.Attach()
	if ok {
		pa, enough := mem.Frames.GetBlock()
		if !enough {
			outOfMemory(virtionet.Memory, nil)
		}
		va := arch.Phys(pa)
		arch.Zero(va, virtionet.Zero)
		trap := trapNet
		netTrap = *(*uintptr)(unsafe.Pointer(&trap))
		ok = virtionet.Get().Connect(va, uintptr(pa), lineNet) // if not, the card may have the memory for ever
	}
	mem.lock.Unlock(on)
	if !ok {
		return nil
	}
	return virtionet.Get()
}
