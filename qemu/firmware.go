package qemu

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// A PC begins in firmware. QEMU comes with two: SeaBIOS, which looks for all that a PC may have, and qboot, which does little
// but load a kernel, in a thousandth of the instructions. A q35 boots by qboot where QEMU brings it along, and a pc by SeaBIOS, as
// real machines' firmware does more than qboot. The property firmware= of either says otherwise. A microvm has qboot. From a disc
// (Config.Disc) SeaBIOS boots, or UEFI's own.
const (
	firmwareQboot = "firmware=qboot"
	firmwareSea   = "firmware=seabios"
)

// qbootROM is the file's name.
const qbootROM = "qboot.rom"

// uefi is UEFI's firmware for an architecture: where distributions have it with its variables in one file, and the package.
var uefi = map[string]struct {
	files   []string
	install string
}{
	"amd64": {[]string{"/usr/share/ovmf/OVMF.fd", "/usr/share/edk2/ovmf/OVMF.fd", "/usr/share/edk2-ovmf/x64/OVMF.fd"}, "ovmf"},
	"arm64": {[]string{"/usr/share/qemu-efi-aarch64/QEMU_EFI.fd", "/usr/share/edk2/aarch64/QEMU_EFI.fd", "/usr/share/edk2-armvirt/aarch64/QEMU_EFI.fd"}, "qemu-efi-aarch64"},
}

// firmware returns the file that c's machine is to boot by, of the QEMU at path; "" is what QEMU takes itself.
func firmware(path string, c Config) (rom string, err error) {
	name, properties, _ := strings.Cut(c.Machine, ",")
	asked := properties == firmwareQboot
	switch {
	case c.UEFI:
		u := uefi[c.Arch]
		for _, rom := range u.files {
			if _, err := os.Stat(rom); err == nil {
				return rom, nil
			}
		}
		return "", errors.New("no firmware of UEFI is in " + strings.Join(u.files, ", ") + ": install the package " + u.install + " (Debian, Ubuntu)")
	case c.Disc != "" && asked:
		return "", errors.New("qboot boots no disc: take the machine " + name + "," + firmwareSea)
	case c.Disc != "", !asked && c.Machine != "q35":
		return "", nil
	}
	dirs := []string{"/usr/share/qemu"}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		dirs = append([]string{filepath.Join(filepath.Dir(real), "../share/qemu")}, dirs...)
	}
	for _, dir := range dirs {
		rom = filepath.Join(dir, qbootROM)
		if st, err := os.Stat(rom); err == nil && st.Mode().IsRegular() {
			return rom, nil
		}
	}
	if asked {
		return "", errors.New("machine " + name + ": QEMU's " + qbootROM + " is not in " + strings.Join(dirs, " or "))
	}
	return "", nil
}
