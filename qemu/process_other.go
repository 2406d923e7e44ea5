//go:build !linux

package qemu

import "syscall"

// attributes keeps a terminal's Ctrl-C from QEMU. Only Linux can tie QEMU's
// life to ours: elsewhere a QEMU outlives us when we are killed by force.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
