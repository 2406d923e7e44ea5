package guest

import (
	"time"

	"golang.org/x/sys/unix"
)

// hurry lets the calling thread go before others. It needs a privilege; without
// it all is as it was.
func hurry() { unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -15) }

// nap sleeps in the kernel, which wakes this thread directly; no other thread has to wake it.
func nap(d time.Duration) {
	t := unix.NsecToTimespec(d.Nanoseconds())
	unix.Nanosleep(&t, nil) // being woken early does no harm
}
