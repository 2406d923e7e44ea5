package toolchain

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// copied returns the directory under dir with the copy of root for name, and makes the copy if
// there is none. A copy appears whole, by a rename; under a lock one process copies at a time, and
// removes the remains of a killed one.
func copied(ctx context.Context, root, dir, name string, note func(string)) (string, error) {
	to := filepath.Join(dir, name)
	if exists(to) {
		return to, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(to) { // another process was faster
		return to, nil
	}
	note("copying " + name + " out of the module cache")
	part := to + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := os.CopyFS(part, cancellable{os.DirFS(root), ctx}); err != nil {
		os.RemoveAll(part)
		return "", fmt.Errorf("the copy of %s failed: %w", root, err)
	}
	if err := os.Rename(part, to); err != nil {
		return "", err
	}
	return to, nil
}

// exists reports whether there is something at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lock takes the lock that is the file at path, and waits for it. The kernel
// drops it with the process.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// cancellable is a file system that opens nothing more when ctx is cancelled.
type cancellable struct {
	fs.FS
	ctx context.Context
}

// Open opens a file of the file system, or fails as the context did.
func (c cancellable) Open(name string) (fs.File, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	return c.FS.Open(name)
}
