//go:build sched9

package runtime

import (
	nkernel "sched9/kernel"
	"unsafe"
)

// The network poller's platform half, in place of netpoll_epoll.go. The kernel reports which files
// became ready (kernel/poll.go). No M waits here, because an idle processor's halt is the wait
// [N2].

// netpollinit has nothing to do: the kernel's part is ready from the start.
func netpollinit() {}

// netpollIsPollDescriptor: the poller has no files of its own.
func netpollIsPollDescriptor(fd uintptr) bool { return false }

// netpollopen registers a file. The tag tells a pollDesc that was closed and used
// again from the one that an event is for, as in the stock poller. On a
// goroutine's stack, which the kernel must not be on.
func netpollopen(fd uintptr, pd *pollDesc) (errno uintptr) {
	data := uintptr(taggedPointerPack(unsafe.Pointer(pd), pd.fdseq.Load()))
	systemstack(func() { errno = uintptr(nkernel.PollOpen(int(fd), data)) })
	return errno
}

// netpollclose: see netpollopen.
func netpollclose(fd uintptr) (errno uintptr) {
	systemstack(func() { errno = uintptr(nkernel.PollClose(int(fd))) })
	return errno
}

// netpollarm is for pollers that tell readiness as long as it lasts; ours tells each change once.
func netpollarm(pd *pollDesc, mode int) { throw("sched9: netpollarm: readiness is told once") }

// netpollBreak has nothing to do: no M waits in the poller.
func netpollBreak() {}

// netpoll returns the goroutines whose files became ready or whose notes were woken, and the change of
// netpollWaiters. It never waits. Scheduler stack; no P is needed, and there is no write barrier.
func netpoll(delay int64) (gList, int32) {
	var list gList
	delta := int32(0)
	nkernel.Poll(func(data uintptr, read, write bool) {
		tp := taggedPointer(data)
		pd := (*pollDesc)(tp.pointer())
		if pd.fdseq.Load() != tp.tag() {
			return // closed since
		}
		mode := int32(0)
		if read {
			mode += 'r'
		}
		if write {
			mode += 'w'
		}
		delta += netpollready(&list, pd, mode)
	})
	delta += sched9TakeWoken(&list) // after Poll: sched9NoteWakeup
	return list, delta
}

// sched9PollReady reports whether netpoll may have something. Any context.
func sched9PollReady() bool { return nkernel.PollPending() }

// sched9Polled is the kernel's word that netpoll has something. Interrupt context.
func sched9Polled() {
	if nm := getg().m.nsched; nm != nil { // otherwise it is too early for a goroutine to wait
		sched9.KickSleeper(nm)
	}
}
