package qemu

import "syscall"

// attributes makes QEMU die with the thread that started it (see process.keep)
// and keeps a terminal's Ctrl-C from it: how a run ends is supervise's
// decision.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
