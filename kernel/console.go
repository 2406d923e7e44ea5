package kernel

import (
	"math/bits"
	"unsafe"

	"sched9/arch"
	"sched9/drivers"
	"sched9/drivers/virtioconsole"
	"sched9/kernel/names"
	"sched9/record"
	"sched9/sched"
	"sched9/sched/atomic"
)

// Output. A call that writes returns when the host has all of it: a program waits for its reader,
// and nothing is left in the kernel when it ends.
//
// A stream is one of the guest's two outputs. If the host has one place for both, they are one
// stream, in the order of writes.
type stream struct {
	port *virtioconsole.Port // where it goes
	dev  *drivers.Dev        // if there is no port: a device that is polled; nil: nowhere

	// Turns to write are given first come, first served: asked counts requests, turn counts
	// finished turns. The owner of the turn owns the device's sending half, with interrupts on, for
	// a line or more. holder is 1 plus the number of its processor, 0 between two turns.
	asked, turn, holder atomic.Uint32

	line  [1 << 10]byte // the send buffer if there is no port
	queue Spin          // guards what the port shares with the device, for some instructions
}

// con is the console. Until ports are found (boot) streams go to polled devices. After that only
// the streams' turns change, except where a field says otherwise.
var con struct {
	out, err stream
	memory   [virtioconsole.Memory + arch.PageSize]byte // the ports', from the first page on that begins in it
	merged   bool                                       // the host says that it has one place for both (sched9.merged=1)
	control  Spin                                       // guards the ports' control messages
	signals  *virtioconsole.Port                        // what the host's signals come by (signal.go); nil: they do not
	waiters  atomic.Uint64                              // processors that sleep in await, a bit each
	screen   *drivers.Dev                               // shows both streams beside; nil: there is none
	drawing  Spin                                       // guards the screen, for shownAtOnce bytes
	failing  bool                                       // the report of the end has failed: it goes on without ports
}

// Names of the ports that the host tool gives (package qemu).
const (
	portOut    = "sched9.console"
	portErrors = "sched9.errors"
	portSignal = "sched9.signals"
	portWire   = "sched9.wire"
)

// findPorts makes the console's ports ready and returns those for the two outputs, for the host's signals and for the wire, nil
// for one that the machine does not have. Boot, when there are page tables and interrupts can be connected.
func findPorts() (out, err, signals, line *virtioconsole.Port) {
	on := mem.lock.Lock()
	if drivers.Find(drivers.Ports) != nil {
		// In the image, so its physical address is its address.
		at := (uintptr(unsafe.Pointer(&con.memory)) + arch.PageSize - 1) &^ (arch.PageSize - 1)
		if virtioconsole.Connect(at, at, lineConsole) {
			out, err = virtioconsole.Open(portOut), virtioconsole.Open(portErrors)
			signals = virtioconsole.Open(portSignal)
			if names.Served {
				line = virtioconsole.Open(portWire)
			}
		}
	}
	mem.lock.Unlock(on)
	return out, err, signals, line
}

// streamOf returns where file fd, 1 or 2, goes.
func streamOf(fd int) *stream {
	if fd == 2 && !merged() {
		return &con.err
	}
	return &con.out
}

// merged reports whether standard error has no place of its own.
func merged() bool {
	if con.out.port != nil {
		return con.merged || con.err.port == nil
	}
	return con.merged || con.err.dev == nil
}

// Write sends n bytes at p, the program's, to file fd, 1 or 2. It returns when the host has them, and
// how many could be read. Bytes that fit into a buffer go out in one piece; in a longer write, other
// writers may come between two lines. Any context except a trap that does not return to the
// interrupted code: that uses Print.
func Write(fd int, p, n uintptr) (done uintptr) {
	s := streamOf(fd)
	if sched.Hunting {
		if done, ok := s.huntWrite(p, n); ok {
			return done
		}
	}
	on := arch.SaveIRQ()
	arch.RestoreIRQ(on)
	if on == 0 {
		s.interject(p, n)
		return n
	}
	for done < n {
		s.take()
		for whole := false; done < n && !whole; {
			k, got := s.fill(p+done, n-done)
			if got < k {
				n = done + got // the rest cannot be read
			}
			k, whole = s.lines(got, got == n-done)
			s.send(k)
			done += k
		}
		s.release()
	}
	return done
}

