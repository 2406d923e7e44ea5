package audit

import "strings"

// own are the beginnings of the symbols of sched9's packages as they lie in an
// image: kernel, drivers, record and sched under sched9, the architecture's package in
// internal/runtime itself. (Compare goruntime, which lays them there.)
var own = []string{
	"internal/runtime/s9/",
	"internal/runtime.",
}

// isOwn reports whether the function called name is sched9's.
func isOwn(name string) bool { return hasAny(name, own) }

// callees are the beginnings of what sched9's packages must not call, after
// "runtime.", by what is wrong with it. A function with a stack check calls
// morestack, and a check of an index panicIndex: these end the run if they
// come to anything, so they are not here.
var callees = []string{
	// Write barriers.
	"gcWriteBarrier", "wbZero", "wbMove", "typedmemmove", "typedmemclr", "typedslicecopy",
	"typedarrayclear", "bulkBarrierPreWrite", "memclrHasPointers", "reflect_typedmem",

	// Allocation, also of what the compiler makes of Go's own operations.
	"newobject", "newarray", "mallocgc", "growslice", "makeslice", "makechan", "makemap",
	"mapassign", "mapclear", "mapdelete", "mapclone", "concatstring", "concatbyte", "intstring",
	"slicebytetostring", "slicerunetostring", "stringtoslice", "rawstring", "rawbyteslice", "rawruneslice",
	"convT", "typeAssert", "interfaceSwitch", "getitab", "assertE2I", "persistentalloc",

	// What needs a goroutine, or waits.
	"newproc", "deferproc", "deferreturn", "gopanic", "gorecover", "gopark", "goready", "goschedguarded",
	"chansend", "chanrecv", "closechan", "selectgo", "selectnb", "semacquire", "semrelease",
	"lock2", "unlock2", "acquirem", "releasem",

	// What checks conversions of pointers looks into the heap, and does not fit code that makes addresses from numbers.
	"checkptr",
}

// forbidden reports whether sched9's packages must not call the function.
func forbidden(callee string) bool {
	name, ok := strings.CutPrefix(callee, "runtime.")
	return ok && hasAny(name, callees)
}

// boot are functions that run once, before there is a P and before any M but the
// first. The collector is not enabled yet, so write barriers are off: the code
// for them is there, but is passed by. Among sched9's packages only they may call each
// other: misplaced finds who else does. An image has them as functions of their own or not,
// as the compiler inlines them and as the linker keeps exported methods for reflection.
var boot = map[string]bool{
	"internal/runtime.Boot":                              true,
	"internal/runtime.bootKernel":                        true,
	"internal/runtime.ReadLoader":                        true,
	"internal/runtime/s9/arch/amd64/loader.Read":         true,
	"internal/runtime/s9/kernel.boot":                    true,
	"internal/runtime/s9/kernel.initCalls":               true,
	"internal/runtime/s9/kernel.initMemory":              true,
	"internal/runtime/s9/kernel.initRecorders":           true,
	"internal/runtime/s9/kernel/frame.(*Allocator).Init": true,
	"internal/runtime/s9/record.(*Recorder).Init":        true,
	"internal/runtime/s9/sched.(*Sched).Init":            true,
}

// isBoot reports whether the function called name, of either calling convention, is one
// of boot's.
func isBoot(name string) bool { return boot[strings.TrimSuffix(name, ".abi0")] }

// ordinary are functions of the kernel's that other packages call, on a goroutine that has a P: there write barriers are in place.
var ordinary = map[string]bool{
	"internal/runtime/s9/kernel.Rest":     true,
	"internal/runtime/s9/kernel.mapFiles": true,

	"internal/runtime/s9/kernel/vm.(*VM).MapFiles": true,
}

// allowed reports whether the function may call callee though it is forbidden.
func allowed(name, callee string) bool {
	return (isBoot(name) || ordinary[name]) && strings.HasPrefix(callee, "runtime.gcWriteBarrier")
}

// misplaced reports whether the function calls callee, which is only for boot, from
// elsewhere.
func misplaced(name, callee string) bool { return isBoot(callee) && !isBoot(name) }

// judge says what is wrong with a call by one of sched9's functions, as a Finding does;
// "" if nothing is.
func judge(name, callee string) string {
	switch {
	case forbidden(callee) && !allowed(name, callee):
		return "calls " + callee
	case misplaced(name, callee):
		return "calls " + callee + ", which is for boot alone"
	}
	return ""
}

// hasAny reports whether s begins with one of prefixes.
func hasAny(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
