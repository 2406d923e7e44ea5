package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/u-root/u-root/pkg/dt"

	"sched9/qemu"
)

// raspberry boots an image on QEMU's Raspberry Pi 3 with the device tree in a file, without semihosting, so that only the board's watchdog ends the machine, and
// returns what comes out of the mini UART.
func raspberry(t *testing.T, image, tree string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "timeout", "120", "qemu-system-aarch64", "-machine", "raspi3b", "-display", "none", "-monitor", "none",
		"-no-reboot", "-serial", "null", "-serial", "stdio", "-kernel", image, "-dtb", tree,
		"-append", fmt.Sprintf("sched9.wall=%d", time.Now().Unix())).CombinedOutput()
	if err != nil {
		t.Errorf("QEMU: %v", err)
	}
	return string(out)
}

// helloARM64 makes an image of the scenario hello for arm64.
func helloARM64(t *testing.T) string {
	t.Helper()
	image := t.TempDir() + "/image"
	if _, stderr, status := sched9(t, "build", "-arch", "arm64", "-o", image, "../../scenarios/hello"); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	return image
}

// raspberryTree returns a file with the board's device tree where the mini UART is the console, after edit, which reports whether it found what it edits.
func raspberryTree(t *testing.T, edit func(tree *dt.FDT) bool) string {
	t.Helper()
	data, err := qemu.DeviceTree("raspi3b")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := dt.ReadFDT(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	chosen, ok := tree.NodeByName("chosen")
	if !ok || !chosen.Update(dt.PropertyString("stdout-path", "serial1")) || !edit(tree) {
		t.Fatal("the tree has no console, or not what is edited")
	}
	var changed bytes.Buffer
	if _, err := tree.Write(&changed); err != nil {
		t.Fatal(err)
	}
	return file(t, changed.Bytes())
}

// TestRaspberry: where the tree has the mini UART for its console, all output goes there; and the end turns the board off.
func TestRaspberry(t *testing.T) {
	t.Parallel()
	out := raspberry(t, helloARM64(t), raspberryTree(t, func(*dt.FDT) bool { return true }))
	if !strings.Contains(out, "hello: cpus=4 ") || !strings.HasSuffix(out, "hello: done\n") {
		t.Errorf("%q", out)
	}
}

// TestRunRaspberry: a run gets what the board has without being told, and its arguments and files, and there is a clock.
func TestRunRaspberry(t *testing.T) {
	t.Parallel()
	data := file(t, []byte("hello"))
	stdout, stderr, status := sched9(t, "run", "-arch", "arm64", "-machine", "raspi3b", "-env", "GREETING=a", "-files", data+"=/etc/motd", "./testdata/via", "one two")
	want := `via: 4 processors, ["one two"], "a", "hello"` + "\n"
	if status != 7 || stdout != want {
		t.Errorf("status %d, %q, want 7 and %q\n%s", status, stdout, want, stderr)
	}
}

// TestRaspberryBack: a test's file comes back from there, though the image does not lie where it is linked to.
func TestRaspberryBack(t *testing.T) {
	t.Chdir("testdata/gotest")
	made := filepath.Join(t.TempDir(), "made")
	t.Setenv("MADE", made)
	stdout, stderr, status := gotestIn(t, "-arch", "arm64", "-machine", "raspi3b", "-smp", "4", "-norecord", "-back", made, "./good", "-run", "How")
	b, err := os.ReadFile(made)
	if status != 0 || err != nil || string(b) != "made by a test" {
		t.Errorf("status %d, %q, %v\n%s%s", status, b, err, stdout, stderr)
	}
}
