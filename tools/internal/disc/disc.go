// Package disc makes an image of a CD that boots a guest by GRUB, from BIOS and from UEFI. Written to a USB stick as it is,
// it boots from that too. GRUB's own program grub-mkrescue does the work.
package disc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// makeLimit bounds grub-mkrescue, which needs a second or two.
const makeLimit = 2 * time.Minute

// Disc is what is on it.
type Disc struct {
	Image  []byte // in the format boot.Multiboot; for a stick boot.Linux, too
	Line   string // the guest's command line, as cmdline.Format makes it
	Module []byte // the file that is loaded beside the image; nil: none
}

// Make writes d to the file name. The error says what is missing on this host.
func (d Disc) Make(ctx context.Context, name string) error {
	program, err := exec.LookPath("grub-mkrescue")
	if err != nil {
		return errors.New("grub-mkrescue is not in PATH: install the packages grub-pc-bin, grub-efi-amd64-bin, grub-common, xorriso and mtools (Debian, Ubuntu)")
	}
	dir, err := os.MkdirTemp(filepath.Dir(name), "disc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(filepath.Join(dir, "boot", "grub"), 0o700); err != nil {
		return err
	}
	files := map[string][]byte{"image": d.Image, "grub/grub.cfg": []byte(d.config())}
	if d.Module != nil {
		files["files"] = d.Module
	}
	for file, data := range files {
		if err := os.WriteFile(filepath.Join(dir, "boot", file), data, 0o600); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, makeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-o", name, dir)
	cmd.WaitDelay = time.Second
	// xorriso says all it does on standard error.
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("grub-mkrescue failed: %w; it says: %s", err, last(out))
	}
	return check(name)
}

// check makes sure that the disc boots by both firmwares: grub-mkrescue leaves out what is not installed without a word.
func check(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	// The boot catalogue names a platform for each way (El Torito 1.0, 2.1; UEFI 2.10, 13.3.2.1): 0 is BIOS, 0xef UEFI.
	const sector, record, pointer = 2048, 17, 0x47
	at := record*sector + pointer
	if len(data) < at+4 || !bytes.Contains(data[record*sector:][:64], []byte("EL TORITO SPECIFICATION")) {
		return fmt.Errorf("grub-mkrescue has made %s, which does not boot", name)
	}
	catalogue := int(uint32(data[at]) | uint32(data[at+1])<<8 | uint32(data[at+2])<<16 | uint32(data[at+3])<<24)
	if catalogue > len(data)/sector-1 {
		return fmt.Errorf("grub-mkrescue has made %s, which is cut off", name)
	}
	entries := data[catalogue*sector:][:sector]
	const first, section, next = 1, 2 * 32, 1 // the platform of the first entry; of the section behind it
	if entries[first] != 0 {
		return errors.New("grub-mkrescue has made a disc that no BIOS boots: install the package grub-pc-bin (Debian, Ubuntu)")
	}
	if entries[section] == 0 || entries[section+next] != 0xef {
		return errors.New("grub-mkrescue has made a disc that no UEFI boots: install the packages grub-efi-amd64-bin and mtools (Debian, Ubuntu)")
	}
	return nil
}

// config is GRUB's.
func (d Disc) config() string {
	var b strings.Builder
	// The image asks for a framebuffer, for which GRUB needs its drivers: under UEFI it does not load them by itself.
	fmt.Fprintf(&b, "set timeout=0\ninsmod all_video\nmultiboot2 /boot/image %s\n", escape(d.Line))
	if d.Module != nil {
		b.WriteString("module2 /boot/files files\n")
	}
	b.WriteString("boot\n")
	return b.String()
}

// escape writes as %XX what GRUB's shell and its multiboot2 command would take for their own: the guest's command line
// has that for any byte. A percent sign that is there begins such a byte already.
func escape(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ', c == '%', c == '-', c == '.', c == '_', c == '/', c == '=', c == ':', c == ',', c == '@', c == '+',
			'0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// last is the last line of what a program says.
func last(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
