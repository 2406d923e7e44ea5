//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	nkernel "sched9/kernel"
	"unsafe"
)

// Notes that a goroutine waits for (notetsleepg): the receiver of signals and the reader
// of the CPU profiler's buffer have one each. Stock code blocks their M. Here the
// goroutine parks, so that one processor is enough, and the note's key says who waits:
//
//	0      nobody, or an M in notesleep, which waits for the lower half of the key (futex)
//	1      woken
//	other  the goroutine that waits
//
// The goroutine changes 0 into itself, notewakeup exchanges whatever there is for 1. The
// first of the two decides. If it is notewakeup, the goroutine finds 1 and does not wait.
// Else notewakeup finds the goroutine, which waits by then: gopark calls sched9NoteWait
// when the state is changed and the goroutine has left its M. Only one wakes it, because
// only one finds it.
//
// A goroutine that waits so counts as one that waits for a device (netpollWaiters): whoever sends signals may wake it,
// so the program is not dead [U6]. On Linux its M is in a system call, and is what keeps the program from being dead.

// sched9Woken is the first of the goroutines that notewakeup found and the poller has not
// made ready yet, linked by schedlink; 0: there is none.
var sched9Woken atomic.Uintptr

// sched9NoteReason is why such a goroutine waits, behind all of the stock reasons. Its name is
// "syscall", as on Linux, where it is in a system call.
const sched9NoteReason waitReason = 63

// sched9NoteSleepG is notetsleepg. On a goroutine.
func sched9NoteSleepG(n *note, ns int64) bool {
	if ns >= 0 {
		throw("sched9: notetsleepg with a limit")
	}
	gopark(sched9NoteWait, unsafe.Pointer(n), sched9NoteReason, traceBlockGeneric, 1)
	return true
}

// sched9NoteWait lets gp wait for the note at key, and reports false if that was woken
// already. Scheduler stack; gp is in state waiting.
//
// It is counted before it can be found, and whoever made it ready takes it out: the count never falls short.
func sched9NoteWait(gp *g, key unsafe.Pointer) bool {
	netpollAdjustWaiters(1)
	waits := atomic.Casuintptr(&(*note)(key).key, 0, uintptr(unsafe.Pointer(gp)))
	if !waits {
		netpollAdjustWaiters(-1)
	}
	return waits
}

// sched9NoteWakeup is notewakeup. Any context, with or without a P, because stock code
// calls it in handlers of signals: so a goroutine is made ready by whoever polls next, as
// those that wait for devices are [N1].
//
// Nothing is lost: the goroutine is on the list before PollTell makes the poller look, and
// netpoll takes the list after the kernel has forgotten that it was to look (kernel.Poll).
//
//go:nowritebarrierrec
func sched9NoteWakeup(n *note) {
	switch old := atomic.Xchguintptr(&n.key, 1); old {
	case 0:
		futexwakeup(key32(&n.key), 1)
	case 1:
		print("notewakeup - double wakeup (", old, ")\n")
		throw("notewakeup - double wakeup")
	default:
		gp := (*g)(unsafe.Pointer(old)) // allgs keeps it
		for {
			first := sched9Woken.Load()
			gp.schedlink = guintptr(first)
			if sched9Woken.CompareAndSwap(first, old) {
				break
			}
		}
		nkernel.PollTell()
		mp := acquirem() // Hurry wants to know on which processor it is
		if mp.nsched != nil {
			sched9.Hurry(mp.nsched)
		}
		releasem(mp)
	}
}

// sched9TakeWoken adds the goroutines whose notes were woken to list, and returns what is to be added to
// netpollWaiters. From netpoll.
//
//go:nowritebarrierrec
func sched9TakeWoken(list *gList) (delta int32) {
	// All are taken at once: what is linked behind the first does not change.
	for at := guintptr(sched9Woken.Swap(0)); at != 0; {
		gp := at.ptr()
		at = gp.schedlink
		list.push(gp)
		delta--
	}
	return delta
}
