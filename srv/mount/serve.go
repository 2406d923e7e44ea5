package mount

import (
	"syscall"
	"time"

	"sched9/srv/call"
)

// serve is the Server.
func serve(c call.Call) (r uintptr, served bool) {
	if c.Num == syscall.SYS_UMASK {
		r := call.Kernel(c.Num, c.A, 0, 0)
		umask.Store(uint32(c.A) & 0o777)
		return r, true
	}
	if !active.Load() {
		return 0, false
	}
	switch c.Num {
	case syscall.SYS_READ, syscall.SYS_WRITE, syscall.SYS_PREAD64, syscall.SYS_PWRITE64, syscall.SYS_LSEEK, syscall.SYS_FSTAT, syscall.SYS_GETDENTS64,
		syscall.SYS_FTRUNCATE, syscall.SYS_FCHMOD, syscall.SYS_FCHOWN, syscall.SYS_FSYNC, syscall.SYS_FDATASYNC, syscall.SYS_FCHDIR, syscall.SYS_FCNTL:
		if f := fileAt(c.A); f != nil {
			return f.carryOut(&c), true
		}
		if c.Num == syscall.SYS_FCHDIR {
			return leaveTo(c.A), true
		}
		return 0, false
	case syscall.SYS_GETCWD:
		return workingDirectory(&c)
	}
	return servePath(c)
}

// leaveTo is fchdir to a directory of the kernel's.
func leaveTo(n uintptr) uintptr {
	table.lock.Lock()
	r := call.Kernel(syscall.SYS_FCHDIR, n, 0, 0)
	var old *place
	if !call.Failed(r) {
		old, table.cwd = table.cwd, nil
	}
	table.lock.Unlock()
	old.drop()
	return r
}

// workingDirectory is getcwd, if that is a server's.
func workingDirectory(c *call.Call) (r uintptr, served bool) {
	table.lock.RLock()
	cwd := table.cwd
	if cwd != nil {
		cwd.hold()
	}
	table.lock.RUnlock()
	if cwd == nil {
		return 0, false
	}
	defer cwd.drop()
	b := append([]byte(cwd.path()), 0)
	switch {
	case uintptr(len(b)) > c.B:
		return call.Fail(syscall.ERANGE), true
	case !c.Out(c.A, b):
		return call.Fail(syscall.EFAULT), true
	}
	return uintptr(len(b)), true
}

// nanoseconds is a time since 1970, 0 for none.
func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
