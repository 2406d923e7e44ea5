//go:build full

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/u-root/u-root/pkg/dt"
)

// TestAbsentLater: a processor that the firmware says it starts, and that never comes, is left out. A few instructions at EL2 stand for such firmware, which the image at EL1
// calls by HVC: CPU_ON succeeds, and what else is asked is whether the processor is off.
func TestAbsentLater(t *testing.T) {
	t.Parallel()
	const (
		image, tree = 0x4020_0000, 0x4800_0000
		stubAt      = 0x4018_0000
		state       = stubAt + 0x700 // 0, and 1 after CPU_ON
		vectors     = stubAt + 0x800
		fromEL1     = 0x400 // of vectors: a synchronous exception of EL1
		eret        = 0xd69f03e0
	)
	enter := slices.Concat(
		msrARM64(4, 12, 0, 0, vectors), // VBAR_EL2
		msrARM64(4, 1, 1, 0, 1<<31),    // HCR_EL2: EL1 is AArch64
		msrARM64(4, 1, 1, 2, 0x33ff),   // CPTR_EL2
		msrARM64(4, 14, 1, 0, 3),       // CNTHCTL_EL2
		msrARM64(4, 4, 0, 0, 0x3c5),    // SPSR_EL2: EL1
		msrARM64(4, 4, 0, 1, image),    // ELR_EL2
		moveARM64(0, tree), []uint32{eret})
	answer := slices.Concat(
		moveARM64(12, state), []uint32{0xf940018b}, // LDR X11, [X12]
		moveARM64(9, 0xc400_0003), []uint32{0xeb09001f, // CPU_ON: CMP X0, X9
			0x540000a1,                               // B.NE
			0xd280002b, 0xf900018b, 0xd2800000, eret, // MOVZ X11, 1; STR X11, [X12]; MOVZ X0, 0
			0x91000560, eret}) // ADD X0, X11, 1: off, or about to come (PSCI, 5.7)
	stub := bytesARM64(enter)
	stub = append(stub, make([]byte, vectors+fromEL1-stubAt-len(stub))...)
	stub = append(stub, bytesARM64(answer)...)
	dir := t.TempDir()
	virt := []string{"-machine", "virt,virtualization=on,gic-version=2", "-cpu", "cortex-a57", "-m", "512M", "-smp", "2"}
	dump := append(virt[:len(virt):len(virt)], "-machine", "dumpdtb="+dir+"/tree")
	if said, err := exec.CommandContext(t.Context(), "qemu-system-aarch64", dump...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	described, err := os.ReadFile(dir + "/tree")
	if n := bytes.Count(described, []byte("smc\x00")); err != nil || n != 1 {
		t.Fatalf("%d ways to call the firmware in the tree: %v", n, err)
	}
	described = bytes.Replace(described, []byte("smc\x00"), []byte("hvc\x00"), 1)
	if err := errors.Join(os.WriteFile(dir+"/tree", described, 0o600), os.WriteFile(dir+"/stub", stub, 0o600)); err != nil {
		t.Fatal(err)
	}
	load := func(file string, at uint64) []string {
		return []string{"-device", fmt.Sprintf("loader,file=%s,addr=%#x,force-raw=on", file, at)}
	}
	out, err := exec.CommandContext(t.Context(), "timeout", slices.Concat([]string{"120", "qemu-system-aarch64"}, virt,
		load(dir+"/stub", stubAt), load(dir+"/tree", tree), load(helloARM64(t), image), []string{"-device", fmt.Sprintf("loader,addr=%#x,cpu-num=0", stubAt),
			"-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot", "-semihosting-config", "enable=on,target=gdb"})...).CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != cleanEnd {
		t.Error(err)
	}
	leftOut(t, string(out), 1, 1)
}

// TestRaspberryAbsent: a processor that does not spin where the tree says that it does is left out.
func TestRaspberryAbsent(t *testing.T) {
	t.Parallel()
	tree := raspberryTree(t, func(tree *dt.FDT) bool {
		third, ok := tree.NodeByName("cpu@2")
		return ok && third.Update(dt.PropertyU64("cpu-release-addr", 0xf8)) // QEMU has them look at 0xe0, 0xe8 and 0xf0
	})
	leftOut(t, raspberry(t, helloARM64(t), tree), 2, 3)
}
