package qemu

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// A PC begins in firmware. QEMU comes with two: SeaBIOS, which looks for all that a PC may have, and qboot, which does little
// but load a kernel, in a thousandth of the instructions. A q35 boots by qboot where QEMU brings it along, and a pc by SeaBIOS, as
// real machines' firmware does more than qboot. The property firmware= of either says otherwise. A microvm has qboot.
const (
	firmwareQboot = "firmware=qboot"
	firmwareSea   = "firmware=seabios"
)

// qbootROM is the file's name.
const qbootROM = "qboot.rom"

// firmware returns the file that machine is to boot by, of the QEMU at path; "" is what QEMU takes itself.
func firmware(path, machine string) (rom string, err error) {
	name, properties, _ := strings.Cut(machine, ",")
	asked := properties == firmwareQboot
	if !asked && machine != "q35" {
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
