//go:build sched9

package runtime

// A print statement is a series of calls of writeErr, and a write to the console each would let
// others' lines in between. What one prints is gathered here. debuglock guards it: the
// compiler has a statement hold that from its first call to its last (print.go).
var sched9Line struct {
	text [1024]byte
	n    int
}

// sched9WriteErr writes b to standard error, and what a dying program says to where debug.SetCrashOutput wants it. Any stack.
//
//go:nosplit
func sched9WriteErr(b []byte) {
	if len(b) == 0 {
		return
	}
	if getg().m.printlock == 0 { // no print statement, so nothing marks its end
		writeErrData(&b[0], int32(len(b)))
		return
	}
	l := &sched9Line
	if l.n+len(b) > len(l.text) {
		sched9Printed()
	}
	if len(b) > len(l.text) {
		writeErrData(&b[0], int32(len(b)))
		return
	}
	l.n += copy(l.text[l.n:], b)
	if b[len(b)-1] == '\n' {
		sched9Printed() // also if a fault in a statement keeps it from its end
	}
}

// sched9PrintUnlock ends a print statement, which holds debuglock.
//
//go:nosplit
func sched9PrintUnlock() {
	sched9Printed()
	unlock(&debuglock)
}

// sched9Printed writes what was gathered. debuglock is held.
//
//go:nosplit
func sched9Printed() {
	if n := sched9Line.n; n > 0 {
		sched9Line.n = 0
		writeErrData(&sched9Line.text[0], int32(n))
	}
}
