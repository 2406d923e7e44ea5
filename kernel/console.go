package kernel

import (
	"unsafe"

	"sched9/arch"
)

// A stream is one of the guest's two outputs. Bytes gather in line until a
// newline comes, and then go out at once: so lines of several processors are
// never mixed. A line that waits for its end longer than lingerNS goes out as
// it is, so that a prompt shows.
type stream struct {
	line  [1024]byte
	n     int
	since int64 // when the first waiting byte came
}

const lingerNS = 20_000_000

// con.lock guards the streams and the devices behind them.
var con struct {
	lock     Spin
	out, err stream
}

// Write sends n bytes at p to stream fd, 1 or 2. Any context but a trap that
// may have struck in Write itself: those use Print.
func Write(fd int, p, n uintptr) {
	on := con.lock.Lock()
	s := &con.out
	if fd == 2 {
		s = &con.err
	}
	for i := uintptr(0); i < n; i++ {
		s.put(*(*byte)(unsafe.Pointer(p + i)))
	}
	con.lock.Unlock(on)
}

// put appends a byte. con.lock is held.
func (s *stream) put(c byte) {
	if s.n == 0 {
		s.since = arch.Nanotime()
	}
	s.line[s.n] = c
	s.n++
	if c == '\n' || s.n == len(s.line) {
		s.flush()
	}
}

// flush sends what waits. con.lock is held.
func (s *stream) flush() {
	if s.n > 0 {
		send(s == &con.err, uintptr(unsafe.Pointer(&s.line)), uintptr(s.n))
		s.n = 0
	}
}

// send writes to a stream's device: standard error goes to the console if it
// has no device of its own. con.lock is held.
func send(err bool, p, n uintptr) {
	d := consoleDev
	if err && errorsDev != nil {
		d = errorsDev
	}
	if d != nil {
		d.Write(p, n)
	}
}

// flushStale sends lines that have waited too long for their end. Called by
// ticks and before a processor sleeps; it does nothing if the console is busy.
func flushStale() {
	if con.out.n == 0 && con.err.n == 0 {
		return // a hint: whoever adds the first byte will come here too
	}
	on, ok := con.lock.TryLock()
	if !ok {
		return
	}
	now := arch.Nanotime()
	for _, s := range [...]*stream{&con.out, &con.err} {
		if s.n > 0 && now-s.since > lingerNS {
			s.flush()
		}
	}
	con.lock.Unlock(on)
}

// seize takes the console for the end of the run, for ever. Whoever holds it is
// given time to finish its line, unless it is the caller itself, which faulted
// there, or a processor that hangs: then the console is taken away.
func seize() {
	for end := arch.Nanotime() + 100_000_000; arch.Nanotime() < end; {
		if _, ok := con.lock.TryLock(); ok {
			break
		}
	}
	con.lock.held.Store(1)
	con.out.flush()
	con.err.flush()
}

// Print writes kernel messages, which go to standard error. The console is
// seized, or this is the boot processor before any other runs.
func Print(parts ...string) {
	for _, s := range parts {
		if len(s) > 0 {
			send(true, uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(len(s)))
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
