package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMachineCheck: an error of the hardware, which QEMU's monitor makes, is shown with what its bank says, and does not reset the machine.
func TestMachineCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	img, serial := filepath.Join(dir, "image"), filepath.Join(dir, "serial")
	if _, stderr, status := sched9(t, "build", "-o", img, "./testdata/hang"); status != 0 {
		t.Fatal(stderr)
	}
	p := bootPlain(t, "-machine", "pc", "-cpu", "max", "-smp", "2", "-serial", "file:"+serial, "-kernel", img)
	p.wait(p.text, "hang: begins")
	// Valid, uncorrected, enabled, with an address; of processor 1, in bank 3. The machine check is under way.
	p.run("human-monitor-command", map[string]any{"command-line": "mce 1 3 0xb400000000000135 0x4 0x12345678 0"})
	p.wait(p.text, "the run has ended with status 126")
	said, err := os.ReadFile(serial)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kernel fault on processor 1: #MC machine check", "mcn 0000000000000003", "mcs b400000000000135", "mca 0000000012345678"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
}
