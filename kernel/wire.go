package kernel

import (
	"unsafe"

	"sched9/drivers/virtioconsole"
	"sched9/sched/atomic"
)

// The wire, /dev/wire: a port of the console's device by which the host speaks with a server in the image (srv/nine). It is
// a stream of bytes each way. One file at a time has it open, and its calls never wait, whatever flags the file has:
// they answer EAGAIN, and the file is in the poller [N1].
var wire struct {
	port *virtioconsole.Port // nil: the machine has none. Set at boot

	// lock guards the port's two halves, and is held while bytes are copied, which may take a page fault. The interrupt
	// does not take it.
	lock Spin
	file atomic.Int32 // 1 plus the place of the file that is open, 0: none
}

// openWire makes file i the wire.
func openWire(i int) (errno int) {
	if !wire.file.CompareAndSwap(0, int32(i)+1) {
		return eBUSY
	}
	fileAt(i).kind = fileWire
	return 0
}

// closeWire is for file i, which goes away and may be the wire.
func closeWire(i int) { wire.file.CompareAndSwap(int32(i)+1, 0) }

// trapWire is for an interrupt of the console's device, which may be about the wire: there are bytes to read, or those that
// were written are gone. Interrupt context; pollWake comes later.
func trapWire() {
	if i := wire.file.Load(); i != 0 {
		pollMarkFile(int(i) - 1)
	}
}

// readWire reads up to n bytes to p, the program's. Scheduler stack.
//
// No wake-up is lost: bytes that come after Received looked interrupt, and the runtime has reset the file's
// readiness before this try.
func readWire(p, n uintptr) uintptr {
	if n == 0 {
		return 0
	}
	done := uintptr(0)
	on := wire.lock.Lock()
	for done < n {
		at, size := wire.port.Received()
		if size = min(size, n-done); size == 0 {
			break
		}
		got := copyOut(p+done, unsafe.Pointer(at), size)
		wire.port.Skip(got)
		if done += got; got < size {
			break
		}
	}
	_, left := wire.port.Received()
	wire.lock.Unlock(on)
	switch {
	case done > 0:
		return done
	case left > 0:
		return fail(eFAULT)
	}
	return fail(eAGAIN)
}

// writeWire writes n bytes at p, the program's, or as many as the port's buffer holds. Scheduler stack.
//
// No wake-up is lost: with the port's interrupt on, Busy is asked once more.
func writeWire(p, n uintptr) uintptr {
	on := wire.lock.Lock()
	port := wire.port
	busy := port.Busy()
	if busy {
		port.Interrupt(true)
		busy = port.Busy()
	}
	got := uintptr(0)
	if !busy {
		port.Interrupt(false)
		n = min(n, virtioconsole.BufferSize)
		if got = copyIn(unsafe.Pointer(port.Buffer()), p, n); got > 0 {
			port.Send(got)
		}
	}
	wire.lock.Unlock(on)
	switch {
	case busy:
		return fail(eAGAIN)
	case got == 0 && n > 0:
		return fail(eFAULT)
	}
	return got
}
