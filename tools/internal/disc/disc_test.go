package disc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	d := Disc{Line: `sched9.slice=10 A=b%20c -- x $y ;{} %-`, Module: []byte{}}
	want := "set timeout=0\ninsmod all_video\nmultiboot2 /boot/image sched9.slice=10 A=b%20c -- x %24y %3b%7b%7d %-\nmodule2 /boot/files files\nboot\n"
	if got := d.config(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.Module = nil
	if got := d.config(); strings.Contains(got, "module2") {
		t.Errorf("without a module: %q", got)
	}
}

// TestMake: without GRUB's program the error says what to install; a program that fails, or that makes what
// does not boot, is told from one that works.
func TestMake(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cd")
	if err := (Disc{Image: []byte("image")}).Make(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, c := range []struct{ script, want string }{
		{"", "install the packages grub-pc-bin"},
		{"echo one; echo two >&2; exit 3", "grub-mkrescue failed: exit status 3; it says: two"},
		{"echo > $2", "which does not boot"},
	} {
		if c.script != "" {
			if err := os.WriteFile(filepath.Join(dir, "grub-mkrescue"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := (Disc{}).Make(t.Context(), name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.script, err, c.want)
		}
	}
	catalogue := int(good[17*2048+0x47])*2048 + 256*2048*int(good[17*2048+0x48])
	for at, want := range map[int]string{1: "no BIOS boots", 64: "no UEFI boots", 65: "no UEFI boots"} {
		bad := append([]byte(nil), good...)
		bad[catalogue+at] ^= 0xff
		if at == 64 {
			bad[catalogue+at] = 0
		}
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := check(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v, want %q", at, err, want)
		}
	}
	if err := os.WriteFile(name, good[:17*2048+0x48], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(name); err == nil {
		t.Error("cut off: no error")
	}
}
