//go:build sched9 && sched9names

package runtime

import (
	"internal/goarch"
	"internal/stringslite"
	"unsafe"
)

// sched9EntryName is the name of the function that a goroutine is made of which begins at pc. Of `go f(x)` that is f, though the goroutine begins
// with a wrapper that the compiler makes of the statement; the wrapper's own name if what it calls is only known when it runs. The tool does
// the same for recordings (trace/inline.go).
func sched9EntryName(pc uintptr) string {
	f := findfunc(pc)
	name := funcname(f)
	if sched9IsWrapper(name) {
		if callee := sched9Callee(f); callee != "" {
			name = callee
		}
	}
	return funcNameForPrint(name)
}

// sched9IsWrapper reports whether the compiler made a function of that name of a go statement: it is called after the function
// that the statement is in, with .gowrap and a number behind.
func sched9IsWrapper(name string) bool {
	n := len(name)
	for n > 0 && name[n-1] >= '0' && name[n-1] <= '9' {
		n--
	}
	return n < len(name) && stringslite.HasSuffix(name[:n], ".gowrap")
}

// sched9Callee is the function that wrapper f calls: the outermost that was put into it, or else the last that its code calls, beside the
// runtime's for the call itself. "" if there is none.
func sched9Callee(f funcInfo) (name string) {
	for pc := f.entry(); findfunc(pc) == f; pc++ {
		u, uf := newInlineUnwinder(f, pc)
		for u.isInlined(uf) {
			name = u.srcFunc(uf).name()
			uf = u.next(uf)
		}
		if name != "" {
			return name
		}
	}
	for pc := f.entry(); findfunc(pc) == f; pc += sched9CallStep {
		to := sched9CallAt(pc)
		if to == 0 {
			continue
		}
		g := findfunc(to)
		if !g.valid() || g.entry() != to {
			continue // no call, but bytes that look like one
		}
		if n := funcname(g); !sched9OwnCall(n) {
			name = n
		}
	}
	return name
}

// sched9OwnCall reports whether the compiler calls a function of that name for the sake of the wrapper.
func sched9OwnCall(name string) bool {
	for _, own := range [...]string{"runtime.morestack", "runtime.panic", "runtime.gcWriteBarrier", "runtime.racefunc"} {
		if stringslite.HasPrefix(name, own) {
			return true
		}
	}
	return false
}

// sched9CallStep is the distance of places at which an instruction can begin.
const sched9CallStep = goarch.IsAmd64*1 + goarch.IsArm64*4

// sched9CallAt is where the direct call at pc leads, 0 if there is none. On amd64 pc may be within an instruction: the caller tells the result from chance by its
// being the entry of a function, as one of a million places is.
func sched9CallAt(pc uintptr) uintptr {
	if goarch.IsArm64 == 1 {
		const bl = 0x94000000
		code := *(*uint32)(unsafe.Pointer(pc))
		if code&0xfc000000 != bl {
			return 0
		}
		return pc + uintptr(int64(int32(code<<6)>>6)<<2)
	}
	const call, size = 0xe8, 5
	if *(*byte)(unsafe.Pointer(pc)) != call {
		return 0
	}
	return pc + size + uintptr(int64(*(*int32)(unsafe.Pointer(pc + 1))))
}
