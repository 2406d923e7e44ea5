// Package qemu finds, starts, watches and ends QEMU for a bare-metal guest.
//
// One call of Start is one run of one guest. The guest talks to the host over
// three one-way channels and ends itself by a write to the debug-exit port:
//
//	port             device           host side
//	sched9.console   virtserialport   Config.Stdout, and Config.Input the other way
//	sched9.errors    virtserialport   Config.Stderr
//	0x3f8            COM1             Config.Stdout
//	0xe9             isa-debugcon     Config.Stderr
//	0xea             isa-debugcon     Config.Report
//	0xf4 (32b)       isa-debug-exit   QEMU ends with status 2*v+1
//	0x505            pvpanic          Reason Panicked
//
// (A virt has a PL011 for COM1, a PCI card with two serial ports for the debug consoles, and
// semihosting for the exit.)
//
// How the parts hold together, and why:
//
//   - Every channel is a pipe whose writing end QEMU inherits as an open file.
//     There is no name in the file system that could clash, be too long or be
//     left behind, and the kernel keeps what QEMU wrote until it is read, also
//     when QEMU has died since: no byte is lost.
//   - The monitor (QMP) needs a named socket because the client library dials.
//     It is bound and dialled before QEMU starts, QEMU inherits the listening
//     end, and the name is gone again by then. QEMU starts paused and runs only
//     when the monitor is connected, so no event is missed.
//   - One goroutine (supervise) decides how a run ends. Everything it waits for
//     has a limit, so Wait returns at most 10 seconds after Config.Timeout
//     whatever the guest, QEMU or the caller's writers do.
//   - QEMU dies with this process, also when this process is killed (Linux).
//
// The package keeps no state between runs except the remembered answer of the
// KVM probe (see prober). It runs on Unix hosts.
package qemu
