package qemu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFirmware: the file is looked for beside QEMU first; a q35 does without it, one that asks for it does not.
func TestFirmware(t *testing.T) {
	dir := t.TempDir()
	rom := filepath.Join(dir, "share", "qemu", qbootROM)
	path := filepath.Join(dir, "bin", "qemu-system-x86_64")
	for _, name := range []string{rom, path} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for machine, want := range map[string]string{
		"q35": rom, "q35,firmware=qboot": rom, "pc,firmware=qboot": rom,
		"pc": "", "q35,firmware=seabios": "", "pc,firmware=seabios": "", "microvm": "", "virt,gic-version=2": "",
	} {
		if got, err := firmware(path, Config{Machine: machine}); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", machine, got, err, want)
		}
	}
	for machine, want := range map[string]string{"q35": "", "pc": "", "q35,firmware=seabios": "", "pc,firmware=qboot": "qboot boots no disc"} {
		if got, err := firmware(path, Config{Machine: machine, Disc: "cd"}); got != "" || err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s with a disc: %q, %v", machine, got, err)
		}
	}
	for arch, c := range map[string]struct{ machine, install string }{"amd64": {"q35", "ovmf"}, "arm64": {"virt", "qemu-efi-aarch64"}} {
		old := uefi[arch]
		defer func() { uefi[arch] = old }()
		u := old
		u.files = []string{filepath.Join(dir, "none"), rom}
		uefi[arch] = u
		if got, err := firmware(path, Config{Arch: arch, Machine: c.machine, Disc: "cd", UEFI: true}); got != rom || err != nil {
			t.Errorf("UEFI for %s: %q, %v", arch, got, err)
		}
		u.files = u.files[:1]
		uefi[arch] = u
		if got, err := firmware(path, Config{Arch: arch, Machine: c.machine, Disc: "cd", UEFI: true}); err == nil || !strings.Contains(err.Error(), "install the package "+c.install) {
			t.Errorf("no UEFI for %s: %q, %v", arch, got, err)
		}
	}
	if err := os.Remove(rom); err != nil {
		t.Fatal(err)
	}
	for _, machine := range []string{"q35", "q35,firmware=qboot"} {
		got, err := firmware(path, Config{Machine: machine})
		if strings.HasPrefix(got, dir) {
			t.Errorf("%s: %q is not there", machine, got)
		}
		if missing := got == "" && machine != "q35"; missing != (err != nil && strings.Contains(err.Error(), "qboot.rom is not in")) {
			t.Errorf("%s: %q, %v", machine, got, err)
		}
	}
}
