package main

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// first reports whether this program is all that there is on a Linux machine.
func first() bool {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil || os.Getpid() != 1 {
		return false
	}
	var name []byte
	for _, c := range u.Sysname {
		name = append(name, byte(c))
	}
	return bytes.HasPrefix(name, []byte("Linux\x00"))
}

// system brings up what a Linux machine has that nobody else brings up: the drivers that are there as /modules/*, in the order of their
// names, and the interfaces, with the addresses of QEMU's user network. Elsewhere it does nothing.
func system() error {
	if !first() {
		return nil
	}
	modules, _ := filepath.Glob("/modules/*")
	for _, name := range modules {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if _, _, errno := syscall.Syscall(syscall.SYS_INIT_MODULE, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), uintptr(unsafe.Pointer(&[1]byte{}))); errno != 0 {
			return fmt.Errorf("%s: %w", name, errno)
		}
	}
	if err := up("lo", netip.MustParsePrefix("127.0.0.1/8")); err != nil || len(modules) == 0 {
		return err
	}
	return up("eth0", netip.MustParsePrefix("10.0.2.15/24"))
}

// up gives an interface an address and brings it up (netdevice(7)).
func up(name string, p netip.Prefix) error {
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(s)
	address := p.Addr().As4()
	mask := ^uint32(0) << (32 - p.Bits())
	for _, c := range []struct {
		call  uintptr
		value []byte
	}{
		{syscall.SIOCSIFADDR, append([]byte{syscall.AF_INET, 0, 0, 0}, address[:]...)},
		{syscall.SIOCSIFNETMASK, []byte{syscall.AF_INET, 0, 0, 0, byte(mask >> 24), byte(mask >> 16), byte(mask >> 8), byte(mask)}},
		{syscall.SIOCSIFFLAGS, []byte{syscall.IFF_UP | syscall.IFF_RUNNING, 0}},
	} {
		var request [40]byte // struct ifreq: the name, then the value
		copy(request[:16], name)
		copy(request[16:], c.value)
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(s), c.call, uintptr(unsafe.Pointer(&request))); errno != 0 {
			return fmt.Errorf("%s: ioctl %#x: %w", name, c.call, errno)
		}
	}
	return nil
}

// powerOff ends a Linux machine after its output has gone out, if this is all that there is on it.
func powerOff() {
	if first() {
		const tcsbrk = 0x5409 // with 1: wait until all is sent
		syscall.Syscall(syscall.SYS_IOCTL, 1, tcsbrk, 1)
		syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
	}
}
