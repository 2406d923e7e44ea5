package call

import "syscall"

// sysDup2 is dup2, which newer architectures do not have.
const sysDup2 = syscall.SYS_DUP2
