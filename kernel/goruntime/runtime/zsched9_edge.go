//go:build sched9

package runtime

// The states of a goroutine and the ways between them [G1]. casgstatus makes all
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

// sched9Quick says of the way from state from to state to, at from<<4|to, whether
// sched9Cas may take it. It has none while there is a recorder that is on: that wants to
// know of each.
var sched9Quick [256]uint8

const (
	sched9WayPlain = 1 + iota
	sched9WayLeave // from running: some are counted, and measured
)

// sched9QuickEdges allows sched9Cas the ways that do not begin or end a system call. At
// boot.
func sched9QuickEdges() {
	for from := range uint32(16) {
		for to := range uint32(16) {
			if sched9Edges[from]>>to&1 == 0 || from == _Gsyscall || to == _Gsyscall {
				continue
			}
			sched9Quick[from<<4|to] = sched9WayPlain
			if from == _Grunning {
				sched9Quick[from<<4|to] = sched9WayLeave
			}
		}
	}
}

// sched9Cas makes gp's change of state if that is all there is to it, and reports whether
// it did: there is such a way, gp is where it should be, and neither in one of those
// eighths of stays that the runtime measures (/sched/latencies) nor part of a test in a
// bubble of time. The caller owns the change, as casgstatus's does. Any stack.
//
//go:nosplit
func sched9Cas(gp *g, from, to uint32) bool {
	way := from<<4 | to // a scan bit makes it too large
	if way >= uint32(len(sched9Quick)) || sched9Quick[way] == 0 || gp.tracking || gp.bubble != nil {
		return false
	}
	if sched9Quick[way] == sched9WayLeave {
		// casgstatus counts these, and begins to measure at every eighth, or at each if
		// the runtime's tests ask for it. It is gp itself that leaves, or who has
		// suspended it: nobody else counts.
		if gp.trackingSeq%gTrackingPeriod == 0 || casgstatusAlwaysTrack {
			return false
		}
		gp.trackingSeq++
	}
	return gp.atomicstatus.CompareAndSwap(from, to)
}

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
// stays in that for ever. It returns what casgstatus asks there, which is false then.
//
//go:nosplit
func sched9Stuck(gp *g, from, to uint32) bool {
	now := gp.atomicstatus.Load()
	if now&_Gscan == 0 && now != from {
		sched9BadEdge(gp, from, to, "G6: a goroutine is not in the state that it is to leave")
	}
	return from == _Gwaiting && now == _Grunnable
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
