package qemu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	scratchPrefix = "sched9-"
	maxSocketPath = 100             // sockaddr_un takes 104 (BSD) to 108 (Linux) bytes
	staleAge      = 1 * time.Minute // see sweep
)

// newScratch makes a private directory (mode 0700) under os.TempDir whose name
// carries this process's id: sched9-<pid>-<random>. The caller removes it.
func newScratch() (string, error) {
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", scratchPrefix, os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("private directory: %w", err)
	}
	return dir, nil
}

// socketPath is the path of the socket name in dir, or an error if the kernel
// would not take a path so long.
func socketPath(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	if len(path) >= maxSocketPath {
		return "", fmt.Errorf("socket path %s is too long: set TMPDIR to a shorter directory", path)
	}
	return path, nil
}

// sweep removes what killed runs left under tmp: scratch directories whose
// process is gone. A process may be invisible because it lives in a container
// that shares tmp with us, so a directory must also be older than staleAge;
// a live one lasts milliseconds, or the seconds of a KVM probe. Errors are
// not reported: another sweep may have been faster, or it is another user's.
func sweep(tmp string) {
	dirs, _ := filepath.Glob(filepath.Join(tmp, scratchPrefix+"*-*"))
	for _, dir := range dirs {
		rest := strings.TrimPrefix(filepath.Base(dir), scratchPrefix)
		pidText, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(pidText)
		if err != nil || pid <= 0 || alive(pid) {
			continue
		}
		st, err := os.Lstat(dir)
		if err != nil || !st.IsDir() || time.Since(st.ModTime()) < staleAge {
			continue
		}
		os.RemoveAll(dir)
	}
}

// alive reports whether a process with this id exists. Signal 0 is only the
// check; EPERM means that it exists and is another user's.
func alive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
