//go:build sched9 && sched9hunt

package runtime

import (
	"internal/stringslite"
	nkernel "sched9/kernel"
	nhunt "sched9/sched/hunt"
	"unsafe"
)

// What is told of a schedule: each switch that the hunter decided, with the place where the goroutine stands that has left. The clock stands
// while that is found, so that the schedule is the same as without.

// sched9Switch is one. Texts are the image's own, and held as addresses, because they are stored without a write barrier.
type sched9Switch struct {
	nhunt.Switch
	at       uint64 // when, in nanoseconds of a recording
	ended    bool   // the goroutine has
	line     int32
	file     sched9Constant
	function sched9Constant // of the program
	call     sched9Constant // what that calls in the library; none if it was made to leave between two instructions
}

// sched9Constant is a string that lives for ever.
type sched9Constant struct {
	at uintptr
	n  int
}

// sched9ConstantOf returns s, which lives for ever, as such a string.
func sched9ConstantOf(s string) sched9Constant {
	return sched9Constant{uintptr(unsafe.Pointer(unsafe.StringData(s))), len(s)}
}

// string returns t as a Go string, "-" if it is empty.
func (t sched9Constant) string() string {
	if t.n == 0 {
		return "-"
	}
	return unsafe.String((*byte)(unsafe.Pointer(t.at)), t.n)
}

// sched9Switches are the first ones of the run.
var sched9Switches struct {
	all   [1000]sched9Switch
	n     int
	picks uint64   // the hunter's count at the last one
	last  guintptr // the goroutine that was picked then
}

// sched9HuntSwitched is called when gp has been found and is about to run. Scheduler stack, with a P.
func sched9HuntSwitched(gp *g) {
	l := &sched9Switches
	h := sched9.Hunter()
	if !nkernel.HuntLogs() || !h.On() || h.Count.Picks == l.picks {
		return
	}
	on, at := nkernel.HuntPause()
	l.picks = h.Count.Picks
	if l.n < len(l.all) {
		s := &l.all[l.n]
		l.n++
		s.Switch, s.at = h.Made, nkernel.HuntMoment()
		from := l.last.ptr()
		if from == nil {
			from = allgs[0] // main
		}
		if s.ended = uint64(from.goid) != s.From || readgstatus(from) == _Gdead; !s.ended {
			s.place(from)
		}
	}
	l.last.set(gp)
	nkernel.HuntResume(on, at)
}

// place finds where gp, which does not run, stands.
func (s *sched9Switch) place(gp *g) {
	var u unwinder
	for u.init(gp, unwindSilentErrors); u.valid(); u.next() {
		f := u.frame.fn
		iu, uf := newInlineUnwinder(f, u.symPC())
		for ; uf.valid(); uf = iu.next(uf) {
			name := iu.srcFunc(uf).name()
			if s.function = sched9ConstantOf(name); !sched9OfLibrary(name) {
				file, line := iu.fileLine(uf)
				s.file, s.line = sched9ConstantOf(file), int32(line)
				return
			}
			s.call = s.function
		}
	}
}

// sched9OfLibrary reports whether a function is of those packages of the library in which goroutines meet.
func sched9OfLibrary(name string) bool {
	for _, p := range [...]string{"runtime.", "sync.", "sync/", "internal/", "testing.", "time."} {
		if stringslite.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// sched9HuntTellReport tells the host of the switches, one a line: who left, how often it has, who was next, whether that was not the oldest, why (0: of
// itself) and at what number, whether it has ended, when, line, function, call and file.
func sched9HuntTellReport() {
	l := &sched9Switches
	for i := range l.n {
		s := &l.all[i]
		var b [9][20]byte
		number := func(i int, v uint64) string { return nkernel.Decimal(&b[i], v) }
		yes := func(is bool) uint64 {
			if is {
				return 1
			}
			return 0
		}
		nkernel.HuntTell("switch ", number(0, s.From), " ", number(1, uint64(s.N)), " ", number(2, s.To), " ", number(3, yes(s.Other)), " ",
			number(4, uint64(s.Why)), " ", number(5, uint64(s.At)), " ", number(6, yes(s.ended)), " ", number(7, s.at), " ", number(8, uint64(s.line)), " ",
			s.function.string(), " ", s.call.string(), " ", s.file.string(), "\n")
	}
}
