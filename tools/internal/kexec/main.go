//go:build linux

// Kexec is the only program of a small Linux: it has u-root's loader start the image /image by kexec, with the command line that stands
// in /line.
package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/u-root/u-root/pkg/boot/kexec"
)

func main() {
	err := start()
	fmt.Println("kexec: failed:", err)
	syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
}

// start returns only if it fails.
func start() error {
	for dir, fs := range map[string]string{"/proc": "proc", "/sys": "sysfs"} {
		if err := syscall.Mount(fs, dir, fs, 0, ""); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	line, err := os.ReadFile("/line")
	if err != nil {
		return err
	}
	if err := load("/image", string(line)); err != nil {
		return err
	}
	fmt.Println("kexec: starts the image")
	return kexec.Reboot()
}
