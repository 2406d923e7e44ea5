//go:build sched9 && sched9hunt

package runtime

import (
	nkernel "sched9/kernel"
	nsched "sched9/sched"
	nhunt "sched9/sched/hunt"
	_ "unsafe" // for go:linkname
)

// Hunting (sched/hunt.go): where it begins, and the points at which it is asked. cut_hunt.txt puts the calls where they belong.

// sched9HuntBegin is called by the main goroutine before main.main: from here on the seed decides.
func sched9HuntBegin() {
	go sched9Watcher()
	for !sched9Watch.idle {
		Gosched()
	}
	systemstack(func() {
		nkernel.HuntMark(firstmoduledata.noptrdata, firstmoduledata.end)
		seed, strategy, depth, limit, hang, ok := nkernel.Hunt()
		mp := getg().m
		if ok {
			nkernel.HuntSeed(nhunt.Chance(seed, strategy))
			var bits [4]uint64
			for i := range bits {
				bits[i] = nkernel.HuntRandom()
			}
			mp.chacha8.Init64(bits)
			sched9Seed(&mp.cheaprand)
		}
		nkernel.HuntGo()
		if ok {
			sched9.HuntBegin(mp.nsched, seed, strategy, depth, limit, hang)
			if moves := nkernel.HuntMoves(); moves != "" && !sched9.HuntFollow(moves) {
				nkernel.Fatal("hunt: the option sched9.huntmoves has no moves")
			}
		}
	})
}

// sched9Seed draws v, which has 64 bits with Go 1.26 and 32 with 1.27.
func sched9Seed[T uint32 | uint64](v *T) { *v = T(nkernel.HuntRandom()) }

// sched9Point is called by a goroutine that is about to synchronise with others, before it does. It leaves if the hunter wants that and
// it can.
//
// The hooks in sync/atomic are in what the scheduler and the kernel use of it, too. Those run on g0, or keep their M, or may not grow
// their stack: so nothing happens there, and this has no stack check and calls nothing before it has looked.
//
//go:linkname sched9Point
//go:nosplit
func sched9Point() {
	if sched9MayLeave(false) {
		mcall(sched9PointM)
	}
}

// sched9Passed is sched9Point for one that has just synchronised: what it has released others can take, before it does what comes next.
//
//go:nosplit
func sched9Passed() {
	if sched9MayLeave(true) {
		mcall(sched9PointM)
	}
}

// sched9MayLeave reports whether the caller is a goroutine that may leave here, about to synchronise or behind that, and the hunter is to be asked.
//
//go:nosplit
func sched9MayLeave(behind bool) bool {
	gp := getg()
	mp := gp.m
	return gp == mp.curg && mp.locks == 0 && mp.mallocing == 0 && mp.preemptoff == "" && mp.dying == 0 && !gp.throwsplit && sched9.HuntArrives(gp.goid, behind)
}

// sched9PointM asks the hunter, on g0: gp leaves, or goes on. It leaves, too, if a tick has asked it to: a loop that calls nothing but functions of sync/atomic has
// no prologue that would see that, and is hardly ever struck outside of them.
func sched9PointM(gp *g) {
	if sched9.HuntPoint(gp.m.nsched, sched9G(gp)) || gp.preempt {
		gopreempt_m(gp)
	}
	gogo(&gp.sched)
}

// sched9HuntIdle: see sched.HuntIdle.
func sched9HuntIdle(ns int64) nsched.Overdue { return sched9.HuntIdle(ns) }

// sched9Hunted returns what the hunter counted.
func sched9Hunted() (strategy, choices, preempts, hash, space uint64) {
	h := sched9.Hunter()
	return uint64(h.Strategy()), h.Count.Choices, h.Count.Preempts, h.Count.Hash, h.Space()
}
