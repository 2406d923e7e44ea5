//go:build sched9

package runtime

// The states of a goroutine and the edges between them [G1]. casgstatus makes all changes except
// those of the scan bit and of suspended goroutines. The edge is checked before the change; the
// goroutine's present state only if the compare-and-swap fails, since its success proves the state.

// sched9Edges has the bits of the states that may follow each state.
var sched9Edges = [16]uint16{
	_Gidle:      1<<_Gdead | 1<<_Gdeadextra,
	_Grunnable:  1 << _Grunning,
	_Grunning:   1<<_Grunnable | 1<<_Gsyscall | 1<<_Gwaiting | 1<<_Gdead | 1<<_Gcopystack,
	_Gsyscall:   1<<_Grunning | 1<<_Gdeadextra,
	_Gwaiting:   1<<_Grunnable | 1<<_Grunning | 1<<_Gleaked, // running: it only counted as waiting, while it suspended others
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

// sched9QuickEdges allows sched9Cas the ways that do not begin or end a system call, unless they are to be recorded. At
// boot, or while the world is stopped.
func sched9QuickEdges(recorded bool) {
	for from := range uint32(16) {
		for to := range uint32(16) {
			if sched9Edges[from]>>to&1 == 0 || from == _Gsyscall || to == _Gsyscall {
				continue
			}
			way := &sched9Quick[from<<4|to]
			switch {
			case recorded:
				*way = 0
			case from == _Grunning:
				*way = sched9WayLeave
			default:
				*way = sched9WayPlain
			}
		}
	}
}

// sched9Cas is casgstatus's fast path: it makes gp's transition and reports true, or changes
// nothing. It succeeds only if the edge is legal, gp is in state from, its latency is not being
// sampled (one stay in eight is, for /sched/latencies), and it is not in a synctest bubble. The
// caller owns the transition, as casgstatus's does. Any stack.
//
//go:nosplit
func sched9Cas(gp *g, from, to uint32) bool {
	way := from<<4 | to // a scan bit makes it too large
	if way >= uint32(len(sched9Quick)) || sched9Quick[way] == 0 || gp.tracking || gp.bubble != nil {
		return false
	}
	if sched9Quick[way] == sched9WayLeave {
		// casgstatus counts these, and begins to sample at every eighth, or at each if the
		// runtime's tests ask for it. Only gp itself, as it leaves, or the goroutine that suspended
		// it counts here.
		if gp.trackingSeq%gTrackingPeriod == 0 || casgstatusAlwaysTrack {
			return false
		}
		gp.trackingSeq++
	}
	return gp.atomicstatus.CompareAndSwap(from, to)
}

// sched9Edge ends the program if there is no edge between states from and to. Neither has the scan
// bit: casgstatus refuses that. Any stack.
//
//go:nosplit
func sched9Edge(gp *g, from, to uint32) {
	if sched9Edges[from&15]>>(to&15)&1 == 0 {
		sched9BadEdge(gp, from, to, "G1: a goroutine changes state along no edge")
	}
}

// sched9Stuck is called when gp is not in state from. If its state has the scan bit, the setter of
// the bit will clear it, and casgstatus waits for that. In any other case the program is wrong:
// only one party may move a goroutine at a time, so either another one has moved it, or it will
// stay in that state for ever. It returns the value of the condition that casgstatus tests next,
// which is then false.
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
