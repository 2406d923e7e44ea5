package kernel

import (
	_ "unsafe" // for go:linkname

	"sched9/drivers/virtionet"
	"sched9/sched/atomic"
)

// The network card. Go code of the image drives it (srv/net), on goroutines: the kernel only finds it, and has its interrupt
// wake them. It is in no table of devices, so that the linker leaves it and its driver out of an image whose program has no
// network.

// upNet wakes the goroutine that drives the card. Interrupt context; pollWake follows.
//
//go:linkname upNet runtime.sched9NetTrap
func upNet()

// netOpened is 1 once OpenNet has been here.
var netOpened atomic.Uint32

// OpenNet returns the machine's network card, ready, or nil if there is none that can be used. It is called once: later
// calls return nil. Scheduler stack.
func OpenNet() *virtionet.Card {
	ok := netOpened.CompareAndSwap(0, 1) && openRemote(lineNet, virtionet.Zero, virtionet.Attach,
		func(va, pa uintptr) bool { return virtionet.Get().Connect(va, pa, lineNet) },
		func() { virtionet.Get().Quiet(); upNet() })
	if !ok {
		return nil
	}
	return virtionet.Get()
}
