package main

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// system is the kernel's name: "sched9" or "Linux".
func system() string {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil {
		return "unknown"
	}
	var b []byte
	for _, c := range u.Sysname {
		b = append(b, byte(c))
	}
	name, _, _ := bytes.Cut(b, []byte{0})
	return string(name)
}

// first reports whether this program is all that there is on a Linux machine.
func first() bool { return os.Getpid() == 1 && system() != "sched9" }

// begin makes the first line, as early as can be.
func begin() about {
	a := about{Op: "start", System: system(), Go: runtime.Version(), CPUs: runtime.NumCPU()}
	a.Total, a.Free = memory()
	if first() {
		os.Mkdir("/sys", 0o755)
		if syscall.Mount("sysfs", "/sys", "sysfs", 0, "") == nil {
			clock, _ := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
			a.Clock = strings.TrimSpace(string(clock))
		}
	}
	return a
}

// end ends the program, after its output has gone out, and the machine if this is its only program.
func end(status int) {
	if first() {
		const tcsbrk = 0x5409 // with 1: wait until all is sent
		syscall.Syscall(syscall.SYS_IOCTL, 1, tcsbrk, 1)
		syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
	}
	os.Exit(status)
}

// memory returns how much memory the kernel can allocate, and how much of it is free; zeros if the
// kernel does not say.
func memory() (total, free uint64) {
	var i syscall.Sysinfo_t
	if syscall.Sysinfo(&i) != nil {
		return 0, 0
	}
	return uint64(i.Totalram) * uint64(i.Unit), uint64(i.Freeram) * uint64(i.Unit)
}

// taken returns how much memory is in use.
func taken() uint64 {
	if total, free := memory(); total != 0 {
		return total - free
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}

// handoffP returns how long it takes until another goroutine runs on the only P
// when one makes a call that blocks: that of a device that is polled (sched9), or a
// read of a pipe (Linux). On sched9 a second CPU is needed: the call holds its own.
func handoffP(n int) []float64 {
	block, release := pipe()
	if system() == "sched9" {
		if runtime.NumCPU() < 2 {
			return nil
		}
		block, release = device()
	}
	if block == nil {
		return nil
	}
	ready := make(chan bool, 1)
	ran := make(chan time.Time, 1)
	go func() {
		for range ready {
			ran <- time.Now()
			release()
		}
	}()
	var s []float64
	for range n {
		ready <- true // it is in the queue, and does not run yet
		begin := time.Now()
		block()
		s = append(s, float64((<-ran).Sub(begin)))
	}
	close(ready)
	return s
}

// pipe returns a call that blocks, and a function that ends it; nil if there are no pipes.
func pipe() (block, release func()) {
	var fd [2]int
	if syscall.Pipe2(fd[:], 0) != nil {
		return nil, nil
	}
	var in, out byte
	return func() { syscall.Syscall(syscall.SYS_READ, uintptr(fd[0]), uintptr(unsafe.Pointer(&in)), 1) },
		func() { syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd[1]), uintptr(unsafe.Pointer(&out)), 1) }
}

// device returns a call that holds its CPU for two milliseconds.
func device() (block, release func()) {
	fd, err := syscall.Open("/dev/delay", syscall.O_RDONLY, 0)
	if err != nil {
		return nil, nil
	}
	b := make([]byte, 2000)
	return func() { syscall.Pread(fd, b, 0) }, func() {}
}
