package main

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"

	"sched9/kernel/cmdline"
)

// TestLongArguments boots with as many arguments as there may be and with the longest, on every
// type of machine, and by every boot protocol.
func TestLongArguments(t *testing.T) {
	const program = "./testdata/arguments"
	args := func(n, size int) (all []string) {
		for i := range n {
			all = append(all, strings.Repeat(string(rune('!'+i%90)), size))
		}
		return all
	}
	images := map[string]string{}
	room := cmdline.MaxBytes - len("arguments") - 1
	for _, c := range []struct {
		arch, machine, format string
		args                  []string
		env                   string
	}{
		{"amd64", "q35", "pvh", args(1, room-1), ""},
		{"amd64", "q35", "multiboot", args(100, 600), "E=" + strings.Repeat("ü ", 10_000)},
		{"amd64", "pc", "pvh", args(1, 4096), ""},
		{"amd64", "microvm", "pvh", args(cmdline.MaxWords-2, 4), "A="},
		{"arm64", "virt", "linux", args(1, room-1), ""},
		{"arm64", "virt", "linux", args(cmdline.MaxWords-1, 4), ""},
	} {
		image := images[c.format]
		if image == "" {
			image = filepath.Join(t.TempDir(), "arguments")
			images[c.format] = image
			if _, stderr, status := sched9(t, "build", "-arch", c.arch, "-format", c.format, "-o", image, program); status != 0 {
				t.Fatalf("status %d\n%s", status, stderr)
			}
		}
		run := []string{"run", "-arch", c.arch, "-machine", c.machine, "-accel", "tcg"}
		var env []string
		if c.env != "" {
			run, env = append(run, "-env", c.env), []string{c.env}
		}
		stdout, stderr, status := sched9(t, append(append(run, image), c.args...)...)
		all := strings.Join(append(append([]string{"arguments"}, c.args...), env...), "\n")
		want := fmt.Sprintf("%d %d %x\n", len(c.args)+1, len(env), crc32.ChecksumIEEE([]byte(all)))
		if status != 0 || stdout != want {
			t.Errorf("%s, %s, %s: status %d\n%s%swant %s", c.arch, c.machine, c.format, status, stdout, stderr, want)
		}
	}
	if _, stderr, status := sched9(t, "run", images["pvh"], strings.Repeat("x", room)); status != statusUsage || !strings.Contains(stderr, "take 131073 bytes, 131072 are possible") {
		t.Errorf("too long: status %d, %s", status, stderr)
	}
}
