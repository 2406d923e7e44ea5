//go:build linux

// Kexec is the only program of a small Linux: it has u-root's loader start the image /image by kexec, with the command line that stands
// in /line. Linux passes no root pointer of ACPI's tables on, so under UEFI its address is put before it (docs/loaders.md).
package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/u-root/u-root/pkg/boot/kexec"
	"github.com/u-root/u-root/pkg/boot/multiboot"
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
	image, err := os.ReadFile("/image")
	if err != nil {
		return err
	}
	line, err := os.ReadFile("/line")
	if err != nil {
		return err
	}
	words := string(line)
	if table, err := os.ReadFile("/sys/firmware/efi/systab"); err == nil {
		for entry := range strings.Lines(string(table)) {
			if at, is := strings.CutPrefix(strings.TrimSpace(entry), "ACPI20="); is {
				words = "acpi_rsdp=" + at + " " + words
			}
		}
	}
	entry, segments, err := multiboot.PrepareLoad(false, bytes.NewReader(image), words, nil, nil)
	if err != nil {
		return err
	}
	for i := range segments { // package kexec (u-root v0.16.0) panics for one without bytes, as of zeros alone
		if len(segments[i].Buf) == 0 {
			segments[i].Buf = []byte{0}
		}
	}
	if err := kexec.Load(entry, segments, 0); err != nil {
		return err
	}
	fmt.Println("kexec: starts the image")
	return kexec.Reboot()
}
