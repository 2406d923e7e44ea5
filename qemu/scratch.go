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
	maxSocketPath = 100       // sockaddr_un takes 104 (BSD) to 108 (Linux) bytes
	staleAge      = time.Hour // see sweep
)

// Scratch is a pattern for os.CreateTemp and os.MkdirTemp: the name of a file or directory under
// os.TempDir, for what, with this process's id: sched9-<pid>-<what>-<random>. Its maker removes it,
// as early as possible; a killed process cannot, and a later Start of any process does it instead
// (sweep).
func Scratch(what string) string {
	return fmt.Sprintf("%s%d-%s-", scratchPrefix, os.Getpid(), what)
}

// newScratch makes a private directory (mode 0700). The caller removes it.
func newScratch() (string, error) {
	dir, err := os.MkdirTemp("", Scratch("qemu"))
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

// sweep removes what killed processes left under tmp: scratch files and directories whose
// process is gone. A process may be invisible because it lives in a container
// that shares tmp with us, so they must also be older than staleAge, which is longer than
// a build. Errors are not reported: another sweep may have been faster, or it is another user's.
func sweep(tmp string) {
	names, _ := filepath.Glob(filepath.Join(tmp, scratchPrefix+"*-*"))
	for _, name := range names {
		rest := strings.TrimPrefix(filepath.Base(name), scratchPrefix)
		pidText, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(pidText)
		if err != nil || pid <= 0 || alive(pid) {
			continue
		}
		st, err := os.Lstat(name)
		if err != nil || !st.IsDir() && !st.Mode().IsRegular() || time.Since(st.ModTime()) < staleAge {
			continue
		}
		os.RemoveAll(name)
	}
}

// alive reports whether a process with this id exists. Signal 0 is only the
// check; EPERM means that it exists and is another user's.
func alive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
