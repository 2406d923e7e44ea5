//go:build sched9

package runtime

import (
	narch "sched9/arch"
	nkernel "sched9/kernel"
	"unsafe"
)

// The CPU profile without SIGPROF: the kernel's timer gives samples, each processor one for each period that it was busy.

// sched9Sampler takes a sample. Where it is nil there never was a profile: only an image whose program can ask for one
// has the code in it.
var sched9Sampler func(f *narch.Frame)

// sched9SetProfiler is setProcessCPUProfiler: hz samples in a second from now on, 0: none. prof.signalLock is held, preemption off.
func sched9SetProfiler(hz int32) {
	sched9Sampler = sched9Sigprof
	nkernel.SetProfile(hz)
}

// sched9Sample is called by the kernel when a sample of the code interrupted at f is due. Runs as the M's gsignal, interrupts
// off. It takes no locks but the profiler's own, whose holders keep samples away from their own processor.
func sched9Sample(f *narch.Frame) {
	if take := sched9Sampler; take != nil {
		take(f)
	}
}

// sched9Sigprof gives the stock profiler a sample. A goroutine in a system call is in the kernel, on the scheduler's stack, from
// where no traceback leads to its own: its time is the call's, as it is on Linux. Context: see sched9Sample.
func sched9Sigprof(f *narch.Frame) {
	gp := (*g)(unsafe.Pointer(f.G))
	mp := gp.m
	if mp == nil || mp.nsched == nil {
		return
	}
	if curg := mp.curg; curg != nil && gp == mp.g0 && readgstatus(curg)&^_Gscan == _Gsyscall {
		sigprof(curg.syscallpc, curg.syscallsp, 0, curg, mp)
		return
	}
	sigprof(f.PC(), f.SP(), f.LR(), gp, mp)
}
