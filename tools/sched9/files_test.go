package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// linkTime is a link's line with its time, which differs.
var linkTime = regexp.MustCompile(`link \d+ `)

// TestFiles gives a guest a directory and compares what it sees there, on each machine type: where
// a loader puts the archive is the machine's affair.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	when := time.Unix(1_234_567_890, 0)
	var want strings.Builder
	for _, f := range []struct {
		name string
		size int
		mode os.FileMode
	}{{"empty", 0, 0o600}, {"large", 3_000_001, 0o644}, {"sub/small", 1, 0o444}} {
		name := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, f.size)
		for i := range b {
			b[i] = byte(i ^ i>>8 ^ i>>16)
		}
		if err := os.WriteFile(name, b, f.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%v %s %d %x\n", f.mode, f.name, when.Unix(), sha256.Sum256(b))
		if f.name == "large" {
			if err := os.Symlink("large", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&want, "Lrwxrwxrwx link %d %x\n", 0, sha256.Sum256(b))
		}
	}
	want.WriteString("given: done\n")
	images := map[string]string{}
	for _, c := range []struct{ arch, machine, format, mem string }{
		{"amd64", "q35", "pvh", "512M"}, {"amd64", "pc", "multiboot", "80M"}, {"amd64", "microvm", "pvh", "64M"}, {"arm64", "virt", "linux", "256M"},
	} {
		image := images[c.format]
		if image == "" {
			image = filepath.Join(t.TempDir(), "given")
			images[c.format] = image
			if _, stderr, status := sched9(t, "build", "-arch", c.arch, "-format", c.format, "-o", image, "./testdata/given"); status != 0 {
				t.Fatalf("status %d\n%s", status, stderr)
			}
		}
		stdout, stderr, status := sched9(t, "run", "-arch", c.arch, "-machine", c.machine, "-accel", "tcg", "-mem", c.mem, "-files", dir, "-env", "PWD="+dir, image, dir)
		stdout = linkTime.ReplaceAllString(stdout, "link 0 ")
		if status != 0 || stdout != want.String() {
			t.Errorf("%s, %s: status %d\n%s%swant\n%s", c.machine, c.format, status, stdout, stderr, want.String())
		}
	}
	for _, c := range []struct{ files, want string }{
		{dir + "/none", "no such file"},
		{dir + "=given", "absolute paths"},
	} {
		if _, stderr, status := sched9(t, "run", "-files", c.files, images["pvh"]); status != statusUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s", c.files, status, stderr)
		}
	}
	// A file with a hole is large and takes no room here.
	large := filepath.Join(t.TempDir(), "hole")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 300<<20); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := sched9(t, "run", "-mem", "256M", "-files", large, images["pvh"]); status != statusUsage || !strings.Contains(stderr, "files 300") {
		t.Errorf("more files than memory: status %d, %s", status, stderr)
	}
}

// TestFilesOnLinux runs the scenario files on this machine, which proves that it demands what Linux does.
func TestFilesOnLinux(t *testing.T) {
	out, err := exec.Command("go", "run", "../../scenarios/files").CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "\nfiles: done\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
