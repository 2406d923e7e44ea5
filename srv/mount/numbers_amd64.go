package mount

import "syscall"

// Calls whose names or existence depend on the architecture.
const (
	sysNewfstatat = syscall.SYS_NEWFSTATAT
	sysLchown     = syscall.SYS_LCHOWN
	sysRenameat2  = 316
)
