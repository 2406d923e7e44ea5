package kernel

import (
	"sched9/arch"
	"sched9/drivers"
	"sched9/kernel/names"
)

// What /dev/machine and /dev/rtc hold, in an image that serves names.

// rtcLock is held while the real-time clock is read: its registers are read one after another.
var rtcLock Spin

// RealTime reads the machine's real-time clock, in seconds since 1970; ok is false if there is none. Scheduler stack.
func RealTime() (s int64, ok bool) {
	on := rtcLock.Lock()
	if d := drivers.Find(drivers.Clock); d != nil {
		s, ok = d.Seconds()
	}
	rtcLock.Unlock(on)
	return s, ok
}

// MaxDescribed is the room that Facts needs: 64 processors and as many ranges of memory fill half of it.
const MaxDescribed = 8 << 10

// described is where the text is made, since the architecture gets it as an interface, which nothing on a stack can go into here.
var (
	describedLock Spin
	described     = names.Text{Buf: []byte{MaxDescribed - 1: 0}} // laid out by the linker
)

// Facts copies to b, of MaxDescribed bytes or more, what the machine is, and returns how long that is. Scheduler stack.
func Facts(b []byte) (n int) {
	on := describedLock.Lock()
	t := &described
	t.N = 0
	arch.Describe(t)
	arch.RAM(func(from, to uint64) {
		described.Word("memory")
		described.Address(uintptr(from))
		described.Address(uintptr(to))
		described.End()
	})
	device(t, "console", con.out.dev)
	if con.out.port != nil {
		t.Word("console")
		t.Word("virtio-console")
		t.End()
	}
	device(t, "screen", con.screen)
	device(t, "exit", exitDev)
	n = copy(b, t.Buf[:t.N])
	describedLock.Unlock(on)
	return n
}

// device adds the name of d, if there is one, as what the machine has for a role.
func device(t *names.Text, role string, d *drivers.Dev) {
	if d != nil {
		t.Word(role)
		t.Word(d.Name)
		t.End()
	}
}
