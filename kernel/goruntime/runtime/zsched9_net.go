//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	nvirtio9p "sched9/drivers/virtio9p"
	nvirtionet "sched9/drivers/virtionet"
	nkernel "sched9/kernel"
	nready "sched9/kernel/ready"
	nrecord "sched9/record"
)

// Goroutines that drive devices wait here for the devices' interrupts: that of the network card (srv/net) and of the host's folder (srv/host).

// sched9Waiter is what one waits by: a note, as the receiver of signals does, so it holds no M, and the program is not dead while it waits [U6].
type sched9Waiter struct {
	bell  nready.Bell
	woken note
}

// wait waits for an interrupt after the last return. One goroutine calls it.
func (w *sched9Waiter) wait() {
	notetsleepg(&w.woken, -1)
	noteclear(&w.woken)
	w.bell.Heard()
}

// trap is the device's interrupt.
func (w *sched9Waiter) trap() {
	if w.bell.Ring() {
		notewakeup(&w.woken)
	}
}

var sched9Net, sched9Host sched9Waiter

// sched9NetOpen returns the machine's network card, or nil.
func sched9NetOpen() (c *nvirtionet.Card) {
	systemstack(func() { c = nkernel.OpenNet() })
	return c
}

// sched9NetWait waits for the card, sched9NetTrap is its interrupt.
func sched9NetWait() { sched9Net.wait() }

// sched9NetTrap: see sched9NetWait.
func sched9NetTrap() { sched9Net.trap() }

// sched9HostOpen returns the device of the host's folder, or nil.
func sched9HostOpen() (d *nvirtio9p.Device) {
	systemstack(func() { d = nkernel.OpenHost() })
	return d
}

// sched9HostWait waits for that device, sched9HostTrap is its interrupt.
func sched9HostWait() { sched9Host.wait() }

// sched9HostTrap: see sched9HostWait.
func sched9HostTrap() { sched9Host.trap() }

// sched9NetDrops are how many packets the network has dropped, by why.
var sched9NetDrops [nrecord.NumDrops]atomic.Uint64

// sched9NetDropped counts n packets and records them. A goroutine calls it (srv/net); its M is held while it writes to the M's recorder.
func sched9NetDropped(why nrecord.Drop, n uint64) {
	sched9NetDrops[why].Add(int64(n))
	mp := acquirem()
	if nrecord.Recording && sched9Recording && mp.nsched != nil {
		mp.nsched.Rec.Record(nrecord.EvDrop, 0, n, uint64(why))
	}
	releasem(mp)
}
