//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	nvirtionet "sched9/drivers/virtionet"
	nkernel "sched9/kernel"
	nrecord "sched9/record"
)

// The network card's goroutine (srv/net) waits here for the card's interrupt, by a note, as the receiver of signals waits for
// one: so it holds no M, and the program is not dead while it waits [U6].

// sched9Net is the note, and told, which is 1 from an interrupt on until the goroutine has seen it.
var sched9Net struct {
	told  atomic.Uint32
	woken note
}

// sched9NetOpen returns the machine's network card, or nil.
func sched9NetOpen() (c *nvirtionet.Card) {
	systemstack(func() { c = nkernel.OpenNet() })
	return c
}

// sched9NetWait waits for an interrupt of the card's after the last return. One goroutine calls it.
//
// No interrupt is lost: told is cleared before this returns, and the caller then looks at the card. One that comes later
// finds told clear, and wakes the note, which is clear already. One that comes before finds told set and does nothing; what
// it is about is there when the caller looks.
func sched9NetWait() {
	notetsleepg(&sched9Net.woken, -1)
	noteclear(&sched9Net.woken)
	sched9Net.told.Swap(0)
}

// sched9NetTrap is the card's interrupt. The note is woken once for each time that told is set, so never twice.
func sched9NetTrap() {
	if sched9Net.told.Swap(1) == 0 {
		notewakeup(&sched9Net.woken)
	}
}

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