// buffer returns the address and size of the send buffer. It belongs to the owner of the turn.
func (s *stream) buffer() (at, size uintptr) {
	if s.port != nil {
		return s.port.Buffer(), virtioconsole.BufferSize
	}
	return uintptr(unsafe.Pointer(&s.line)), uintptr(len(s.line))
}

// fill copies as much of n bytes at p, the program's, as the buffer holds: k bytes are wanted, and got
// could be read. The caller has the turn.
func (s *stream) fill(p, n uintptr) (k, got uintptr) {
	at, size := s.buffer()
	k = min(n, size)
	return k, copyIn(unsafe.Pointer(at), p, k)
}

// lines returns how many of the n bytes in the buffer to send: all if they are the last ones, or
// else as many whole lines as there are. whole is false if that ends within a line. The
// caller has the turn.
func (s *stream) lines(n uintptr, last bool) (k uintptr, whole bool) {
	if last {
		return n, true
	}
	at, _ := s.buffer()
	for k = n; k > 0; k-- {
		if *(*byte)(unsafe.Pointer(at + k - 1)) == '\n' {
			return k, true
		}
	}
	return n, false
}

// take waits for the turn to write. Interrupts are on.
func (s *stream) take() {
	mine := s.asked.Add(1) - 1
	await(func() bool { return s.turn.Load() == mine }, true)
	s.holder.Store(uint32(arch.ID()) + 1)
}

// release gives the turn to the next in line.
func (s *stream) release() {
	s.holder.Store(0)
	s.turn.Add(1)
	wakeConsole()
}

// send passes on the first n bytes of the buffer, and returns when that is done. The caller has
// the turn.
func (s *stream) send(n uintptr) {
	port := s.port
	at, _ := s.buffer()
	show(at, n)
	switch {
	case n == 0:
		return
	case port == nil:
		s.poll(n)
		return
	}
	on := s.queue.Lock()
	port.Send(n)
	s.queue.Unlock(on)
	if !port.Busy() {
		return // the usual case under QEMU: the notice returns when it is done
	}
	s.interrupt(true)
	await(func() bool { return !port.Busy() }, true)
	s.interrupt(false)
}

// interrupt says whether the stream's port shall interrupt.
func (s *stream) interrupt(on bool) {
	was := s.queue.Lock()
	s.port.Interrupt(on)
	s.queue.Unlock(was)
}

// poll is send for a device that is polled, if there is one.
func (s *stream) poll(n uintptr) {
	if s.dev == nil {
		return
	}
	p, _ := s.buffer()
	for n > 0 {
		await(func() bool {
			k := s.dev.Write(p, n)
			p, n = p+k, n-k
			return k > 0
		}, false)
	}
	await(s.dev.Sent, false)
}

// interject sends n bytes at p from a trap. It takes no turn, because the interrupted code may have
// it or wait for it. So its output may come in the middle of a line. Interrupts are off.
func (s *stream) interject(p, n uintptr) {
	on := s.queue.Lock()
	s.last(p, n, true)
	s.queue.Unlock(on)
}

// await returns when done reports true. If that takes long, the processor gives its P away [M4]
// and, with sleep, halts: code that makes done true must then call wakeConsole. Interrupts are on.
//
// No wake-up is lost. The waiter sets its bit and then asks done; the waker makes done true and
// then takes the bits. One of them sees the other's store. Interrupts are off from before the bit
// is set until Halt, and a pending interrupt ends Halt: so if a handler on the same processor takes
// the bit and sends nothing, its own interrupt ends the Halt.
//
// The timer is left alone: while the processor has its P, the tick that takes the P away must come.
func await(done func() bool, sleep bool) {
	const spins = 100 // a line of another processor's takes less than a sleep
	for n := 0; n < spins; n++ {
		if done() {
			return
		}
		arch.Pause()
	}
	upSyscallBlocks()
	for !done() {
		if !sleep {
			arch.Pause()
			continue
		}
		arch.DisableIRQ()
		con.waiters.Or(1 << uint(arch.ID()))
		if !done() {
			arch.Halt()
		}
		arch.EnableIRQ()
	}
}

// wakeConsole wakes the processors that sleep in await, except this one: it does not sleep, or an
// interrupt has just woken it. Any context.
func wakeConsole() {
	for set := con.waiters.Swap(0); set != 0; set &= set - 1 {
		if id := bits.TrailingZeros64(set); id != arch.ID() {
			sendIPI(id, record.IPIKick)
			arch.Kick(id)
		}
	}
}

