package qemu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	path, version, err := Find("amd64")
	if err != nil || !filepath.IsAbs(path) || strings.Count(version, ".") != 2 {
		t.Errorf("%q, %q, %v", path, version, err)
	}
	if _, _, err := Find("sparc"); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Errorf("sparc: %v", err)
	}
}

func TestFindSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, _, err := Find("amd64"); err == nil || !strings.Contains(err.Error(), "qemu-system-x86") {
		t.Errorf("error %v", err)
	}
}

func TestFindRefusesWhatIsNotQEMU(t *testing.T) {
	for _, script := range []string{"#!/bin/sh\nexit 3\n", "#!/bin/sh\necho hello\n"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "qemu-system-x86_64"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		if _, _, err := Find("amd64"); err == nil || !strings.Contains(err.Error(), "version") {
			t.Errorf("error %v", err)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for in, want := range map[string]string{
		"QEMU emulator version 7.2.22 (Debian 1:7.2)\nCopyright": "7.2.22",
		"QEMU emulator version 10.0.0\n":                         "10.0.0",
	} {
		if got, err := parseVersion("q", []byte(in)); got != want || err != nil {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}
