//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	nvirtionet "sched9/drivers/virtionet"
	nkernel "sched9/kernel"
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
