package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"sched9/kernel/names"
)

// table opens each file of the table: those of goroutine 1, P 0 and M 0.
func table() error {
	for _, f := range names.Table[1:] {
		if f.Path == "/proc/trace" { // it opens only when something is traced
			continue
		}
		path := strings.NewReplacer("GOID", "1", "/N/", "/0/").Replace(f.Path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, w := range f.Words {
			if !strings.Contains(string(text), w.Name) {
				return fmt.Errorf("%s does not name %s", path, w.Name)
			}
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() != true || (info.Mode()&0o200 != 0) != (f.Words != nil) {
			return fmt.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
		if _, err := os.OpenFile(path, os.O_WRONLY, 0); (err == nil) != (f.Words != nil) {
			return fmt.Errorf("%s opened for writing: %v", path, err)
		}
	}
	return nil
}

// environment has the variables as files, and the console by Plan 9's name.
func environment() error {
	text, err := os.ReadFile("/env/GREETING")
	if err != nil || string(text) != "good day, world" {
		return fmt.Errorf("/env/GREETING is %q, %v", text, err)
	}
	return os.WriteFile("/dev/cons", []byte("names: this line went to /dev/cons\n"), 0)
}

// messages has what the runtime prints, and not what the program writes.
func messages() error {
	println("names: the runtime says", "this")
	text, err := os.ReadFile("/dev/kmesg")
	if err != nil || !strings.HasPrefix(string(text), fmt.Sprintf("boot: %d processors, ", runtime.NumCPU())) {
		return fmt.Errorf("/dev/kmesg: %q, %v", text, err)
	}
	if !strings.Contains(string(text), "names: the runtime says this\n") || strings.Contains(string(text), "table ok") {
		return fmt.Errorf("/dev/kmesg: %q", text)
	}
	for i := range 640 {
		println("names: one of many lines", i)
	}
	text, err = os.ReadFile("/dev/kmesg")
	if err != nil || len(text) > 16<<10 || !strings.HasPrefix(string(text), "names: one of many lines ") || !strings.HasSuffix(string(text), " 639\n") {
		return fmt.Errorf("/dev/kmesg after many lines: %d bytes, %.40q, %v", len(text), text, err)
	}
	return nil
}

// self leaves the process's own directory as Linux has it.
func self() error {
	if _, err := os.ReadDir("/proc/self/fd"); err != nil {
		return err
	}
	for _, name := range []string{"/proc/0", "/proc/01", "/proc/999999999", "/proc/1/mem"} {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Mkdir("/proc/77777777", 0o755); !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("mkdir in /proc: %v", err)
	}
	return nil
}

// raw opens a file by a call that nobody can complete.
func raw() error {
	path := append([]byte("/sched/status"), 0)
	const atCWD = -100
	_, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(atCWD&(1<<64-1)), uintptr(unsafe.Pointer(&path[0])), 0, 0, 0, 0)
	if errno != syscall.EOPNOTSUPP {
		return fmt.Errorf("a raw open: %v", errno)
	}
	return nil
}
