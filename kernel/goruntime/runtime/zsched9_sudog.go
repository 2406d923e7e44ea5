//go:build sched9

package runtime

import "unsafe"

// What a waiting goroutine is on the list of a channel with, a sudog, from its P's own store and back, where nothing is unusual.
// Neither function calls any other, so that nothing preempts the goroutine in it: it keeps its P.

// sched9Sudog is acquireSudog if the P has one; else it returns nil.
//
//go:nosplit
func sched9Sudog() *sudog {
	pp := getg().m.p.ptr()
	n := len(pp.sudogcache) - 1
	if n < 0 {
		return nil
	}
	s := pp.sudogcache[n]
	pp.sudogcache[n] = nil
	pp.sudogcache = pp.sudogcache[:n]
	return s
}

// sched9FreeSudog is releaseSudog if s is as it should be and the P has room for it; else it changes nothing and reports false.
//
//go:nosplit
func sched9FreeSudog(s *sudog) bool {
	gp := getg()
	left := uintptr(unsafe.Pointer(s.next)) | uintptr(unsafe.Pointer(s.prev)) | uintptr(unsafe.Pointer(s.waitlink)) | s.elem.uintptr() |
		s.c.uintptr() | uintptr(sched9Byte(unsafe.Pointer(&s.isSelect))) | uintptr(gp.param)
	pp := gp.m.p.ptr()
	n := len(pp.sudogcache)
	if left != 0 || n >= cap(pp.sudogcache) {
		return false
	}
	pp.sudogcache = pp.sudogcache[:n+1]
	pp.sudogcache[n] = s
	return true
}
