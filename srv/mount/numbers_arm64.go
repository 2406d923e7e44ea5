package mount

import "syscall"

// Calls whose names or existence depend on the architecture.
const (
	sysNewfstatat = syscall.SYS_FSTATAT
	sysLchown     = ^uintptr(0) // none
	sysRenameat2  = 276
)
