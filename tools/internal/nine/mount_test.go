package nine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fuses reports whether this machine mounts by FUSE: it has the device, and this process has the right to mount, or fusermount3, which has it.
func fuses(t *testing.T) bool {
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	at := t.TempDir()
	if err := syscall.Mount("probe", at, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", f.Fd(), os.Getuid(), os.Getgid())); err == nil {
		return syscall.Unmount(at, syscall.MNT_DETACH) == nil
	}
	_, err = exec.LookPath("fusermount3")
	return err == nil
}

// mounted mounts a guest's files. Where that cannot be it must be refused in plain words, and that was all of the test.
func mounted(t *testing.T) (dir, at string, stop func(), ended chan error, ok bool) {
	t.Helper()
	dir, r, stop := guest(t)
	at = t.TempDir()
	m, err := MountAt(at, r.Address, time.Minute)
	if !fuses(t) {
		if err == nil || !strings.Contains(err.Error(), "FUSE") {
			t.Errorf("this machine mounts nothing by FUSE, and MountAt says %v", err)
		}
		return dir, at, stop, nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		ended <- m.Wait(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	return dir, at, stop, ended, true
}

func TestMount(t *testing.T) {
	dir, at, stop, ended, ok := mounted(t)
	if !ok {
		return
	}
	long := []byte(strings.Repeat("sched9\n", 30_000))
	for _, err := range []error{
		os.Mkdir(filepath.Join(at, "d"), 0o755), os.WriteFile(filepath.Join(at, "d/f"), long, 0o640), os.WriteFile(filepath.Join(at, "d/f"), long[7:], 0o600),
		os.Rename(filepath.Join(at, "d/f"), filepath.Join(at, "d/g")), os.WriteFile(filepath.Join(at, "d/f"), nil, 0o644),
		os.Chtimes(filepath.Join(at, "d/g"), time.Unix(1e9, 0), time.Unix(1e9, 0)), os.Chmod(filepath.Join(at, "d/g"), 0o600),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, d := range []string{dir, at} {
		got, err := os.ReadFile(filepath.Join(d, "d/g"))
		if err != nil || !slices.Equal(got, long[7:]) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		st, err := os.Stat(filepath.Join(d, "d/g"))
		if err != nil || st.Size() != int64(len(long)-7) || st.Mode() != 0o600 || st.ModTime().Unix() != 1e9 {
			t.Errorf("%v, %v", st, err)
		}
		all, err := os.ReadDir(filepath.Join(d, "d"))
		if err != nil || len(all) != 2 || all[0].Name() != "f" || all[1].IsDir() {
			t.Errorf("%v, %v", all, err)
		}
	}
	for _, c := range []struct {
		err  error
		want syscall.Errno
	}{
		{os.Remove(filepath.Join(at, "d")), syscall.ENOTEMPTY},
		{os.Mkdir(filepath.Join(at, "d"), 0o755), syscall.EEXIST},
		{os.Rename(filepath.Join(at, "none"), filepath.Join(at, "d")), syscall.ENOENT},
		{os.Rename(filepath.Join(at, "d/f"), filepath.Join(at, "f")), syscall.EXDEV},
		{os.Truncate(filepath.Join(at, "d"), 0), syscall.EISDIR},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%v, not %v", c.err, c.want)
		}
	}
	if err := os.Rename(filepath.Join(at, "d/f"), filepath.Join(at, "d/g")); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(at, "d/g")); err != nil {
		t.Error(err)
	}
	// What came and went behind its back.
	os.WriteFile(filepath.Join(dir, "new"), []byte("text"), 0o600)
	if text, err := os.ReadFile(filepath.Join(at, "new")); string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	os.Remove(filepath.Join(dir, "new"))
	if _, err := os.Stat(filepath.Join(at, "new")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	// The guest ends while a file is open.
	f, err := os.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stop()
	if err := <-ended; err == nil || err.Error() != "the guest is gone" {
		t.Errorf("Wait: %v", err)
	}
	if all, err := os.ReadDir(at); err != nil || len(all) > 0 {
		t.Errorf("the directory is not the host's again: %v, %v", all, err)
	}
}

// TestMountWaits: a read that waits keeps nothing else waiting.
func TestMountWaits(t *testing.T) {
	dir, at, _, _, ok := mounted(t)
	if !ok {
		return
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(at, "pipe"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	waits := make(chan string, 1)
	go func() {
		b := make([]byte, 10)
		n, err := f.Read(b)
		waits <- fmt.Sprintf("%q, %v", b[:n], err)
	}()
	for range 10 {
		if err := os.WriteFile(filepath.Join(at, "other"), []byte("x"), 0o600); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "pipe"), []byte("late"), 0); err != nil {
		t.Fatal(err)
	}
	if got := <-waits; got != `"late", <nil>` {
		t.Errorf("the read that waited: %s", got)
	}
}
