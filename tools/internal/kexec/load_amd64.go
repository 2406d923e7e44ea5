//go:build linux

package main

import (
	"bytes"
	"os"
	"strings"

	"github.com/u-root/u-root/pkg/boot/kexec"
	"github.com/u-root/u-root/pkg/boot/multiboot"
)

// load gives Linux the image, which has a header of Multiboot's. Linux passes no root pointer of ACPI's tables on, so under UEFI its address is put
// before the line (docs/loaders.md).
func load(name, line string) error {
	image, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if table, err := os.ReadFile("/sys/firmware/efi/systab"); err == nil {
		for entry := range strings.Lines(string(table)) {
			if at, is := strings.CutPrefix(strings.TrimSpace(entry), "ACPI20="); is {
				line = "acpi_rsdp=" + at + " " + line
			}
		}
	}
	entry, segments, err := multiboot.PrepareLoad(false, bytes.NewReader(image), line, nil, nil)
	if err != nil {
		return err
	}
	for i := range segments { // package kexec (u-root v0.16.0) panics for one without bytes, as of zeros alone
		if len(segments[i].Buf) == 0 {
			segments[i].Buf = []byte{0}
		}
	}
	return kexec.Load(entry, segments, 0)
}
