//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	nkernel "sched9/kernel"
	"unsafe"
)

// Notes that a goroutine waits for (notetsleepg): the receiver of signals and the reader of the CPU profiler's buffer
// have one each. Stock code blocks their M. Here the goroutine parks, so that one processor is enough, and the note's
// key says what waits:
//
//	0      nothing, or an M in notesleep, which waits for the lower half of the key (futex)
//	1      woken
//	other  the goroutine that waits
//
// The goroutine changes 0 into itself by compare-and-swap, notewakeup exchanges any value for 1, and the first of the
// two decides. If notewakeup is first, the goroutine finds 1 and does not wait. Otherwise notewakeup finds the
// goroutine, which already waits: gopark calls sched9NoteWait after the change of state, when the goroutine has left
// its M. Only one notewakeup finds it, so only one wakes it.
//
// Such a goroutine counts as one that waits for a device (netpollWaiters): a signal may wake it, so the program is not
// dead [U6]. On Linux its M is in a system call, which keeps the program from being dead.

// sched9Woken is the first of the goroutines that notewakeup found and the poller has not made
// ready yet, linked by schedlink; 0: the list is empty.
var sched9Woken atomic.Uintptr

// sched9NoteReason is why such a goroutine waits, behind all of the stock reasons. Its name is
// "syscall", as on Linux, where it is in a system call.
const sched9NoteReason waitReason = 63

// sched9HaltReason is why a goroutine waits that another has stopped (zsched9_halt.go).
const sched9HaltReason waitReason = 62

// sched9NoteSleepG is notetsleepg. On a goroutine.
func sched9NoteSleepG(n *note, ns int64) bool {
	if ns >= 0 {
		throw("sched9: notetsleepg with a limit")
	}
	gopark(sched9NoteWait, unsafe.Pointer(n), sched9NoteReason, traceBlockGeneric, 1)
	return true
}

// sched9NoteWait makes gp wait for the note at key, and reports false if the note was woken already.
// Scheduler stack; gp is in state waiting.
//
// It counts gp before gp can be found, and the code that makes gp ready subtracts it: the count is never too
// low.
func sched9NoteWait(gp *g, key unsafe.Pointer) bool {
	netpollAdjustWaiters(1)
	waits := atomic.Casuintptr(&(*note)(key).key, 0, uintptr(unsafe.Pointer(gp)))
	if !waits {
		netpollAdjustWaiters(-1)
	}
	return waits
}

// sched9NoteWakeup is notewakeup. Any context, with or without a P, because stock code calls it in
// signal handlers. Therefore the next poll makes the goroutine ready, as it does with those that
// wait for devices [N1].
//
// No wake-up is lost: the goroutine is on the list before PollTell makes the poller look, and
// netpoll takes the list after the kernel has cleared its request to look (kernel.Poll).
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

// sched9TakeWoken adds the goroutines whose notes were woken to list, and returns the change of
// netpollWaiters. From netpoll.
//
//go:nowritebarrierrec
func sched9TakeWoken(list *gList) (delta int32) {
	// All are taken at once: the links behind the first do not change.
	for at := guintptr(sched9Woken.Swap(0)); at != 0; {
		gp := at.ptr()
		at = gp.schedlink
		list.push(gp)
		delta--
	}
	return delta
}
