//go:build sched9

package runtime

// The states of a goroutine and the ways between them (G1). casgstatus makes all
// changes but those of the scan bit and of goroutines that are suspended. Which change
// is wanted is looked at before it is made; whether the goroutine is in the state that
// it is to leave, only where the compare-and-swap did not find it there, because that is
// what it shows otherwise.

// sched9Edges has the bits of the states that may follow each state.
var sched9Edges = [16]uint16{
	_Gidle:      1<<_Gdead | 1<<_Gdeadextra,
	_Grunnable:  1 << _Grunning,
	_Grunning:   1<<_Grunnable | 1<<_Gsyscall | 1<<_Gwaiting | 1<<_Gdead | 1<<_Gcopystack,
	_Gsyscall:   1<<_Grunning | 1<<_Gdeadextra,
	_Gwaiting:   1<<_Grunnable | 1<<_Grunning | 1<<_Gleaked, // running: it only counted as waiting, for who suspends others
	_Gdead:      1<<_Grunnable | 1<<_Gwaiting,
	_Gcopystack: 1 << _Grunning,
	_Gleaked:    1 << _Gwaiting,
	_Gdeadextra: 1 << _Gsyscall,
}

// sched9Plain is the same while there is no recorder that is on, and nothing when there
// is: what is not in it is looked at closely. So the check costs what the question
// whether to record did.
var sched9Plain = sched9Edges

// sched9Edge ends the program if there is no way from state from to state to, of which
// neither bears the scan bit: casgstatus refuses that. Any stack.
//
//go:nosplit
func sched9Edge(gp *g, from, to uint32) {
	if sched9Edges[from&15]>>(to&15)&1 == 0 {
		sched9BadEdge(gp, from, to, "G1: a goroutine changes state along no edge")
	}
}

// sched9Stuck is called where gp was not found in state from. It may bear the scan bit,
// and then casgstatus waits until whoever set that clears it. But who is about to move a
// goroutine is the only one who may: in another state it was moved by somebody else, or
// stays in that for ever.
//
//go:nosplit
func sched9Stuck(gp *g, from, to uint32) {
	if now := gp.atomicstatus.Load(); now&_Gscan == 0 && now != from {
		sched9BadEdge(gp, from, to, "G6: a goroutine is not in the state that it is to leave")
	}
}

// sched9BadEdge ends the program.
//
//go:nosplit
func sched9BadEdge(gp *g, from, to uint32, rule string) {
	systemstack(func() {
		print("sched9: goroutine ", gp.goid, " is to go from state ", from, " to ", to, ", and is in ", hex(gp.atomicstatus.Load()), "\n")
		print("sched9: broken rule ", rule, "\n")
		throw("scheduler invariant broken")
	})
}
