package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withInput makes the named file this process's standard input.
func withInput(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdin
	os.Stdin = f
	t.Cleanup(func() {
		os.Stdin = old
		f.Close()
	})
}

// file makes a file with the given contents and returns its name.
func file(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a file, with a comma")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRunInput: all bytes of standard input arrive, more than any buffer on the way
// holds, and then its end; without any, the end comes at once.
func TestRunInput(t *testing.T) {
	data := make([]byte, 100_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(r.Uint32() % 29) // many of those that mean something to the console
	}
	for _, c := range []struct {
		name string
		data []byte
	}{{file(t, data), data}, {file(t, nil), nil}, {os.DevNull, nil}, {t.TempDir(), nil}} {
		withInput(t, c.name)
		stdout, stderr, status := sched9(t, "run", "-accel", "tcg", "-machine", "microvm", "./testdata/devices")
		if want := fmt.Sprintf("read %d bytes %x, <nil>\n", len(c.data), sha256.Sum256(c.data)); stdout != want || status != 0 {
			t.Errorf("%s: status %d, got %q, want %q\n%s", c.name, status, stdout, want, stderr)
		}
	}
}

// TestRunDisk: what a guest writes is in the file if it may, and it may not otherwise.
func TestRunDisk(t *testing.T) {
	withInput(t, os.DevNull)
	first, second := file(t, make([]byte, 8192)), file(t, make([]byte, 8192))
	stdout, stderr, status := sched9(t, "run", "-accel", "tcg", "-disk", first, "-disk", second+",rw",
		"./testdata/devices", "/dev/vda", "/dev/vdb", "/dev/vdc")
	if status != 0 {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	for _, want := range []string{"open /dev/vda: permission denied\n", "/dev/vdb <nil> <nil> <nil>\n", "open /dev/vdc: no such file or directory\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	want := make([]byte, 8192)
	for name, text := range map[string]string{first: "", second: "/dev/vdb"} {
		got, err := os.ReadFile(name)
		if copy(want[1000:], text+strings.Repeat("\x00", 8-len(text))); err != nil || string(got) != string(want) {
			t.Errorf("%s holds %q, %v", name, got[990:1020], err)
		}
	}
}

// TestRunDiskRefused: an invalid disk is reported before anything is built.
func TestRunDiskRefused(t *testing.T) {
	odd := file(t, make([]byte, 700))
	for _, c := range []struct{ disk, want string }{
		{filepath.Join(t.TempDir(), "none"), "no such file or directory"},
		{filepath.Join(t.TempDir(), "none") + ",rw", "none: no such file or directory"},
		{odd, "700 bytes"},
		{t.TempDir(), "not a regular file"},
		{",rw", "it names no file"},
	} {
		_, stderr, status := sched9(t, "run", "-disk", c.disk, "./testdata/nowhere")
		if status != statusUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %s", c.disk, status, stderr)
		}
	}
	args := []string{"run"}
	for range 5 {
		args = append(args, "-disk", file(t, make([]byte, 512)))
	}
	if _, stderr, status := sched9(t, append(args, "./testdata/nowhere")...); status != statusUsage || !strings.Contains(stderr, "5 disks are too many") {
		t.Errorf("five disks: status %d, %s", status, stderr)
	}
}

// TestRandom: two runs make different keys, but under -icount the same, and then say that they
// can be guessed.
func TestRandom(t *testing.T) {
	name := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-o", name, "../../scenarios/entropy"); status != 0 {
		t.Fatal(stderr)
	}
	keys := map[string]bool{}
	for range 2 {
		key, stderr, status := sched9(t, "run", "-accel", "tcg", name, "key")
		if status != 0 || stderr != "" || keys[key] {
			t.Errorf("status %d, %q, after %v\n%s", status, key, keys, stderr)
		}
		keys[key] = true
	}
	first := ""
	for i := range 2 {
		key, stderr, status := sched9(t, "run", "-icount", name, "key")
		if status != 0 || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "warning: keys made here can be guessed") || keys[key] || i > 0 && key != first {
			t.Errorf("with -icount: status %d, %q, before %q\n%s", status, key, first, stderr)
		}
		first = key
	}
}
