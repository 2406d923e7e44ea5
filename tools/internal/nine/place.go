package nine

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Address reads where a guest's files are served: :PORT or ADDRESS:PORT, or the path of a unix socket, which has a slash. Without an
// address it is this host alone: who can connect may do with the program what he likes.
func Address(s string) (network, address string, err error) {
	if strings.Contains(s, "/") {
		s, err = filepath.Abs(s)
		return "unix", s, err
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", "", fmt.Errorf("9p: %q is not of the form :PORT, ADDRESS:PORT or /PATH", s)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", "", fmt.Errorf("9p: %q is no port, 1 to 65535 are, and 0 for any", port)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Zone() != "" {
		return "", "", fmt.Errorf("9p: %q is no address of this host's", host)
	}
	return "tcp", net.JoinHostPort(addr.String(), strconv.FormatUint(n, 10)), nil
}

// A run notes its guest's address in a file of this user's alone, which is called after the process, so that commands find it.

// places is the directory of those files.
func places() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("sched9-9p-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || !st.IsDir() || int(sys.Uid) != os.Getuid() || st.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("%s is not a directory of this user's alone", dir)
	}
	return dir, nil
}

// note notes address, and returns how to forget it.
func note(address string) (forget func(), err error) {
	dir, err := places()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(address)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return func() { os.Remove(f.Name()) }, err
}

// Find returns the address of the only guest of this user's that serves its files.
func Find() (string, error) {
	dir, err := places()
	if err != nil {
		return "", err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var all []string
	for _, f := range files {
		pid, _, _ := strings.Cut(f.Name(), "-")
		name := filepath.Join(dir, f.Name())
		if n, err := strconv.Atoi(pid); err != nil || n <= 0 || errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			os.Remove(name) // its run is over, and could not
			continue
		}
		if text, err := os.ReadFile(name); err == nil && len(text) > 0 {
			all = append(all, string(text))
		}
	}
	slices.Sort(all)
	switch len(all) {
	case 0:
		return "", errors.New("no guest serves its files: sched9 run -9p ADDR starts one. What a guest did that has ended, sched9 ps -trace FILE tells, if sched9 run -trace FILE recorded it")
	case 1:
		return all[0], nil
	}
	return "", fmt.Errorf("several guests serve their files; choose one: -9p %s", strings.Join(all, ", -9p "))
}