// trapConsole handles the interrupt of the console's ports.
func trapConsole() {
	virtioconsole.Quiet()
	on := con.control.Lock()
	virtioconsole.Control()
	con.control.Unlock(on)
	if con.out.port != nil {
		trapInput()
	}
	wakeConsole()
	if con.signals != nil {
		hostSignals()
	}
	if names.Served {
		trapWire()
	}
}

// settle takes both turns for good, so that the output of others is whole when the run ends. It
// waits as long as they do, unless another processor ends the run and stops the caller. Like Write.
func settle() {
	for _, s := range [...]*stream{&con.out, &con.err} {
		mine := s.asked.Add(1) - 1
		await(func() bool { return s.turn.Load() == mine || stopping.Load() != 0 }, true)
		s.holder.Store(uint32(arch.ID()) + 1)
	}
}

// seize takes both turns for a run that ends at once. Another processor with a turn gets time to
// finish its line; then, or if the caller itself has the turn and faulted, the turn is taken away,
// and the processor that had it must be stopped before anything is printed. Interrupts are off.
func seize() {
	me := uint32(arch.ID()) + 1
	end := arch.Nanotime() + 100_000_000
	for _, s := range [...]*stream{&con.out, &con.err} {
		mine := s.asked.Add(1) - 1
		for s.turn.Load() != mine && s.holder.Load() != me && arch.Nanotime() < end {
			arch.Pause()
		}
		s.holder.Store(me)
	}
}

// Print writes the kernel's last words, to standard error. All turns are the caller's, and
// other processors are stopped; or this is the boot processor before any other runs.
func Print(parts ...string) {
	s := streamOf(2)
	for _, part := range parts {
		s.last(uintptr(unsafe.Pointer(unsafe.StringData(part))), uintptr(len(part)), false)
	}
}

// last sends n bytes at p behind the bytes that the device already had, even if their sender was
// stopped at any point. s.queue is held, or all others were stopped. With patience it waits for a
// polled device as long as that takes.
func (s *stream) last(p, n uintptr, patient bool) {
	show(p, n)
	if s.port == nil || con.failing {
		s.lastPolled(p, n, patient)
		return
	}
	for n > 0 {
		k := min(n, virtioconsole.LastSize)
		mark := s.port.Last(p, k)
		for !s.port.Past(mark) {
			pollFlush()
			arch.Pause()
		}
		p, n = p+k, n-k
	}
}

// shownAtOnce is how many bytes the screen takes with interrupts off. They may make it move its text once.
const shownAtOnce = 64

// show writes n bytes at p to the screen, if there is one. Any context. The two streams may come between each other's bytes
// at a multiple of shownAtOnce. A processor that ends the run does not ask for the lock: one that it stopped may hold
// it. The others are stopped then, and whatever the screen holds, writing goes on from there.
func show(p, n uintptr) {
	if con.screen == nil {
		return
	}
	if stopping.Load() != 0 {
		con.screen.Write(p, n)
		account.add(p, n)
		return
	}
	for n > 0 {
		k := min(n, shownAtOnce)
		on := con.drawing.Lock()
		con.screen.Write(p, k)
		con.drawing.Unlock(on)
		p, n = p+k, n-k
	}
}

// lastPolled is last for a device that is polled.
func (s *stream) lastPolled(p, n uintptr, patient bool) {
	const patience = 1 << 22 // then the rest is lost, rather than the machine
	d := s.dev
	if d == nil {
		d = con.out.dev
	}
	for try := 0; d != nil && (n > 0 || !d.Sent()) && (patient || try < patience); try++ {
		if k := d.Write(p, n); k > 0 {
			p, n, try = p+k, n-k, 0
		} else {
			pollFlush()
			arch.Pause()
		}
	}
}

// PrintHex prints v as 16 hexadecimal digits, PrintInt in decimal.
func PrintHex(v uint64) {
	var b [16]byte
	for i := range b {
		b[i] = "0123456789abcdef"[v>>(60-4*uint(i))&15]
	}
	Print(unsafe.String(&b[0], 16))
}

// PrintInt: see PrintHex.
func PrintInt(v int64) {
	var b [20]byte
	if v < 0 {
		Print("-")
		v = -v
	}
	Print(utoa(&b, uint64(v)))
}

// utoa formats v in decimal into b and returns the text, which lives as long
// as b.
//
//go:noinline
func utoa(b *[20]byte, v uint64) string {
	i := len(b)
	for {
		i--
		b[i] = byte('0' + v%10)
		v /= 10
		if v == 0 {
			return unsafe.String(&b[i], len(b)-i)
		}
	}
}
