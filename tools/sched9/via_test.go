package main

import (
	"bytes"
	"debug/pe"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVia: by GRUB, from a BIOS and from UEFI, and by UEFI itself, a program finds what it finds without them: all processors, its arguments with
// whatever is in them, its environment, and files that the host gives it.
func TestVia(t *testing.T) {
	data := file(t, []byte("hello"))
	args := []string{"one two", "it's", `$x;"\{}`, "100%", "-", ""}
	for _, way := range []string{"grub", "uefi", "efi"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			flags := []string{"run", "-via", way, "-smp", "3", "-timeout", "5m", "-env", "GREETING=a 'b'", "-files", data + "=/etc/motd", "./testdata/via"}
			stdout, stderr, status := sched9(t, append(flags, args...)...)
			want := `via: 3 processors, ["one two" "it's" "$x;\"\\{}" "100%" "-" ""], "a 'b'", "hello"` + "\n"
			if status != 7 || !strings.HasSuffix(stdout, want) {
				t.Errorf("status %d, %q, want 7 and at the end %q\n%s", status, stdout, want, stderr)
			}
		})
	}
}

// TestViaImage: an image of another format is refused, with the format that is wanted.
func TestViaImage(t *testing.T) {
	_, stderr, status := sched9(t, "run", "-via", "grub", raw(t))
	if status != statusUsage || !strings.Contains(stderr, "boots an image of the format multiboot, and this one is of pvh") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestISO: sched9 build makes a disc that QEMU's firmware boots as it is.
func TestISO(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.iso")
	if _, stderr, status := sched9(t, "build", "-format", "iso", "-o", name, "./testdata/via"); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if _, stderr, status := sched9(t, "run", name); status != statusFailed || !strings.Contains(stderr, "no image that can be booted") {
		t.Errorf("a disc for an image: status %d, %s", status, stderr)
	}
}

// TestStick: sched9 build makes a USB stick with a UEFI application that holds the program; no CD for arm64.
func TestStick(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.img")
	if _, stderr, status := sched9(t, "build", "-arch", "arm64", "-format", "iso", "-o", name, "./testdata/via"); status != statusUsage || !strings.Contains(stderr, "is not one of linux, efi, usb") {
		t.Errorf("a CD for arm64: status %d, %s", status, stderr)
	}
	t.Run("amd64", func(t *testing.T) { testStick(t, "amd64", "MZ\x00\x00") })
	t.Run("arm64", func(t *testing.T) { testStick(t, "arm64", "MZ\x40\xfa") })
}

// testStick makes a stick for arch, whose application begins with magic.
func testStick(t *testing.T, arch, magic string) {
	name := filepath.Join(t.TempDir(), "x.img")
	if _, stderr, status := sched9(t, "build", "-arch", arch, "-format", "usb", "-o", name, "./testdata/via"); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	stick, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// A file is in whole clusters, one after another on a new file system.
	at := bytes.Index(stick, []byte(magic))
	if at < 0 {
		t.Fatal("no application on the stick")
	}
	f, err := pe.NewFile(bytes.NewReader(stick[at:]))
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Section(".image").Data()
	if err != nil || !bytes.Contains(data, []byte("-- via\x00")) {
		t.Errorf("%v, or no command line in the application", err)
	}
}
